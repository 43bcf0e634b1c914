"""Models of schedules: syncs that repeat at set times, and what became of each time."""

from __future__ import annotations

import time
from typing import Literal, get_args

from pydantic import Field

from hopline.models.base import Frozen
from workers.core.jobs.params import SyncParams
from workers.core.jobs.work import JobState

# Of a time at which nothing was begun. missed: nothing could begin it then; skipped: the schedule's settings.
Unbegun = Literal["missed", "skipped"]
UNBEGUN: tuple[Unbegun, ...] = get_args(Unbegun)
_MINUTE, _YEAR = 60, 31_536_000  # seconds
_KEPT = 100  # of what began nothing


class SchedulePolicy(Frozen):
    """What becomes of a run of a schedule that cannot begin at its time; the names are Temporal's."""

    overlap_policy: Literal["skip", "buffer_one", "cancel_other"] = Field(
        default="skip",
        description="What becomes of a run that is due while the sync before it still runs: skip leaves it "
        "out, buffer_one begins the latest such run when that sync has ended, cancel_other cancels the sync.",
    )
    catchup_window: int = Field(
        default=_YEAR,
        ge=_MINUTE,
        le=_YEAR,
        description="Seconds after its time within which a run may begin late; after that it is missed.",
    )


class Schedule(SchedulePolicy):
    """What is done, and when; kept in Redis by its name."""

    name: str = Field(min_length=1, max_length=100)
    collection: str
    sync: SyncParams  # its hours end what the schedule began: it pauses then, and goes on the next night
    every: str  # five fields, as cron writes them
    zone: str = "UTC"  # of the clock that they are read off
    profile: str = ""  # JSON of the profile: one in the blob store would be forgotten between two nights
    created: float = 0.0  # seconds since the epoch
    tags: dict[str, str] = {}  # of the jobs that it begins
    paused: bool = False  # nothing is begun until it is resumed


class NotBegun(Frozen):
    """One or more times at which a schedule was due and began no sync."""

    due: float  # seconds since the epoch; the first of them
    times: int = 1  # how many; beyond 1,000 in one absence of the beat process they are not counted
    outcome: Unbegun
    reason: str
    at: float = Field(default_factory=time.time)  # when this was recorded, seconds since the epoch


class DueRuns(Frozen):
    """What a schedule is to begin, and the times at which it began nothing.

    At most one run waits: a sync reads its sources as they are, so that one makes up for all before it.
    """

    due: float | None = None  # the run that waits to be begun: seconds since the epoch
    buffered: bool = False  # it waits for the sync before it to end
    noted: float = 0.0  # the latest time that was noted as due
    not_begun: tuple[NotBegun, ...] = ()  # the latest hundred, newest first

    def add(self, due: float, missed: NotBegun | None = None) -> DueRuns:
        """Return these with a run that is due, in place of one that waits still.

        Args:
            due: its time; one that was noted before changes nothing.
            missed: the times before it at which no beat process ran.
        """
        if due <= self.noted:
            return self
        passed = [missed] if missed else []
        if self.due is not None:
            outcome: Unbegun = "skipped" if self.buffered else "missed"
            why = "the sync before it still ran" if self.buffered else "no worker began it"
            passed.append(NotBegun(due=self.due, outcome=outcome, reason=f"{why} until the next was due"))
        return self._having(passed).model_copy(update={"due": due, "buffered": False, "noted": due})

    def begun(self, due: float) -> DueRuns:
        """Return these without a run that was begun, also where it was taken for missed meanwhile."""
        rest = tuple(each for each in self.not_begun if each.due != due)
        waiting = {"due": None, "buffered": False} if self.due == due else {}
        return self.model_copy(update={"not_begun": rest, **waiting})

    def left(self, due: float, outcome: Unbegun, reason: str) -> DueRuns:
        """Return these without a run that is not begun, and say so."""
        if self.due != due:
            return self
        passed = NotBegun(due=due, outcome=outcome, reason=reason)
        return self._having([passed]).model_copy(update={"due": None, "buffered": False})

    def waiting(self, due: float) -> DueRuns:
        """Return these with a run that waits for the sync before it to end."""
        return self.model_copy(update={"buffered": True}) if self.due == due else self

    def count(self, outcome: Unbegun, since: float = 0.0) -> int:
        """Return how many of the kept times had an outcome, of those that were recorded after a moment."""
        return sum(each.times for each in self.not_begun if each.outcome == outcome and each.at >= since)

    def _having(self, passed: list[NotBegun]) -> DueRuns:
        newest = sorted((*passed, *self.not_begun), key=lambda each: -each.due)[:_KEPT]
        return self.model_copy(update={"not_begun": tuple(newest)})


class Scheduled(Frozen):
    """A schedule as it stands."""

    schedule: Schedule
    due: float | None = None  # seconds since the epoch; None where it is never due again
    last_job: str = ""  # the job that it began last
    last_state: JobState | None = None  # of that job; None where it has expired
    waiting: float | None = None  # the time of a run that is due and not begun yet
    buffered: bool = False  # it waits for the sync before it to end
    missed: int = 0  # times, of the latest at which nothing was begun
    skipped: int = 0  # the same


class ScheduleRun(Frozen):
    """A sync that a schedule began."""

    job_id: str
    state: JobState
    created: float  # seconds since the epoch
    ended: float | None = None  # None while it runs
    reason: str = ""  # why it ended so
    calls: int = 0  # of models, its documents' included
    cost: float | None = None


class ScheduleRuns(Frozen):
    """What a schedule began, newest first, and when it was due and began nothing."""

    runs: tuple[ScheduleRun, ...]
    not_begun: tuple[NotBegun, ...] = ()  # newest first; on the first page alone
    next: str = ""  # cursor of the page behind this one
