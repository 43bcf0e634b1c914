"""Acts on many jobs: selects them, and returns the result for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hopline.errors import HoplineError, InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import JobFilter, JobsActed, JobState, RefusedJob, Verb
from producer.reports.outcomes import QUERY_KIND
from producer.service.job_acts.replays import Change, can_replay
from workers.core.jobs.records import JobRecord, Wanted

MOST_JOBS = 2000  # that one call lists or acts on


def narrowed(meant: JobFilter, verb: Verb) -> JobFilter:
    """Return a filter narrowed to the jobs that an act applies to: only questions can be replayed.

    Raises:
        InvalidInput: the filter matches every job.
    """
    if not any(meant.values()):
        raise InvalidInput("filter", {}, "at least one of: " + ", ".join(JobFilter.__annotations__))
    if verb == "replay" and meant.get("kind") is None:
        return {**meant, "kind": QUERY_KIND}
    return meant


def wanted(meant: JobFilter) -> Wanted:
    """Return a filter in the ledger's form.

    Raises:
        InvalidInput: there is no such kind of job, or no such step.
    """
    from workers.flows.registry import check_names

    check_names(meant.get("kind"), meant.get("step"))
    fields: dict[str, Any] = {name: value for name, value in meant.items() if value is not None}
    if collection := fields.pop("collection", None):
        fields["collections"] = frozenset({collection})
    for name in {"since", "until"} & fields.keys():
        fields[name] = fields[name].timestamp()
    return Wanted(**fields)


class FittingJobs(Frozen):
    """The newest jobs that allow an act, and their total number."""

    records: tuple[JobRecord, ...]
    matched: int


def fits(verb: Verb, record: JobRecord) -> bool:
    """Return whether a job allows an act: it runs, has something to retry, or can be replayed.

    Documents of a batch are handled with their batch.
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
    """Check that parameters and a key are given only for a replay.

    Raises:
        InvalidInput: they are given for another act.
    """
    if verb == "replay":
        return
    if change.params:
        raise InvalidInput("params", change.params, f"left out with {verb}: only a replay changes parameters")
    if change.key:
        raise InvalidInput("key", change.key, f"left out with {verb}: only a replay has a key")


def act_on(fitting: FittingJobs, verb: Verb, do: Callable[[JobRecord], str], *, dry_run: bool) -> JobsActed:
    """Act on jobs, oldest first; a refused job does not stop the others.

    New jobs may push the oldest ones off the bounded list of jobs. Since the oldest are handled first,
    repeating the act finds the others.

    Args:
        fitting: jobs that allow the act, newest first.
        verb: the act.
        do: performs it on one job, and returns the id of the resulting job.
        dry_run: only list the jobs.
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
