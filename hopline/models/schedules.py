"""Schedules of syncs."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Literal

from pydantic import Field

from hopline.models.base import Frozen, Page
from hopline.models.jobs import JobState
from hopline.models.params import SyncParams
from hopline.models.times import OptionalTimestamp, Timestamp

# Of a time at which nothing was begun. missed: nothing could begin it then; skipped: the schedule's settings.
Unbegun = Literal["missed", "skipped"]

_MINUTE, _YEAR = 60, 31_536_000  # seconds


class SchedulePolicy(Frozen):
    """Policy for a run of a schedule that cannot begin at its time; the names are Temporal's."""

    overlap_policy: Literal["skip", "buffer_one", "cancel_other"] = Field(
        default="skip",
        description="How to treat a run that is due while the previous sync still runs: skip leaves it "
        "out, buffer_one starts the latest such run when that sync has ended, cancel_other cancels that "
        "sync.",
    )
    catchup_window: int = Field(
        default=_YEAR,
        ge=_MINUTE,
        le=_YEAR,
        description="Longest delay in seconds with which a run may start; later it counts as missed.",
    )


class Schedule(SchedulePolicy):
    """A repeated action and its times, stored in Redis under its name."""

    name: str = Field(min_length=1, max_length=100)
    collection: str
    sync: SyncParams  # its hours end what the schedule began: it pauses then, and goes on the next night
    every: str  # five fields, as cron writes them
    zone: str = "UTC"  # of the clock that they are read off
    profile: str = ""  # JSON of the profile: one in the blob store would be forgotten between two nights
    created: OptionalTimestamp = None
    tags: dict[str, str] = {}  # of the jobs that it begins
    paused: bool = False  # nothing is begun until it is resumed


class NotBegun(Frozen):
    """One or more times at which a schedule was due but started no sync."""

    due: Timestamp  # the first of them
    times: int = 1  # how many; beyond 1,000 in one absence of the beat process they are not counted
    outcome: Unbegun
    reason: str
    at: Timestamp = Field(default_factory=partial(datetime.now, UTC))  # when this was recorded


class Scheduled(Frozen):
    """A schedule with its current status."""

    schedule: Schedule
    due: Timestamp | None = None  # None where it is never due again
    last_job: str = ""  # the job that it began last
    last_state: JobState | None = None  # of that job; None where it has expired
    waiting: Timestamp | None = None  # the time of a run that is due and not begun yet
    buffered: bool = False  # it waits for the sync before it to end
    missed: int = 0  # times, of the latest at which nothing was begun
    skipped: int = 0  # the same


class ScheduleRun(Frozen):
    """A sync that a schedule started."""

    job_id: str
    state: JobState
    created: Timestamp
    ended: Timestamp | None = None  # None while it runs
    reason: str = ""  # why it ended so
    calls: int = 0  # of models, its documents' included
    cost: float | None = None


class ScheduleRuns(Page):
    """Syncs that a schedule started, newest first, and times at which it was due but started none."""

    runs: tuple[ScheduleRun, ...]
    not_begun: tuple[NotBegun, ...] = ()  # newest first; on the first page alone


class ScheduleList(Page):
    """Schedules by name."""

    schedules: list[Scheduled]
    watched: bool  # a beat process runs, which begins what is due
