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
    """One model at one endpoint: what limits are kept for."""

    endpoint: str  # its address, without a login
    model: str
    kind: Literal["model", "embedding"]  # as its breaker is named


class Cost(Frozen):
    """The most that a call may take, in tokens."""

    prompt: int
    completion: int = 0


class Permit(Frozen):
    """A place that was taken, to be given back."""

    line: Line
    call: str = ""  # its id; "" where nobody counts calls
    second: int = 0  # of the place, by Redis's clock
    booked: int = 0  # tokens
    cost: Cost = Cost(prompt=0)


class Permits(Protocol):
    """Gives permits to one item's calls."""

    @property
    def waited(self) -> float:
        """Seconds that this item's calls have waited so far."""

    def take(self, line: Line, cost: Cost) -> Permit:
        """Wait for a permit and take it.

        Raises:
            DependencyAway: it would take too long; retry_after says when to come again.
        """

    def give(
        self,
        permit: Permit,
        came: Came,
        used: Cost | None = None,
        retry_after: float | None = None,
        away: Exception | None = None,
    ) -> None:
        """Give it back.

        Args:
            permit: that was taken.
            came: done; busy, refused by an endpoint that is asked too much; broken, as of an endpoint that is
                out of order; failed for what the call itself is; or unsent.
            used: what the call took, where the endpoint said so.
            retry_after: seconds that a busy endpoint asks to wait.
            away: why no call can succeed: nobody listens, or every request is refused.
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
