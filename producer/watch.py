"""Follow a job's events until it has ended, whatever happens to the connection meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from workers.core.errors import DependencyAway, Gone
from workers.core.work import Event, JobState

if TYPE_CHECKING:
    from workers.ledger.ledger import Ledger

BLOCK_SECONDS = 1.0  # one poll waits at most this long for news
PATIENCE_SECONDS = 60.0  # a Redis that is away for longer is reported
_BACKOFF_SECONDS = 0.3
_AWAY = (RedisConnectionError, RedisTimeoutError, DependencyAway)

Got = TypeVar("Got")


class JobWatch:
    """A position in a job's stream of events.

    Args:
        ledger: where the job is recorded.
        job_id: the job to follow.
        timeout: seconds after which `poll` raises TimeoutError; None waits for as long as it takes.
        patience: seconds without Redis after which its error is raised.
    """

    def __init__(
        self, ledger: Ledger, job_id: str, *, timeout: float | None = None, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._ledger = ledger
        self._job_id = job_id
        self._timeout = timeout
        self._patience = patience
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._heard = time.monotonic()
        self._after = "0"
        self._draining = False
        self.ended = False

    def __iter__(self) -> Iterator[Event]:
        """Yield every event once, in order, until the job has ended."""
        while not self.ended:
            yield from self.poll()

    def poll(self, block: float = BLOCK_SECONDS) -> list[Event]:
        """Return the events since the last poll; wait up to `block` seconds for one.

        Raises:
            Gone: the job is unknown, or has expired.
            TimeoutError: the job is still running at the deadline.
            DependencyAway: Redis was away for longer than the patience.
        """
        wait = None if self._draining else block
        batch = self._attempt(lambda: self._ledger.events(self._job_id, self._after, block=wait))
        if batch is None:
            return []
        if batch:
            self._after = batch[-1][0]
        else:
            self.ended = self._has_ended()
        events = [event for _, event in batch]
        # An end is believed only when nothing follows it: a retried job has an older end in its stream.
        self._draining = any(event.name == "job.ended" for event in events)
        if not self.ended and self._deadline is not None and time.monotonic() > self._deadline:
            raise TimeoutError(f"job {self._job_id} has not ended within {self._timeout:g} s; it goes on")
        return events

    def _has_ended(self) -> bool:
        record = self._attempt(lambda: (self._ledger.job(self._job_id),))
        if record is None:
            return False
        if record[0] is None:
            raise Gone(f"no job {self._job_id}: it never was, or its record has expired")
        return JobState(record[0].state) is not JobState.RUNNING

    def _attempt(self, read: Callable[[], Got]) -> Got | None:
        """Return what was read, or None after a pause where Redis does not answer."""
        try:
            got = read()
        except _AWAY as error:
            if time.monotonic() - self._heard > self._patience:
                raise DependencyAway(f"Redis has not answered for {self._patience:g} s: {error}") from error
            time.sleep(_BACKOFF_SECONDS)
            return None
        self._heard = time.monotonic()
        return got
