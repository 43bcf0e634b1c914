"""MCP tools that answer: ask, search, neighbourhood, document_text, collections."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import Field

from hopline.models.answers import Answer
from hopline.models.base import Frozen
from hopline.models.collections import MOST_COLLECTIONS
from hopline.models.graph import Neighbourhood, Passage
from hopline.models.params import QueryBounds, patience_of
from hopline.models.questions import MOST_TRANSLATIONS, Strategy
from hopline.models.search import Found
from hopline.models.strategies import summaries
from hopline.progress.query import QueryProgress
from hopline.words import counted
from producer.mcp.offer import Call, Offer, Told, offer, result_of, uncancelled
from producer.mcp.progress import ending, follow
from producer.mcp.texts import answer_text, neighbourhood_text, passage_text, search_result_text
from workers.core.scope import Scope

if TYPE_CHECKING:
    from hopline.models.jobs import Json
    from hopline.models.questions import QuestionScope, SearchScope

COLLECTION = Field(default="default", max_length=100, description="The named set of documents to work on.")
SeveralNames = str | tuple[Annotated[str, Field(max_length=100)], ...]
SEVERAL = Field(
    default="default",
    max_length=100,
    description=f"The named set of documents to work on, or a list of up to {MOST_COLLECTIONS}.",
)
_FOUND = ("chunks", "failed")
_TOLD = ("text", "reason", "missing", "citations", "calculations", "usage")


class Ask(Scope):
    """Answer a question from a collection's documents, with citations.

    Every sentence of the answer cites its source, a place in a document or a row of the graph; questions that
    the documents do not answer are declined. Takes seconds to minutes, because a language model walks a graph
    of facts.
    """

    question: str = Field(min_length=1, max_length=4000, description="The question, in full.")
    collection: SeveralNames = SEVERAL
    strategy: Strategy = Field(
        default="auto",
        description="How to look for the answer. " + " ".join(summaries()),
    )
    max_depth: int = Field(default=3, ge=1, le=10, description="Maximum number of hops from the start.")
    session: str | None = Field(
        default=None,
        max_length=200,
        description="A session, in which follow-up questions are understood in context.",
    )
    timeout: float = Field(
        default=120.0,
        gt=0,
        le=3600,
        description="Seconds after which the question is answered from what was found so far.",
    )


async def ask(call: Call, arguments: Ask) -> Told:
    """Ask a question."""
    client = call.client
    submitting = client.queries.submit(
        arguments.question,
        collection=arguments.collection,
        strategy=arguments.strategy,
        session=arguments.session,
        parameters=QueryBounds(max_depth=arguments.max_depth, timeout=arguments.timeout),
        **cast("QuestionScope", _scope(arguments)),
    )
    job_id = (await uncancelled(submitting)).id
    async with ending(call, [job_id]):
        await follow(call, job_id, QueryProgress(), patience_of(arguments.timeout))
    answer = Answer.of(await client.jobs.get(job_id))
    fields = answer.model_dump(mode="json", include=set(_TOLD))
    return Told(text=answer_text(answer), data={"job_id": job_id, "status": answer.status.value, **fields})


def _scope(arguments: Scope) -> Json:
    """Return the scope in the arguments."""
    return arguments.model_dump(mode="json", include=set(Scope.model_fields), exclude_defaults=True)


class Search(Scope):
    """Find the best passages of a collection's documents for a question, best first.

    Immediate, and without a language model: the passages are the documents' own text. Use it to read sources;
    use ask for an answer.
    """

    question: str = Field(min_length=1, max_length=4000, description="A question, or words to look for.")
    collection: SeveralNames = SEVERAL
    limit: int = Field(default=5, ge=1, le=100, description="Maximum number of passages.")
    translations: tuple[str, ...] = Field(
        default=(),
        max_length=MOST_TRANSLATIONS,
        description="If documents are in other languages: the question's names and words in those languages, "
        "one text per language.",
    )


async def search(call: Call, arguments: Search) -> Told:
    """Search a collection."""
    scope = _scope(arguments)
    if "where" in scope:
        scope["where"] = json.dumps(scope["where"], ensure_ascii=False)  # in an address it is a text
    result = await call.client.queries.search(
        arguments.question,
        collection=arguments.collection,
        limit=arguments.limit,
        translations=arguments.translations,
        **cast("SearchScope", scope),
    )
    text = search_result_text(result, named=not isinstance(arguments.collection, str))
    return Told(text=text, data=result.model_dump(mode="json", include=set(_FOUND)))


class Around(Frozen):
    """Show the facts around a name: what the documents say about a person, place, thing or date.

    Each fact comes with its sentence and the other names in it, from which you can go on.
    """

    name: str = Field(
        min_length=1, max_length=500, description="The name as documents spell it, or words from it."
    )
    collection: str = COLLECTION
    document: str | None = Field(
        default=None, max_length=100, description="Only facts from the document with this id."
    )
    limit: int = Field(default=20, ge=1, le=200, description="Maximum number of facts.")


async def look_around(call: Call, arguments: Around) -> Told:
    """Show the facts around a name."""
    near = await call.client.graph.neighbourhood(
        arguments.name,
        collection=arguments.collection,
        document=arguments.document,
        limit=arguments.limit,
    )
    return Told(text=neighbourhood_text(near), data=near.model_dump(mode="json"))


class Reading(Frozen):
    """Read a document's stored text, at most 20,000 characters at a time.

    Citations and passages give the offset to start from. With known_at, an earlier version is read if it is
    kept.
    """

    document: str = Field(min_length=1, max_length=100, description="Id of the document.")
    start: int = Field(default=0, ge=0, description="Offset of the first character.")
    end: int | None = Field(default=None, ge=0, description="Offset after the last character.")
    known_at: str | None = Field(
        default=None,
        max_length=40,
        description="Read the version that was live at this time, or at the end of this date.",
    )


async def read_text(call: Call, arguments: Reading) -> Told:
    """Read a document's text."""
    passage = await call.client.documents.text(
        arguments.document, start=arguments.start, end=arguments.end, known_at=arguments.known_at
    )
    return Told(text=passage_text(passage), data=passage.model_dump(mode="json"))


class CollectionSizes(Frozen):
    """Number of documents in each collection."""

    collections: dict[str, int] = Field(description="Documents by collection.")


class Collections(Frozen):
    """List the collections with their numbers of documents."""


async def list_collections(call: Call, _arguments: Collections) -> Told:
    """List the collections."""
    listed = await call.client.collections.list()
    sizes = {each.name: each.documents for each in listed.collections}
    lines = [f"- {name}: {counted(count, 'document')}" for name, count in sorted(sizes.items())]
    return Told(text="\n".join(lines) or "There is no collection yet.", data={"collections": sizes})


QUESTIONS: tuple[Offer, ...] = (
    offer(
        Ask,
        ask,
        name="ask",
        title="Ask a question",
        result=result_of(Answer, ("job_id", "status", *_TOLD)),
        scope="submit",
    ),
    offer(Search, search, name="search", title="Search documents", result=result_of(Found, _FOUND)),
    offer(
        Around,
        look_around,
        name="neighbourhood",
        title="Facts around a name",
        result=result_of(Neighbourhood),
    ),
    offer(Reading, read_text, name="document_text", title="Read a document", result=result_of(Passage)),
    offer(
        Collections,
        list_collections,
        name="collections",
        title="List collections",
        result=result_of(CollectionSizes),
    ),
)
