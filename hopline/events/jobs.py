"""Events of jobs, phases and items, which the ledger's scripts write."""

from __future__ import annotations

from hopline.models.events import EventData
from hopline.models.jobs import JobState
from hopline.models.times import Timestamp


class JobSubmitted(EventData, event="job.submitted"):
    """A job was accepted."""

    acted_by: str | None = None  # the id of an API key that asked in the name of others, "local" without one
    principals: tuple[str, ...] | None = None  # in whose


class JobRetried(EventData, event="job.retried"):
    """A job that had ended does again what failed."""


class JobEnded(EventData, event="job.ended"):
    """A job's last event."""

    state: JobState


class PhaseOpened(EventData, event="phase.opened"):
    """A phase begins."""

    phase: int
    items: int
    step: str  # of its first item
    subjects: int | None = None  # what the items are about, where one is about several: facts to score


class PhaseClosed(EventData, event="phase.closed"):
    """A phase takes no more items: a deadline, a budget, or a complete answer."""

    phase: int
    why: str


class ItemEvent(EventData, event=None):
    """An event of an item."""

    item: str
    step: str


class ItemBegun(ItemEvent, event="item.begun"):
    """A worker runs an item."""

    worker: str | None = None  # NAME@HOST, as Flower shows it; None where an older worker took it


class ItemDone(ItemEvent, event="item.done"):
    """An item's result is recorded."""

    ms: int | None = None  # milliseconds of its last attempt; None where a child job did it
    tokens: int = 0  # of the model calls of its last attempt


class ItemFailed(ItemEvent, event="item.failed"):
    """An attempt failed; another follows."""

    attempt: int  # 1 for the first
    error: str


class ItemDeferred(ItemEvent, event="item.deferred"):
    """An item waits for a server or a limit; it counts as no attempt."""

    why: str
    until: Timestamp | None = None  # the job's deadline, where it has one


class ItemDead(ItemEvent, event="item.dead"):
    """An item was given up: it is a dead letter, and the job goes on without it."""

    error: str


class LeaseLost(ItemEvent, event="lease.lost"):
    """A worker died, or stopped, with an item in hand."""

    times: int


class WebhookSent(EventData, event="webhook.sent"):
    """A webhook was called."""

    status: int  # HTTP
