"""Runs an evaluation's jobs in parallel, and cancels them however the wait ends."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from hopline.errors import NotFound
from workers.core import ids

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.results import Job

Subject = TypeVar("Subject")
_LOOK_SECONDS = 0.2  # how long one waits for the end of the oldest job before all are looked at


@contextmanager
def never_left(client: Hopline) -> Iterator[tuple[str, str]]:
    """Yield (idempotency key, job id) for one job; cancel it if the block ends by Ctrl-C or an error.

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
) -> Generator[tuple[Subject, Job], None, None]:
    """Submit a job for each subject, some at a time; yield each with its job as these end.

    What still runs when the generator is closed, or Ctrl-C comes, is cancelled: use it under
    `contextlib.closing`.

    Args:
        client: the servers.
        subjects: subjects of the jobs.
        submit: hands one over under the idempotency key that it is given.
        parallel: how many jobs may be under way at a time.
        patience: seconds that a job may take.

    Raises:
        TimeoutError: a job has not ended within the patience.
    """
    waiting = iter(subjects)
    running: dict[str, tuple[Subject, float]] = {}  # subject and when it was begun, by job id
    try:
        while True:
            while len(running) < parallel and (following := next(waiting, None)) is not None:
                key, job_id = _key()
                running[job_id] = following, time.monotonic()
                submit(following, key)
            if not running:
                return
            for job in _ended(client, list(running)):
                yield running.pop(job.id)[0], job
            _wait(client, running, patience)
    finally:
        _cancel(client, list(running))


def _key() -> tuple[str, str]:
    key = f"eval-{secrets.token_hex(12)}"
    return key, ids.job_id("", key)


def _cancel(client: Hopline, job_ids: Iterable[str]) -> None:
    for job_id in job_ids:
        with suppress(NotFound):  # it was not submitted yet
            client.jobs.cancel(job_id)


def _ended(client: Hopline, job_ids: list[str]) -> Iterator[Job]:
    for job_id in job_ids:
        job = client.jobs.get(job_id)
        if job.state.is_terminal:
            yield job


def _wait(client: Hopline, running: Mapping[str, tuple[Subject, float]], patience: float) -> None:
    if not running:
        return
    job_id, (_, begun) = next(iter(running.items()))
    client.jobs.get(job_id, wait=_LOOK_SECONDS)
    if time.monotonic() - begun > patience:
        raise TimeoutError(f"job {job_id} has not ended within {patience:g} s: `hopline status` says more")
