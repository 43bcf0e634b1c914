"""Acts on many jobs: which are meant, and what became of each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pydantic import Field

from hopline.errors import HoplineError, InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import JobsActed, JobState, RefusedJob, Verb
from hopline.models.tags import Tags
from producer.reports.outcomes import QUERY_KIND
from producer.service.job_acts.replays import Change, can_replay
from workers.ledger.records import JobRecord, Wanted

MOST_JOBS = 2000  # that one call lists or acts on


class JobFilter(Frozen):
    """Which jobs are meant; what is None or empty is not asked for."""

    state: JobState | None = None
    kind: str | None = Field(default=None, max_length=50)
    collection: str | None = None
    tags: Tags = {}  # all of them, with these values
    step: str | None = Field(default=None, max_length=100)  # that they have come to
    error: str | None = Field(default=None, max_length=200)  # a part of what went wrong
    since: datetime | None = None  # submitted then or later
    until: datetime | None = None  # submitted then or before

    @property
    def is_empty(self) -> bool:
        """Whether it means every job."""
        return not self.model_dump(exclude_defaults=True)

    def of(self, verb: Verb) -> JobFilter:
        """Return which jobs of these an act is for: cancelled are those that run, replayed are questions.

        Raises:
            InvalidInput: it means every job.
        """
        if self.is_empty:
            raise InvalidInput("filter", {}, "at least one of: " + ", ".join(JobFilter.model_fields))
        if verb == "cancel" and self.state is None:
            return self.model_copy(update={"state": JobState.RUNNING})
        if verb == "replay" and self.kind is None:
            return self.model_copy(update={"kind": QUERY_KIND})
        return self

    def wanted(self) -> Wanted:
        """Return the same for the ledger; a time without a zone is this machine's."""
        return Wanted(
            state=self.state,
            kind=self.kind,
            since=self.since.timestamp() if self.since else None,
            until=self.until.timestamp() if self.until else None,
            tags=self.tags,
            step=self.step,
            error=self.error,
            collections=frozenset({self.collection}) if self.collection else None,
        )


class FittingJobs(Frozen):
    """The newest jobs that an act fits, of all that there are."""

    records: tuple[JobRecord, ...]
    matched: int


def fits(verb: Verb, record: JobRecord) -> bool:
    """Return whether there is something to do with a job: it runs, something can be retried, or replayed.

    A document of a batch goes with its batch.
    """
    if record.parent is not None:
        return False
    if verb == "cancel":
        return record.ended is None
    if verb == "replay":
        return can_replay(record)
    return record.ended is not None and (
        record.dead > 0 or record.state in (JobState.FAILED, JobState.PARTIAL)
    )


def check_change(verb: Verb, change: Change) -> None:
    """Check that only a replay changes anything.

    Raises:
        InvalidInput: another act would.
    """
    if verb == "replay":
        return
    if change.params:
        raise InvalidInput("params", change.params, f"nothing with {verb}: only a replay changes parameters")
    if change.key:
        raise InvalidInput("key", change.key, f"nothing with {verb}: only a replay has a key")


def act_on(fitting: FittingJobs, verb: Verb, do: Callable[[JobRecord], str], *, dry_run: bool) -> JobsActed:
    """Act on jobs, the oldest first; one that is refused stops no other.

    What an act submits may push the oldest off the list of jobs, which is bounded: these are done by then, so
    that the same act again finds the others.

    Args:
        fitting: jobs that the act fits, the newest first.
        verb: what is done.
        do: does it with one of them, and returns the id of the job that shows it.
        dry_run: only say which these are.
    """
    if dry_run:
        names = tuple(record.job.id for record in fitting.records)
        return JobsActed(verb=verb, dry_run=True, matched=fitting.matched, jobs=names)
    done, refused = list[str](), list[RefusedJob]()
    for record in reversed(fitting.records):
        try:
            done.append(do(record))
        except HoplineError as error:
            refused.append(RefusedJob(id=record.job.id, reason=str(error)))
    return JobsActed(
        verb=verb,
        dry_run=False,
        matched=fitting.matched,
        done=len(done),
        jobs=tuple(done),
        refused=tuple(refused),
    )
