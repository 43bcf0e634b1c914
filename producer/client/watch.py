"""Follows a job's events until its end, across lost connections."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from hopline.errors import DependencyAway
from workers.core.jobs.work import Event

BLOCK_SECONDS = 1.0  # one poll waits at most this long for news
PATIENCE_SECONDS = 60.0  # a server that is away for longer is reported
BACKOFF_SECONDS = 0.3  # from a read that failed to the next
_AWAY = (RedisConnectionError, RedisTimeoutError, DependencyAway)

Got = TypeVar("Got")


class Feed(Protocol):
    """The events of one job, for one reader."""

    def read(self, after: str, block: float | None) -> list[tuple[str, Event]]:
        """Return (id, event) after an id, oldest first; "0" is before the first.

        Args:
            after: the id that was read last.
            block: seconds to wait for the first one; None does not wait.

        Raises:
            DependencyAway: the server does not answer just now; what was read is not lost.
            NotFound: the job is unknown, or has expired.
        """

    def has_ended(self) -> bool:
        """Return whether the job has ended; called when no more events arrive.

        Raises: as `read`.
        """


class JobWatch:
    """A position in a job's stream of events.

    Args:
        feed: the job's events.
        job_id: the job to follow.
        timeout: seconds after which `poll` raises TimeoutError; None waits for as long as it takes.
        patience: seconds without the server after which its error is raised.
        backoff: seconds from a read that failed to the next.
    """

    def __init__(
        self,
        feed: Feed,
        job_id: str,
        *,
        timeout: float | None = None,
        patience: float = PATIENCE_SECONDS,
        backoff: float = BACKOFF_SECONDS,
    ) -> None:
        self._feed = feed
        self._job_id = job_id
        self._timeout = timeout
        self._patience = patience
        self._backoff = backoff
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
        """Return the events since the last poll; see `poll_entries`."""
        return [event for _, event in self.poll_entries(block)]

    def poll_entries(self, block: float = BLOCK_SECONDS) -> list[tuple[str, Event]]:
        """Return the events since the last poll with their ids; wait up to `block` seconds for one.

        Raises:
            NotFound: the job is unknown, or has expired.
            TimeoutError: the job is still running at the deadline.
            DependencyAway: the server was away for longer than the patience.
        """
        wait = None if self._draining else block
        batch = self._attempt(lambda: self._feed.read(self._after, wait))
        if batch is None:
            return []
        if batch:
            self._after = batch[-1][0]
        else:
            self.ended = self._has_ended()
        # An end is believed only when nothing follows it: a retried job has an older end in its stream.
        self._draining = any(event.name == "job.ended" for _, event in batch)
        if not self.ended and self._deadline is not None and time.monotonic() > self._deadline:
            raise TimeoutError(f"job {self._job_id} has not ended within {self._timeout:g} s; it goes on")
        return batch

    def _has_ended(self) -> bool:
        """Return whether the job has ended; False if the server does not answer."""
        return self._attempt(self._feed.has_ended) or False

    def _attempt(self, read: Callable[[], Got]) -> Got | None:
        """Return the result of a read, or None after a pause if the server does not answer."""
        try:
            got = read()
        except _AWAY as error:
            if time.monotonic() - self._heard > self._patience:
                raise DependencyAway(f"no answer for {self._patience:g} s: {error}") from error
            time.sleep(self._backoff)
            return None
        self._heard = time.monotonic()
        return got
