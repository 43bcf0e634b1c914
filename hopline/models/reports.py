"""Reports of named batches."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hopline.errors import may_help_again
from hopline.models.base import Frozen
from hopline.models.batches import WHOLE
from hopline.models.documents import OriginalState
from hopline.models.jobs import PauseKind, Usage
from hopline.models.times import OptionalTimestamp, Timestamp


class FailedChunk(Frozen):
    """A chunk without extraction: a dead letter, or cut off by a closed phase."""

    index: int  # from 0
    error: str


class DocumentLine(Frozen):
    """The outcome of one document of a batch: a line of its report."""

    uri: str
    title: str = ""
    document_id: str = ""
    status: str = "failed"  # done, unchanged, partial, failed, cancelled
    chunks: int = 0
    facts: int = 0
    kept: int = 0  # chunks whose reply was in the store: no model was asked
    seconds: float = 0.0  # from its job's creation to its end
    ended: OptionalTimestamp = None
    error: str | None = None
    failed_chunks: tuple[FailedChunk, ...] = ()  # some of them
    doubts: tuple[str, ...] = ()  # why its file may have been read badly
    original: OriginalState | None = None  # why its file is not kept, if a limit was reached
    entities: int = 0  # of a profile
    relations: int = 0
    events: int = 0


class Growth(Frozen):
    """Size of a collection's graph; one before and one after a batch show what it added."""

    elements: int
    hubs: dict[str, int] = {}  # name -> facts that hold it; those of the most
    spelled: dict[str, str] = Field(default={}, exclude=True)  # name -> it as documents spell it


class PauseSpan(Frozen):
    """A period in which a batch began nothing new."""

    kind: PauseKind
    why: str
    since: Timestamp
    until: Timestamp | None = None  # None where it has not been resumed


class Period(Frozen):
    """A part of the batch's time, and what ended in it."""

    start: Timestamp
    documents: int = 0
    chunks: int = 0
    failed: int = 0  # of the documents


class Slow(Frozen):
    """One of the slowest documents."""

    uri: str
    title: str = ""
    seconds: float
    chunks: int = 0


class FailureExample(Frozen):
    """An example of the documents that failed for one cause."""

    uri: str
    error: str  # as it was told


class Cause(Frozen):
    """Failures that differ only in their numbers, paths and ids."""

    kind: Literal["document", "chunk", "source"]  # source: it was listed and is no document
    cause: str
    count: int
    documents: int  # that it touched; for chunks fewer than count
    examples: tuple[FailureExample, ...] = ()


class HubGrowth(Frozen):
    """A hub, and the number of facts that mention it."""

    name: str
    before: int | None  # None where it was not among the hubs
    after: int


class Report(Frozen):
    """The report of a batch, which outlives the batch's job."""

    name: str
    job_id: str
    collection: str
    sources: tuple[str, ...] = ()
    running: bool = False  # the report was made before the end
    created: Timestamp
    ended: Timestamp  # when the last document ended; where there is none, when it was told
    listed: int = 0  # documents that were to go in
    documents: dict[str, int] = {}  # status -> how many, "not done" among them
    refused: int = 0  # what was listed and is no document
    chunks: dict[str, int] = {}  # read, of these kept (no model was asked), failed
    facts: int = 0
    usage: Usage = Usage()
    waited: dict[str, float] = {}  # limiter -> seconds
    pauses: tuple[PauseSpan, ...] = ()
    leases_lost: int = 0
    period_seconds: float = Field(default=60.0, gt=0)
    periods: tuple[Period, ...] = ()  # none left out between the first and the last
    slowest: tuple[Slow, ...] = ()
    causes: tuple[Cause, ...] = ()  # most first
    causes_left_out: int = 0  # failures whose causes were too many to be told apart
    before: Growth | None = None
    after: Growth | None = None
    hubs: tuple[HubGrowth, ...] = ()  # that grew most

    @property
    def whole(self) -> int:
        """Number of documents that are completely in the graph."""
        return sum(self.documents.get(status, 0) for status in WHOLE)

    @property
    def retry(self) -> str:
        """The command that retries what failed; empty if nothing failed, or if a retry cannot help."""
        helps = (
            not self.causes or self.causes_left_out or any(may_help_again(each.cause) for each in self.causes)
        )
        return f"hopline batches retry {self.name}" if self.again and helps else ""

    @property
    def again(self) -> bool:
        """Whether work is left for a retry."""
        return any(count for status, count in self.documents.items() if status not in WHOLE)
