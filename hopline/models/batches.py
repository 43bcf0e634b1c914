"""Named batches as clients see them."""

from __future__ import annotations

from hopline.models.base import Frozen, Page
from hopline.models.jobs import Budget, Pause, Usage
from hopline.models.times import Timestamp

WHOLE = frozenset({"done", "unchanged"})  # statuses of a document that is in the graph as a whole


class BatchMode(Frozen):
    """Calls sent to the provider, and those that have been answered."""

    prepared: int = 0  # documents read and split
    batches: int = 0  # of the provider, that the lines fill
    back: int = 0  # of these, read
    lines: int | None = None  # once all have come back
    kept: int = 0  # replies that validated
    unusable: int = 0  # replies that did not: asked again call by call
    unreadable: int = 0  # lines that hold no reply: the same
    failed: int = 0  # lines that the provider did not answer, expired ones too: the same


class BatchStatus(Frozen):
    """The status of a batch, while it runs and afterwards."""

    name: str
    job_id: str
    collection: str
    sources: tuple[str, ...] = ()
    state: str  # of the job; "paused" while it runs and begins nothing new, "expired" where it is gone
    documents: int
    ended: int = 0  # documents
    counts: dict[str, int] = {}  # status -> documents
    refused: int | None = None  # what was listed and is no document; None where it was not counted
    created: Timestamp
    finished: Timestamp | None = None
    rate: float | None = None  # documents a minute, over the last ten
    left: float | None = None  # seconds, at this rate
    usage: Usage = Usage()
    budget: Budget = Budget()
    pause: Pause | None = None  # the most important reason to pause
    pauses: tuple[Pause, ...] = ()  # all of them
    waits_until: Timestamp | None = None  # when its hours begin, where it waits for them
    via: str = "calls"
    batch_mode: BatchMode | None = None  # what is at the provider, where it goes there
    hours: str = ""
    zone: str = ""
    free_until: Timestamp | None = None  # it may run at any hour until then
    reported: bool = False

    @property
    def lasts(self) -> bool:
        """Whether the batch has not ended, paused or not."""
        return self.state in {"running", "paused"}

    @property
    def failed(self) -> int:
        """Number of documents that have ended but are not completely in the graph."""
        return self.ended - sum(self.counts.get(status, 0) for status in WHOLE)


class BatchSubmitted(Frozen):
    """A submitted batch."""

    name: str
    job_id: str
    documents: int
    refused: int = 0  # what was listed and is no document
    examples: tuple[tuple[str, str], ...] = ()  # of these, (place, reason)
    known: bool = False  # the same batch was handed over before
    waits_until: Timestamp | None = None  # when its hours begin, where it waits for them


class BatchList(Page):
    """Batches, newest first."""

    batches: list[BatchStatus]
