"""Meters model calls against a job's budget."""

from __future__ import annotations

from typing import Protocol

from hopline.models.jobs import Usage
from workers.core.errors import BudgetExceeded


class Meter(Protocol):
    """Keeps a job's model use within its budget."""

    def reserve(
        self,
        call_id: str,
        tokens: int,
        cost: float | None = None,
        *,
        calls: int = 1,
        epoch: int | None = None,
    ) -> None:
        """Reserve a call's upper bound before it is sent; raise BudgetExceeded if it exceeds the budget.

        Args:
            call_id: unique per call that is sent over the wire; the same one books once.
            tokens: prompt and completion together, at most.
            cost: at most, in the currency of the prices set; None if unknown.
            calls: that it stands for: a provider's batch is booked as its lines.
            epoch: of the job whose booking outlives its worker: once settled, it is not booked again in this
                epoch, but raises Conflict. None for a call, which is over, or lost, within minutes.
        """

    def settle(self, call_id: str, usage: Usage, *, model: str = "", epoch: int | None = None) -> None:
        """Replace the bound by what the call really took.

        Args:
            call_id: as it was booked.
            usage: what it took.
            model: that was called.
            epoch: as it was booked.
        """


class CallBound:
    """Lets a number of model calls through to another meter, and counts them.

    Args:
        meter: that they are metered by.
        calls: how many; one that the endpoint did not take is none.
    """

    def __init__(self, meter: Meter, calls: int) -> None:
        self._meter = meter
        self._calls = self.left = calls

    @property
    def made(self) -> int:
        """Number of calls made, repairs included."""
        return self._calls - self.left

    def reserve(
        self,
        call_id: str,
        tokens: int,
        cost: float | None = None,
        *,
        calls: int = 1,
        epoch: int | None = None,
    ) -> None:
        """Reserve a call; raise BudgetExceeded where all have been made."""
        if calls > self.left:
            raise BudgetExceeded(f"the bound of {self._calls} model calls is reached")
        self._meter.reserve(call_id, tokens, cost, calls=calls, epoch=epoch)
        self.left -= calls

    def settle(self, call_id: str, usage: Usage, *, model: str = "", epoch: int | None = None) -> None:
        """Settle a call; one that took nothing gives its place back."""
        self._meter.settle(call_id, usage, model=model, epoch=epoch)
        self.left += usage.model_calls == 0
