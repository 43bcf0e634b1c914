"""Renews this process's model calls in flight, which count towards the limits of all workers."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from dataclasses import dataclass

import structlog
from redis.commands.core import Script

from workers.core.models.permits import Kind, Line, Permit
from workers.limits.keys import line_keys, line_name

log = structlog.get_logger()

HELD_SECONDS = 15.0  # a call that nobody renews, as its worker died, counts as in flight no longer than this


@dataclass(frozen=True)
class CallInFlight:
    """A call in flight."""

    permit: Permit
    kind: Kind
    until: float  # monotonic seconds: then it cannot be under way any more
    held_seconds: float

    @property
    def held(self) -> int:
        """Milliseconds for which a call counts unless it is renewed."""
        return round(1000 * max(0.0, min(self.held_seconds, self.until - time.monotonic())))


class CallsInFlight:
    """Calls in flight; one instance per process, shared by its threads.

    A call is loose if no limit is set: no other process knows of it. Once its endpoint has refused a call,
    loose ones are counted like all others, and counted calls are renewed by a thread while they are in
    flight.

    Args:
        count: the script that counts them.
        held_seconds: how long a call counts if it is not renewed.
    """

    def __init__(self, count: Script, held_seconds: float = HELD_SECONDS) -> None:
        self._count = count
        self._held_seconds = held_seconds
        self._loose: dict[str, dict[str, CallInFlight]] = defaultdict(dict)  # by line
        self._counted: dict[str, CallInFlight] = {}
        self._lock = threading.Lock()
        self._renewing = False

    def begin(self, permit: Permit, kind: Kind, seconds: float, *, counted: bool) -> None:
        """Record a call that takes at most `seconds`."""
        until = time.monotonic() + seconds
        flight = CallInFlight(permit=permit, kind=kind, until=until, held_seconds=self._held_seconds)
        with self._lock:
            if counted:
                self._keep({permit.call: flight})
            else:
                self._loose[line_name(permit.line)][permit.call] = flight

    def end(self, permit: Permit) -> bool:
        """Remove a call; return whether it was not counted for all workers."""
        with self._lock:
            self._counted.pop(permit.call, None)
            return self._loose[line_name(permit.line)].pop(permit.call, None) is not None

    def count_loose(self, line: Line) -> None:
        """Count the loose calls of a line."""
        with self._lock:  # which holds those back that end meanwhile, so that none is counted after its end
            loose = self._loose[line_name(line)]
            if loose:
                self._tell("begin", list(loose.values()))
                self._keep(loose)
                self._loose.pop(line_name(line))

    def renew_once(self) -> None:
        """Renew counted calls; those that must have ended are left to expire."""
        with self._lock:
            flights = [flight for flight in self._counted.values() if flight.held > 0]
            self._counted = {flight.permit.call: flight for flight in flights}
            self._renewing = bool(flights)
        by_line: dict[str, list[CallInFlight]] = defaultdict(list)
        for flight in flights:
            by_line[line_name(flight.permit.line)].append(flight)
        for some in by_line.values():
            self._tell("renew", some)

    def _keep(self, flights: dict[str, CallInFlight]) -> None:
        self._counted |= flights
        if not self._renewing:
            self._renewing = True
            threading.Thread(target=self._renew_while_needed, name="turn-renewer", daemon=True).start()

    def _renew_while_needed(self) -> None:
        while self._renewing:
            time.sleep(self._held_seconds / 3)
            try:
                self.renew_once()
            except Exception:
                log.exception("turns.not_renewed")

    def _tell(self, verb: str, flights: list[CallInFlight]) -> None:
        parts = [part for flight in flights for part in (flight.kind, flight.permit.call, flight.held)]
        self._count(keys=line_keys(flights[0].permit.line), args=[verb, *parts])
