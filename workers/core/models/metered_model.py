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
            call_id: unique per call sent over the wire; repeating it reserves nothing more.
            tokens: maximum number of prompt and completion tokens.
            cost: maximum cost in the currency of the configured prices; None if unknown.
            calls: number of calls it counts as: a provider's batch counts as its lines.
            epoch: epoch of the job, for a reservation that outlives its worker: once settled, reserving it
                again in this epoch raises Conflict. None for a call that ends, or is lost, within minutes.
        """

    def settle(self, call_id: str, usage: Usage, *, model: str = "", epoch: int | None = None) -> None:
        """Replace the upper bound by the actual usage.

        Args:
            call_id: id it was reserved with.
            usage: actual usage.
            model: name of the model called.
            epoch: epoch it was reserved with.
        """


class CallBound:
    """Lets a number of model calls through to another meter, and counts them.

    Args:
        meter: the other meter.
        calls: maximum number of calls; a call that the endpoint rejected does not count.
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
        """Reserve a call; raise BudgetExceeded if all have been made."""
        if calls > self.left:
            raise BudgetExceeded(f"the limit of {self._calls} model calls has been reached")
        self._meter.reserve(call_id, tokens, cost, calls=calls, epoch=epoch)
        self.left -= calls

    def settle(self, call_id: str, usage: Usage, *, model: str = "", epoch: int | None = None) -> None:
        """Settle a call; a call without usage does not count."""
        self._meter.settle(call_id, usage, model=model, epoch=epoch)
        self.left += usage.model_calls == 0
