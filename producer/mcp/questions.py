"""MCP tools that answer: ask, search, neighbourhood, document_text, collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.collections import MOST_COLLECTIONS
from hopline.models.questions import MOST_TRANSLATIONS, Strategy
from hopline.models.strategies import summaries
from hopline.progress.query import QueryProgress
from hopline.words import counted
from producer.client.terms import patience_of
from producer.mcp.offer import Call, Offer, Told, offer
from producer.mcp.progress import ending, follow
from producer.mcp.texts import answer_text, neighbourhood_text, passage_text, search_result_text
from producer.reports.outcomes import answer_of
from workers.core.scope import Scope

if TYPE_CHECKING:
    from producer.client.hopline import Hopline

COLLECTION = Field(default="default", max_length=100, description="The named set of documents to work on.")
SeveralNames = str | tuple[Annotated[str, Field(max_length=100)], ...]
SEVERAL = Field(
    default="default",
    max_length=100,
    description=f"The named set of documents to work on, or a list of up to {MOST_COLLECTIONS}.",
)
_TOLD = ("text", "reason", "missing", "citations", "calculations", "usage")


class Ask(Scope):
    """Answer a question from a collection's documents, with citations.

    Every sentence of the answer cites the place in a document, or the row of the graph, that it rests on;
    what the documents do not hold is not answered. Takes seconds to minutes: a graph of facts is walked by a
    language model.
    """

    question: str = Field(min_length=1, max_length=4000, description="The question, in full.")
    collection: SeveralNames = SEVERAL
    strategy: Strategy = Field(
        default="auto",
        description="How to look for the answer. " + " ".join(summaries()),
    )
    max_depth: int = Field(default=3, ge=1, le=10, description="How many hops to walk.")
    session: str | None = Field(
        default=None, max_length=200, description="Questions under one session understand one another."
    )
    timeout: float = Field(default=120.0, gt=0, le=3600, description="Seconds; then it answers as it can.")


async def ask(call: Call, arguments: Ask) -> Told:
    """Ask a question."""
    unset = Scope.model_fields.keys() - arguments.model_dump(exclude_defaults=True).keys()
    params = arguments.model_dump(mode="json", exclude={"question", "collection", *unset})
    client = call.client
    await call.do(_require_documents, client, arguments)
    job_id = await call.make(client.submit_question, arguments.question, arguments.collection, **params)
    async with ending(call, [job_id]):
        await follow(call, job_id, QueryProgress(), patience_of(params))
    answer = answer_of(await call.do(client.job, job_id))
    fields = answer.model_dump(mode="json", include=set(_TOLD))
    return Told(text=answer_text(answer), data={"job_id": job_id, "status": answer.status.value, **fields})


def _require_documents(client: Hopline, arguments: Ask) -> None:
    """Raise NoDocuments where nothing can answer; behind the API, that looks itself."""
    if not client.is_remote:
        client.service.questions.require_documents(arguments.collection, arguments.strategy)
        client.service.questions.require_in_scope(
            arguments.collection, arguments.model_dump(exclude_defaults=True)
        )


class Search(Scope):
    """Find the passages of a collection's documents that a question leads to, best first.

    At once and without a language model: the passages are the documents' own text. Use it to read sources;
    use ask for an answer.
    """

    question: str = Field(min_length=1, max_length=4000, description="A question, or words to look for.")
    collection: SeveralNames = SEVERAL
    limit: int = Field(default=5, ge=1, le=100, description="Passages at most.")
    translations: tuple[str, ...] = Field(
        default=(),
        max_length=MOST_TRANSLATIONS,
        description="If documents are in other languages: the question's names and words in these, one text "
        "for each.",
    )


async def search(call: Call, arguments: Search) -> Told:
    """Search a collection."""
    named = {*Scope.model_fields, "translations"}
    scope = arguments.model_dump(mode="json", include=named, exclude_defaults=True)
    result = await call.do(
        call.client.search, arguments.question, arguments.collection, arguments.limit, **scope
    )
    text = search_result_text(result, named=not isinstance(arguments.collection, str))
    return Told(text=text, data=result.model_dump(mode="json", include={"chunks", "failed"}))


class Around(Frozen):
    """Show the facts around a name: what the documents say of a person, place, thing or date.

    Each fact comes with the sentence that says it and the other names that it holds, to go on from there.
    """

    name: str = Field(min_length=1, max_length=500, description="As the documents spell it, or words of it.")
    collection: str = COLLECTION
    document: str | None = Field(
        default=None, max_length=100, description="Id of a document: only what it says."
    )
    limit: int = Field(default=20, ge=1, le=200, description="Facts at most.")


async def look_around(call: Call, arguments: Around) -> Told:
    """Show the facts around a name."""
    near = await call.do(
        call.client.neighbourhood,
        arguments.name,
        arguments.collection,
        document=arguments.document,
        limit=arguments.limit,
    )
    return Told(text=neighbourhood_text(near), data=near.model_dump(mode="json"))


class Reading(Frozen):
    """Read a document's stored text, at most 20,000 characters at a time.

    Citations and passages tell where to begin. An earlier version is read where one is kept.
    """

    document: str = Field(min_length=1, max_length=100, description="Id of the document.")
    start: int = Field(default=0, ge=0, description="Offset of the first character.")
    end: int | None = Field(default=None, ge=0, description="Offset after the last character.")
    known_at: str | None = Field(
        default=None, max_length=40, description="The version that was live at that time, or at a date's end."
    )


async def read_text(call: Call, arguments: Reading) -> Told:
    """Read a document's text."""
    passage = await call.do(
        call.client.document_text,
        arguments.document,
        arguments.start,
        arguments.end,
        known_at=arguments.known_at,
    )
    return Told(text=passage_text(passage), data=passage.model_dump(mode="json"))


class Collections(Frozen):
    """List the collections of documents that there are, with how many documents each holds."""


async def list_collections(call: Call, _arguments: Collections) -> Told:
    """List the collections."""
    sizes = await call.do(call.client.collections)
    lines = [f"- {name}: {counted(count, 'document')}" for name, count in sorted(sizes.items())]
    return Told(text="\n".join(lines) or "There is no collection yet.", data={"collections": sizes})


QUESTIONS: tuple[Offer, ...] = (
    offer(Ask, ask, name="ask", title="Ask a question", scope="submit"),
    offer(Search, search, name="search", title="Search documents"),
    offer(Around, look_around, name="neighbourhood", title="Facts around a name"),
    offer(Reading, read_text, name="document_text", title="Read a document"),
    offer(Collections, list_collections, name="collections", title="List collections"),
)
