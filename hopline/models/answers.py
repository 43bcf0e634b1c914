"""Answers as clients see them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field

from hopline.errors import InvalidInput
from hopline.models.base import Frozen, OfKind, Sparse, VisibleText
from hopline.models.jobs import JobState, Json, ToldState, Usage
from hopline.models.places import Place
from hopline.models.questions import QuestionScope
from hopline.models.times import OptionalUtc

if TYPE_CHECKING:
    from hopline.models.results import Job

NO_WORDS = {  # of a job without an outcome
    JobState.QUEUED: "the job has not begun yet",
    JobState.RUNNING: "the job has not ended yet",
    JobState.CANCELLED: "the job was cancelled",
    JobState.FAILED: "the job failed; its dead letters say what was given up",
}


class TableInPart(Frozen):
    """A table of which the evidence contains only some rows."""

    title: VisibleText  # of its document
    uri: str
    table: int = Field(ge=1)  # 1 for the document's first
    rows: tuple[tuple[int, int], ...]  # first and last, 1 for the first row below the columns' names
    of: int = Field(ge=1)  # rows that it has

    @property
    def rows_in_words(self) -> str:
        """The rows that were read, as ranges."""
        return ", ".join(f"{first}–{last}" if last > first else str(first) for first, last in self.rows)

    def __str__(self) -> str:
        """Say which rows were read."""
        return f"rows {self.rows_in_words} of {self.of} of table {self.table} of {self.title} were read"


class CitedDocument(Sparse):
    """The document that a citation leads to."""

    LEFT_OUT = frozenset({"collection", "version", "until"})

    id: str
    title: VisibleText
    uri: str
    collection: str = ""  # where the question was of several
    version: int = 0  # where it is one that is live no more,
    until: OptionalUtc = None  # and until when it was live


class CitedFact(Frozen):
    """A marker in the answer, and the fact it refers to."""

    n: int = Field(ge=1)
    fact_id: str
    fact: VisibleText
    score: float
    final_decayed_score: float
    depth: int
    source_description: str
    # The times that its sentence in the document names, as EDTF (ISO 8601-2): 1843, 2019-05-03, 1999/..
    when: tuple[str, ...] = Field(default=(), exclude_if=not_)


class CitedPlace(Frozen):
    """A place in a document; `quote` is the document's text from start to end, as a reader sees it."""

    document: CitedDocument
    chunk_id: str
    start: int
    end: int
    quote: VisibleText
    place: Place | None = Field(
        default=None,
        exclude_if=lambda place: place is None,
        description="Its place in the document's file, if known.",
    )


class Citation(CitedFact, CitedPlace, OfKind):
    """A marker that leads to a place in a document."""

    kind: Literal["text"] = "text"


class GraphCitation(CitedFact, OfKind):
    """A marker that leads to a node, a relationship or a row of a graph, and to the query that found it."""

    kind: Literal["graph"] = "graph"
    tool: str
    arguments: dict[str, Any]
    cypher: str | None = None  # what was run
    parameters: dict[str, Any] = {}
    row: dict[str, Any] = {}  # value by column, bounded
    nodes: tuple[str, ...] = ()  # element ids of the database
    relationships: tuple[str, ...] = ()
    stated: CitedPlace | None = None  # the sentence of a document that says so, where one is known

    @property
    def document(self) -> CitedDocument | None:
        """The document that states it, if known."""
        return self.stated.document if self.stated else None


AnyCitation = Citation | GraphCitation


class CalculationOperand(Frozen):
    """A number, a date or a count that a calculation takes from a citation."""

    n: int = Field(ge=1)  # the citation
    number: VisibleText  # as it stands there; "" where the citation itself is counted


class Calculation(Frozen):
    """The calculation, checked by code, of a value that the answer states but no quote does."""

    sentence: int = Field(ge=1)  # of the answer, 1 for the first
    value: VisibleText  # as the sentence says it
    expression: VisibleText  # as the sentence shows it behind the value
    operands: tuple[CalculationOperand, ...]
    result: str  # exact, to 28 digits: a number in plain digits, or a date in ISO 8601


STAND_IN = "offline"  # the name of the built-in model, which only copies sentences


class WalkStep(Frozen):
    """A visited node."""

    node_id: str
    name: str
    depth: int
    parent: str | None = None


class Answer(Sparse, OfKind):
    """The result of a query."""

    LEFT_OUT = frozenset({"calculations"})

    kind: Literal["query"] = "query"
    job_id: str
    status: ToldState
    text: str = ""  # with [n] markers
    reason: str | None = None  # why there is no (full) answer, in plain words
    missing: tuple[str, ...] = ()  # what the question asks for and the answer does not tell, in plain words
    citations: tuple[AnyCitation, ...] = ()
    calculations: tuple[Calculation, ...] = ()  # of values that no quote holds
    # What it was about: fields of `models.questions.QuestionScope`, `collections` if several; {}: everything.
    scope: dict[str, Any] = {}
    usage: Usage = Usage()
    timings: dict[str, float] = {}  # seconds per step, summed over its items
    walk: tuple[WalkStep, ...] = ()
    details: dict[str, Any] = {}  # a strategy's own: dropped sentences, failures, conflicts, counts

    @classmethod
    def of(cls, job: Job, stored: Json | None = None) -> Self:
        """Return the answer of a question's job; if the job has no outcome, the answer gives the reason.

        Args:
            job: the question's job.
            stored: an outcome as the job's flow stored it; by default the job's own.

        Raises:
            InvalidInput: the job is not a question's.
        """
        if job.kind != "query":
            raise InvalidInput("job", job.id, f"a question's job: this is a {job.kind}")
        if stored is None and isinstance(job.outcome, cls):
            return job.outcome
        fields: dict[str, Any] = {
            **(stored or {}),
            "kind": job.kind,
            "job_id": job.id,
            "status": job.state,
            "scope": scope_of(job.params),
            "usage": job.usage,
            "timings": job.timings,
        }
        if not fields.get("text") and not fields.get("reason"):
            fields["reason"] = reason_for_nothing(job.state, job.waits_for)
        return cls.read_stored(fields)

    @property
    def is_by_stand_in(self) -> bool:
        """Whether the built-in stand-in wrote the answer, by selecting and copying sentences."""
        return self.details.get("model") == STAND_IN

    @property
    def tables_in_part(self) -> tuple[TableInPart, ...]:
        """The tables of which the evidence contains only some rows."""
        return tuple(map(TableInPart.read_stored, self.details.get("tables_in_part", ())))

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Sentences in a different language from their quotes, with names that nobody checked."""
        return tuple(entry["sentence"] for entry in self.details.get("unchecked_sentences", ()))

    @property
    def also_missing(self) -> tuple[str, ...]:
        """Missing parts that the reason does not name."""
        return tuple(part for part in self.missing if part not in (self.reason or ""))


def scope_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question's scope from its job's parameters; {} means everything."""
    names = ("collections", *sorted(QuestionScope.__annotations__))
    return {name: params[name] for name in names if params.get(name)}


def reason_for_nothing(state: JobState, waits_for: str | None) -> str | None:
    """Return why a job in this state has no outcome; None if the state does not explain it."""
    if state not in NO_WORDS:
        return None
    return f"{NO_WORDS[state]}, and waits: {waits_for}" if waits_for else NO_WORDS[state]
