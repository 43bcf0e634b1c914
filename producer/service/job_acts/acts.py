"""Acts on many jobs: which are meant, and what became of each."""

from __future__ import annotations

from collections.abc import Callable

from hopline.errors import HoplineError, InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import JobFilter, JobsActed, JobState, RefusedJob, Verb
from producer.reports.outcomes import QUERY_KIND
from producer.service.job_acts.replays import Change, can_replay
from workers.core.jobs.records import JobRecord, Wanted

MOST_JOBS = 2000  # that one call lists or acts on


def narrowed(meant: JobFilter, verb: Verb) -> JobFilter:
    """Return which of the jobs that are meant an act is for: to replay, questions.

    Raises:
        InvalidInput: every job is meant.
    """
    if not any(meant.values()):
        raise InvalidInput("filter", {}, "at least one of: " + ", ".join(JobFilter.__annotations__))
    if verb == "replay" and meant.get("kind") is None:
        return {**meant, "kind": QUERY_KIND}
    return meant


def wanted(meant: JobFilter) -> Wanted:
    """Return a filter as the ledger takes it.

    Raises:
        InvalidInput: there is no such kind of job, or no such step.
    """
    from workers.flows.registry import check_names

    check_names(meant.get("kind"), meant.get("step"))
    collection, since, until = meant.get("collection"), meant.get("since"), meant.get("until")
    return Wanted(
        state=meant.get("state"),
        kind=meant.get("kind"),
        since=since.timestamp() if since else None,
        until=until.timestamp() if until else None,
        tags=meant.get("tags", {}),
        step=meant.get("step"),
        error=meant.get("error"),
        collections=frozenset({collection}) if collection else None,
    )


class FittingJobs(Frozen):
    """The newest jobs that an act fits, of all."""

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
        raise InvalidInput("params", change.params, f"left out with {verb}: only a replay changes parameters")
    if change.key:
        raise InvalidInput("key", change.key, f"left out with {verb}: only a replay has a key")


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
