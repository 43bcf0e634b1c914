"""Ports for rate-limited model calls: who may call an endpoint, and when, across all workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from hopline.models.base import Frozen

# What makes a call wait: requests or tokens per minute, calls in flight, or an endpoint that asked to wait.
RateLimiter = Literal["requests", "tokens", "calls", "pause"]
Came = Literal["done", "busy", "broken", "failed", "unsent"]
Kind = Literal["bulk", "interactive"]  # whether somebody waits for the call
Waited = Callable[[str, float], None]  # a limiter's name and seconds


class Line(Frozen):
    """A model at an endpoint: the unit that limits apply to."""

    endpoint: str  # its address, without a login
    model: str
    kind: Literal["model", "embedding"]  # as its breaker is named


class Cost(Frozen):
    """The maximum number of tokens that a call may take."""

    prompt: int
    completion: int = 0


class Permit(Frozen):
    """A permit that was taken and has to be given back."""

    line: Line
    call: str = ""  # its id; "" where nobody counts calls
    second: int = 0  # of the place, by Redis's clock
    booked: int = 0  # tokens
    cost: Cost = Cost(prompt=0)


class Permits(Protocol):
    """Gives permits to one item's calls."""

    @property
    def waited(self) -> float:
        """Seconds that this item's calls have waited for permits so far."""

    def take(self, line: Line, cost: Cost) -> Permit:
        """Wait for a permit and take it.

        Raises:
            DependencyAway: the wait would be too long; retry_after says when to try again.
        """

    def give(
        self,
        permit: Permit,
        came: Came,
        used: Cost | None = None,
        retry_after: float | None = None,
        away: Exception | None = None,
    ) -> None:
        """Give a permit back.

        Args:
            permit: the permit taken.
            came: outcome of the call: done; busy, if the endpoint is overloaded; broken, if the endpoint is
                out of order; failed, because of the call itself; or unsent.
            used: actual usage of the call, if the endpoint reported it.
            retry_after: seconds that a busy endpoint asks to wait.
            away: reason why no call can succeed: the endpoint cannot be reached or refuses every request.
        """


class NoPermits:
    """Lets every call pass."""

    waited = 0.0

    def take(self, line: Line, cost: Cost) -> Permit:
        """Return a permit that is not counted."""
        return Permit(line=line, cost=cost)

    def give(
        self,
        permit: Permit,
        came: Came,
        used: Cost | None = None,
        retry_after: float | None = None,
        away: Exception | None = None,
    ) -> None:
        """Do nothing."""
