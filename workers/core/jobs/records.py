"""Arguments and results of the ledger's operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from hopline.models.base import Frozen
from hopline.models.jobs import Budget, JobState, Json, Parent, Priority, Usage
from hopline.models.tags import has_tags
from workers.core.jobs.work import Job, Outcome

Verdict = Literal["done", "gone", "later", "busy", "go"]
# Step -> a job's priority -> when the oldest message that waits for them was sent, in ms since the epoch.
Backlog = Mapping[str, Mapping[Priority, int]]


class Config(Frozen):
    """The ledger's times and limits; stored with each job, so that all its workers agree."""

    lease_seconds: float = 10.0
    resend_seconds: float = 5.0
    resend_cap_seconds: float = 120.0
    backoff_seconds: float = 1.0
    grace_seconds: float = 15.0  # from a job's deadline to its hard deadline
    max_attempts: int = 6
    longest_hold_seconds: float = 3600.0  # of a back-off, and of what a server asks for
    keep_seconds: float = 86400.0  # finished jobs expire after this
    delegated_seconds: float = 30.0  # how often the watchdog looks at the child of a delegated item


class Claim(Frozen):
    """An item and the lease that a worker has on it."""

    job_id: str
    epoch: int
    item_id: str
    token: str

    def on(self, item_id: str) -> Claim:
        """Return a claim on another item of the job that the ledger leased with the same token."""
        return self.model_copy(update={"item_id": item_id})

    def args(self) -> list[str | int]:
        """Return the arguments that every script on an item starts with."""
        return [self.epoch, self.item_id, self.token]


class Finished(Frozen):
    """A finished item, to be recorded."""

    claim: Claim
    outcome: Outcome
    seconds: float
    usage: Usage


class Begun(Frozen):
    """The reply to begin; only `go` includes the item."""

    verdict: Verdict
    step: str = ""
    phase: int = 0
    input: Json = {}
    tries: int = 0
    job: Job | None = None  # where the spec was asked for
    lost: str = ""  # the step of the item, where its lease was found lost
    died: bool = False  # it was given up for that


class Moved(Frozen):
    """Follow-up work that a change of state leaves to the caller."""

    verdict: str
    advance: str = ""  # the item that advances the flow, leased to the caller
    cursor: int = -1  # where to go on admitting, -1 for no room
    added: tuple[str, ...] = ()  # ids of the items that are new
    results: int = 0  # of the job, that are in Redis; 0 where they were not counted, as for most items
    # Where a child's end has finished a delegated item:
    pages: int = 0  # of results that have left it
    done: int = 0  # items of the step
    failed: int = 0  # of these, by children that failed; 0 once the job was doubted for it


class Page(Frozen):
    """A page of results that have left Redis: a JSON list of {item, step, line, again} in the blob store.

    `again` is the item's input if a retry must run it again, else null.
    """

    phase: int
    reference: str
    counts: dict[str, int]  # how many of each status
    dead: int = 0  # of these, to be done again by a retry


class Due(Frozen):
    """An item for the watchdog to send again."""

    item_id: str
    step: str
    quarantined: bool = False


class Look(Frozen):
    """The watchdog's findings about one job."""

    verdict: Literal["missing", "ended", "running", "broken"]
    epoch: int = 0
    attention: Literal["none", "close", "cut"] = "none"
    phase: int = 0
    cursor: int = -1
    send: tuple[Due, ...] = ()
    delegated: tuple[tuple[str, str], ...] = ()  # item, child job
    outbox: dict[str, str] = {}
    error: str = ""  # of a broken one: its record cannot be read
    lost: tuple[tuple[str, bool], ...] = ()  # the step of each lost lease, and whether its item was given up


class JobRecord(Frozen):
    """The data of a job that is of interest to people and services."""

    job: Job
    state: JobState  # as stored: never queued
    phase: int
    epoch: int
    created: float  # seconds since the epoch
    ended: float | None
    items: dict[str, int]  # step -> items admitted
    done: dict[str, int]  # step -> items done
    timings: dict[str, float]  # step -> seconds, summed over its items
    usage: Usage
    budget: Budget
    leases_lost: int
    dead: int
    dropped: int
    closed_for: str | None
    waits_for: str | None = None  # why its newest item was put off, where none was done since
    deadline: float | None = None  # until which it waits at most; seconds since the epoch
    outcome: Json | None
    parent: Parent | None = None
    window: int = 200  # items of the phase that may be in flight
    paged: bool = False  # results have left Redis in pages
    first_epoch: int = 1  # that it was created in
    hours: tuple[str, str] | None = None  # that it may run at, and their zone, where they were set again
    models: dict[str, Usage] = {}  # model -> its part of the usage, of a job that pays for its own calls
    hours_free: float = 0.0  # until then it may run at any hour, in seconds since the epoch
    has_begun: bool = True  # a worker has taken an item of it, now or before

    @property
    def run(self) -> int:
        """Number of times the job was opened."""
        return self.epoch - self.first_epoch + 1

    @property
    def told_state(self) -> JobState:
        """The state shown to users: a running job counts as queued until its first item has started."""
        return self.state if self.state is not JobState.RUNNING or self.has_begun else JobState.QUEUED


class Wanted(Frozen):
    """Filters for listing jobs; fields that are None or empty do not filter."""

    caller: str = ""  # the id of an API key
    state: JobState | None = None  # as reported
    is_open: bool = False  # it has not ended
    kind: str | None = None
    since: float | None = None  # submitted then or later; seconds since the epoch
    until: float | None = None  # submitted then or before
    tags: dict[str, str] = {}  # all of them, with these values
    step: str | None = None  # an item of it was admitted
    error: str | None = None  # in what its end or a dead letter says, in letters of any case
    collections: frozenset[str] | None = None
    principals: frozenset[str] | None = None  # asked in exactly their name

    def fits(self, record: JobRecord) -> bool:
        """Return whether a job's record passes these filters; errors are not checked."""
        return (
            self.state in (None, record.told_state)
            and not (self.is_open and record.ended is not None)
            and self.kind in (None, record.job.kind)
            and (self.since is None or record.created >= self.since)
            and (self.until is None or record.created <= self.until)
            and has_tags(record.job.tags, self.tags)
            and (self.step is None or self.step in record.items)
            and (self.collections is None or record.job.collection in self.collections)
            and (self.principals is None or self.principals == frozenset(record.job.principals or ()))
        )
