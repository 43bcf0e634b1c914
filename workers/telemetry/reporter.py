"""The reporter thread: publishes this process's counts and its presence."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

import redis
import structlog

from workers.telemetry.metrics import COUNTS
from workers.telemetry.presence import leave, stay, tell_settings

log = structlog.get_logger()

_INTERVAL = 1.0  # seconds
_TELL_SECONDS = 60.0


class Reporter:
    """Reports to Redis once a second, and a last time when it is stopped.

    Args:
        client: a Redis client with short timeouts; unsent data are reported later.
        queue: queue of this process, if it is a worker.
        worker: its name among those of the queue.
        sees_store: asked whether it sees the blob store of the others.
        digests: digests of the settings that it runs with.
    """

    def __init__(
        self,
        client: redis.Redis,
        queue: str = "",
        worker: str = "",
        sees_store: Callable[[], bool] = lambda: True,
        digests: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._client = client
        self._digests = digests
        self._last_told = -_TELL_SECONDS  # time.monotonic() when it last said with which settings it runs
        self._queue = queue
        self._worker = worker
        self._sees_store = sees_store
        self._stop = threading.Event()
        self._leaving = threading.Event()

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._report_for_ever, name="reporter", daemon=True).start()

    def leave(self) -> None:
        """Stop taking work, and report so next time; does nothing else, so that a signal may call it."""
        self._leaving.set()

    def stop(self) -> None:
        """Report a last time, that this process is leaving."""
        self._stop.set()
        self._leaving.set()
        self.report()

    def report(self) -> None:
        """Report once; a failure is logged and made up for by the next report."""
        try:
            if self._queue and self._leaving.is_set():
                leave(self._client, self._queue, self._worker)
            elif self._queue:
                stay(self._client, self._queue, self._worker, sees_store=self._sees_store())
                self._tell_settings()
            COUNTS.flush(self._client)
        except redis.RedisError as error:
            log.warning("report.failed", error=str(error))

    def _tell_settings(self) -> None:
        if time.monotonic() - self._last_told >= _TELL_SECONDS:
            tell_settings(self._client, self._worker, self._digests)
            self._last_told = time.monotonic()

    def _report_for_ever(self) -> None:
        self.report()
        while not self._stop.wait(_INTERVAL):
            self.report()
