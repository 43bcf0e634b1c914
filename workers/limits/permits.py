"""Permits for one item's model calls; the waiting time is limited, and counted on the item's job."""

from __future__ import annotations

import threading

from workers.core.models.permits import Came, Cost, Kind, Line, Permit, Waited
from workers.limits.breakers import Breakers
from workers.limits.rate_limiter import RateLimiter
from workers.telemetry.metrics import COUNTS
from workers.telemetry.traces.leaf import note_wait

# Seconds that an item waits in all, holding its lease: far less than the broker's visibility timeout of 120.
PATIENCE = 20.0


class ItemPermits:
    """The permits of one item, whose model is called from one or two threads.

    Args:
        limiter: applies the limits.
        breakers: informed whether an endpoint answered, or is unavailable.
        report_wait: called with the limiter and the time it made the item wait.
        bulk: whether the item is bulk work, for which nobody waits.
        patience: total seconds that its calls may wait.
    """

    def __init__(
        self,
        limiter: RateLimiter,
        breakers: Breakers,
        report_wait: Waited,
        *,
        bulk: bool,
        patience: float = PATIENCE,
    ) -> None:
        self._limiter = limiter
        self._breakers = breakers
        self._kind: Kind = "bulk" if bulk else "interactive"
        self._report_wait = report_wait
        self._patience = patience
        self._waited = 0.0
        self._lock = threading.Lock()

    @property
    def waited(self) -> float:
        """Seconds that this item's calls have waited so far."""
        return self._waited

    def take(self, line: Line, cost: Cost) -> Permit:
        """Wait for a permit and take it."""
        left = max(0.0, self._patience - self._waited)
        return self._limiter.take(line, cost, self._kind, left, self._note)

    def give(
        self,
        permit: Permit,
        came: Came,
        used: Cost | None = None,
        retry_after: float | None = None,
        away: Exception | None = None,
    ) -> None:
        """Release the permit."""
        if away is not None:
            self._breakers.met(away, (permit.line.kind,))
        if came == "done":
            self._breakers.passed((permit.line.kind,))
        elif came == "broken" and self._kind == "bulk":
            self._breakers.broke(permit.line.kind)
        self._limiter.give(permit, self._kind, came, used, retry_after)

    def _note(self, limiter: str, seconds: float) -> None:
        with self._lock:
            self._waited += seconds
        self._report_wait(limiter, seconds)
        note_wait("permit", seconds, {"hopline.limiter": limiter})
        COUNTS.count("hopline_turn_seconds", limiter, self._kind, by=seconds)
