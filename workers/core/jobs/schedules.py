"""Models of schedules: syncs that repeat at set times."""

from __future__ import annotations

from pydantic import Field

from workers.core.jobs.params import SyncParams
from workers.core.jobs.work import JobState
from workers.core.records import Frozen


class Schedule(Frozen):
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


class Scheduled(Frozen):
    """A schedule as it stands."""

    schedule: Schedule
    due: float | None = None  # seconds since the epoch; None where it is never due again
    last_job: str = ""  # the job that it began last
    last_state: JobState | None = None  # of that job; None where it has expired


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
    """What a schedule began, newest first."""

    runs: tuple[ScheduleRun, ...]
    next: str = ""  # cursor of the page behind this one
