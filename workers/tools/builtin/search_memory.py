"""search_memory: searches the documents."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.search import Found, FoundChunk, FoundFact
from hopline.models.tools import ToolItem, ToolResult
from workers.search.search import search
from workers.tools.arguments import Limit, Names
from workers.tools.lines import inline
from workers.tools.texts import joined, say
from workers.tools.tool import Tool, ToolPorts

_COLUMNS = ("fact", "score", "title", "uri", "chunk")
_FACTS = 3  # shown of a chunk
_CHARACTERS = 500  # shown of a chunk where it has no facts


class SearchArguments(Frozen):
    """What to look for."""

    question: str = Field(min_length=1, max_length=4000, description="the question, whole and unambiguous")
    limit: Limit = Field(default=8, description="passages at most")
    translations: Names = Field(
        default=(), description="names and words of the question in other languages, one text for each"
    )


def _search(arguments: SearchArguments, ports: ToolPorts) -> ToolResult:
    search_result = search(
        arguments.question,
        ports.collection,
        ports,
        limit=arguments.limit,
        degrade=True,
        translations=arguments.translations,
    )
    chunks = {passage.chunk.id: passage for passage in search_result.chunks}
    facts = [fact for fact in search_result.facts if fact.chunk_id in chunks]
    notes = [say("memory.without", part=part, why=why) for part, why in search_result.failed.items()]
    if not search_result.chunks:
        notes.insert(0, say("memory.nothing"))
    note = joined(*notes)
    return ToolResult(
        tool=SEARCH_MEMORY.name,
        arguments=arguments.model_dump(),
        columns=_COLUMNS,
        items=tuple(_item(fact, chunks[fact.chunk_id]) for fact in facts),
        note=note,
        markdown=_markdown(search_result, note),
        found=search_result,
    )


def _item(fact: FoundFact, held: FoundChunk) -> ToolItem:
    document = held.document
    return ToolItem(
        text=fact.text, values=(fact.text, fact.score, document.title, document.uri, held.chunk.id)
    )


def _markdown(search_result: Found, note: str) -> str:
    if not search_result.chunks:
        return note
    lines = [say("memory.heading")]
    for nth, passage in enumerate(search_result.chunks, start=1):
        title = inline(passage.document.title or passage.document.uri)
        place = say("memory.place", start=passage.chunk.start, end=passage.chunk.end)
        lines += ["", f"{nth}. **{title}**{say('mark.list')}{place}"]
        texts = [fact.text for fact in passage.facts[:_FACTS]] or [passage.chunk.text[:_CHARACTERS]]
        lines += [f"   - {inline(text)}" for text in texts]
    return "\n".join([*lines, *(["", note] if note else [])])


SEARCH_MEMORY = Tool(
    name="search_memory",
    purpose="What the documents say: passages and facts, found by meaning, words and the graph around them. "
    "For: details, descriptions, reasons, quotations, and whatever no other tool covers.",
    arguments=SearchArguments,
    work=_search,
)
