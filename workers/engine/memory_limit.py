"""Makes each process wait while Redis is out of memory and nothing can be recorded."""

from __future__ import annotations

import threading
import time

import redis
import structlog

log = structlog.get_logger()

_PROBE = "hop:probe"  # is written to see whether anything can be
_LONGEST_SECONDS = 8.0  # less than a lease, so that a thread that waits is soon back
# Its memory is full; or it cannot write its files (the disk is full), or has fewer replicas than it must have
# (min-replicas-to-write), and takes nothing in before it can.
_SAYS = ("used memory > 'maxmemory'", "MISCONF", "NOREPLICAS")


def is_full(error: Exception) -> bool:
    """Return whether Redis refuses all writes."""
    return isinstance(error, redis.ResponseError) and any(word in str(error) for word in _SAYS)


class MemoryLimit:
    """This process's breaker for a full Redis; shared by its threads.

    Args:
        first_seconds: seconds before the first new attempt; doubles with every attempt.
    """

    def __init__(self, first_seconds: float = 1.0) -> None:
        self._first_seconds = first_seconds
        self._until = 0.0
        self._wait = first_seconds
        self._lock = threading.Lock()

    def stand_back(self, client: redis.Redis) -> None:
        """Wait until a new attempt is allowed, and make it; return immediately if there is no problem.

        Raises:
            redis.ResponseError: Redis is still full.
        """
        if not self._until:
            return
        if (left := self._until - time.monotonic()) > 0:
            time.sleep(left)
        client.set(_PROBE, "1", px=1000)
        if self._until:
            self._until, self._wait = 0.0, self._first_seconds
            log.info("breaker.closed", dependency="redis")

    def met(self, error: Exception) -> bool:
        """Record that Redis is full; return False if the error is another one."""
        if not is_full(error):
            return False
        with self._lock:
            now = time.monotonic()
            if now >= self._until:
                if not self._until:
                    log.error("breaker.opened", dependency="redis", why=str(error))
                self._until = now + self._wait
                self._wait = min(_LONGEST_SECONDS, 2 * self._wait)
        return True
