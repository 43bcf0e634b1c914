"""Several jobs under way at a time; none is left running, however it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from workers.core.work import JobState

if TYPE_CHECKING:
    from producer.client import Hopline
    from producer.watch import JobWatch
    from workers.ledger.records import JobRecord

Subject = TypeVar("Subject")
_LOOK_SECONDS = 0.2  # how long one waits for news of the oldest job before all are looked at


def in_flight(
    client: Hopline,
    subjects: Iterable[Subject],
    submit: Callable[[Subject], str],
    *,
    parallel: int,
    patience: float,
) -> Iterator[tuple[Subject, JobRecord]]:
    """Submit a job for each subject, some at a time; yield each with its record as the jobs end.

    What still runs when the caller stops, or Ctrl-C comes, is cancelled.

    Args:
        client: the servers.
        subjects: what the jobs are about.
        submit: hands one over and returns its job's id.
        parallel: how many jobs may be under way at a time.
        patience: seconds that a job may take.

    Raises:
        TimeoutError: a job has not ended within the patience.
    """
    waiting = iter(subjects)
    running: dict[str, tuple[Subject, JobWatch]] = {}
    begun: dict[str, float] = {}
    try:
        while True:
            while len(running) < parallel and (following := next(waiting, None)) is not None:
                job_id = submit(following)
                running[job_id] = (following, client.follow(job_id))
                begun[job_id] = time.monotonic()
            if not running:
                return
            for record in _ended(client, list(running)):
                subject, _watch = running.pop(record.job.id)
                yield subject, record
            _wait(running, begun, patience)
    finally:
        for job_id in running:
            client.cancel(job_id)


def _ended(client: Hopline, job_ids: list[str]) -> Iterator[JobRecord]:
    for job_id in job_ids:
        record = client.job(job_id)
        if record.state is not JobState.RUNNING:
            yield record


def _wait(running: dict[str, tuple[Subject, JobWatch]], begun: dict[str, float], patience: float) -> None:
    if not running:
        return
    job_id, (_subject, watch) = next(iter(running.items()))
    watch.poll(_LOOK_SECONDS)
    if time.monotonic() - begun[job_id] > patience:
        raise TimeoutError(
            f"job {job_id} has not ended within {patience:g} s: `hopline status` shows workers"
        )
