"""Runs an evaluation's jobs in parallel, and cancels them however the wait ends."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Generic, TypeVar

from hopline.errors import NotFound
from hopline.models.jobs import JobState
from workers.core import ids

if TYPE_CHECKING:
    from producer.client.hopline import Hopline
    from producer.client.watch import JobWatch
    from workers.ledger.records import JobRecord

Subject = TypeVar("Subject")
_LOOK_SECONDS = 0.2  # how long one waits for news of the oldest job before all are looked at


@contextmanager
def never_left(client: Hopline) -> Iterator[tuple[str, str]]:
    """Give (idempotency key, job id) for one job; cancel it where the block ends by Ctrl-C or an error.

    The id is known before the job is submitted, so that an interrupt in the middle of that leaves nothing.
    """
    key, job_id = _key()
    try:
        yield key, job_id
    except BaseException:
        _cancel(client, [job_id])
        raise


def in_flight(
    client: Hopline,
    subjects: Iterable[Subject],
    submit: Callable[[Subject, str], object],
    *,
    parallel: int,
    patience: float,
) -> Generator[tuple[Subject, JobRecord], None, None]:
    """Submit a job for each subject, some at a time; yield each with its record as the jobs end.

    What still runs when the generator is closed, or Ctrl-C comes, is cancelled: use it under
    `contextlib.closing`.

    Args:
        client: the servers.
        subjects: what the jobs are about.
        submit: hands one over under the idempotency key that it is given.
        parallel: how many jobs may be under way at a time.
        patience: seconds that a job may take.

    Raises:
        TimeoutError: a job has not ended within the patience.
    """
    waiting = iter(subjects)
    running: dict[str, _Flight[Subject]] = {}
    try:
        while True:
            while len(running) < parallel and (following := next(waiting, None)) is not None:
                key, job_id = _key()
                running[job_id] = _Flight(following, client.follow(job_id))
                submit(following, key)
            if not running:
                return
            for record in _ended(client, list(running)):
                yield running.pop(record.job.id).subject, record
            _wait(running, patience)
    finally:
        _cancel(client, list(running))


class _Flight(Generic[Subject]):
    """A job under way."""

    def __init__(self, subject: Subject, watch: JobWatch) -> None:
        self.subject = subject
        self.watch = watch
        self.begun = time.monotonic()


def _key() -> tuple[str, str]:
    key = f"eval {secrets.token_hex(12)}"
    return key, ids.job_id("", key)


def _cancel(client: Hopline, job_ids: Iterable[str]) -> None:
    for job_id in job_ids:
        with suppress(NotFound):  # it was not submitted yet
            client.cancel(job_id)


def _ended(client: Hopline, job_ids: list[str]) -> Iterator[JobRecord]:
    for job_id in job_ids:
        record = client.job(job_id)
        if record.state is not JobState.RUNNING:
            yield record


def _wait(running: dict[str, _Flight[Subject]], patience: float) -> None:
    if not running:
        return
    job_id, oldest = next(iter(running.items()))
    oldest.watch.poll(_LOOK_SECONDS)
    if time.monotonic() - oldest.begun > patience:
        raise TimeoutError(f"job {job_id} has not ended within {patience:g} s: `hopline status` says more")
