"""Model calls within a job's budget."""

from __future__ import annotations

from typing import Protocol

from workers.core.work import Usage


class Meter(Protocol):
    """Keeps a job's model use within its budget."""

    def reserve(self, call_id: str, tokens: int, cost: float | None = None, *, calls: int = 1) -> None:
        """Book a call's upper bound before it is sent; raise BudgetExceeded where it does not fit.

        Args:
            call_id: unique per call that is sent over the wire; the same one books once.
            tokens: prompt and completion together, at most.
            cost: at most, in the currency of the prices set; None if unknown.
            calls: that it stands for: a provider's batch is booked as its lines.
        """

    def settle(self, call_id: str, usage: Usage) -> None:
        """Replace the bound by what the call really took."""
