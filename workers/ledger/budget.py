"""A job's budget: reserved before a model call and settled after it, so that a crash loses no costs."""

from __future__ import annotations

import math
import threading

from hopline.errors import Conflict
from hopline.models.jobs import Usage
from workers.core.errors import BudgetExceeded
from workers.ledger.scripts import Scripts

_MILLION = 1_000_000
_NAMES = {"calls": "model calls", "tokens": "tokens"}


class JobMeter:
    """The meter of one item: charges the paying job, and adds up the item's own usage.

    Args:
        scripts: the ledger's scripts.
        root: the job that pays.
        call_seconds: time limit of a reserved call; if it is not settled by then, it counts as spent.
    """

    def __init__(self, scripts: Scripts, root: str, call_seconds: float = 180.0) -> None:
        self._scripts = scripts
        self._root = root
        self._lost_ms = round(1000 * call_seconds)
        self._lock = threading.Lock()  # of what follows: an item may search while its model is asked
        self.usage = Usage()
        self.waited: dict[str, float] = {}  # limiter -> seconds that it made this item's calls wait
        self._untold: dict[str, float] = {}

    def reserve(
        self,
        call_id: str,
        tokens: int,
        cost: float | None = None,
        *,
        calls: int = 1,
        epoch: int | None = None,
    ) -> None:
        """Reserve a call's upper bound; spent and reserved cost together never exceed a limit.

        Raises:
            BudgetExceeded: it exceeds the remaining budget, or the cost is limited and the call's cost is
                unknown.
            Conflict: the paying job has ended, or the reservation of this epoch has been settled.
        """
        bound = "" if cost is None else math.ceil(cost * _MILLION)
        life = "" if epoch is None else epoch
        reply = self._scripts.call("reserve", self._root, call_id, tokens, bound, calls, self._lost_ms, life)
        if reply[0] == "gone":
            raise Conflict(f"job {self._root} has ended")
        if reply[0] == "settled":
            raise Conflict(f"reservation {call_id} has already been settled")
        if reply[0] == "refused":
            raise _exceeded(*reply[1:])

    def settle(self, call_id: str, usage: Usage, *, model: str = "", epoch: int | None = None) -> None:
        """Replace the upper bound by the call's actual usage: none if it never reached the model."""
        with self._lock:
            self.usage = self.usage + usage
        self._scripts.call(
            "settle",
            self._root,
            call_id,
            usage.model_calls,
            usage.prompt_tokens,
            usage.completion_tokens,
            _millionths(usage.cost),
            "" if epoch is None else epoch,
            model,
            *self._taken_waits(),
        )

    def note_wait(self, limiter: str, seconds: float) -> None:
        """Record that a limiter made a call wait; the next settled call adds the time to the job."""
        with self._lock:
            self.waited[limiter] = self.waited.get(limiter, 0.0) + seconds
            self._untold[limiter] = self._untold.get(limiter, 0.0) + seconds

    def tell_waits(self) -> None:
        """Add a deferred item's unreported waiting time to its job."""
        if self._untold:
            self._scripts.call("settle", self._root, "", 0, 0, 0, "", "", "", *self._taken_waits())

    def _taken_waits(self) -> list[str | int]:
        with self._lock:
            taken, self._untold = self._untold, {}
        return [part for name, seconds in taken.items() for part in (name, round(1000 * seconds))]


def _exceeded(name: str, limit: str, why: str) -> BudgetExceeded:
    shown = f"{int(limit) / _MILLION:g} of cost" if name == "cost" else f"{limit} {_NAMES[name]}"
    if why == "unknown":
        return BudgetExceeded(
            f"the limit of {shown} cannot be kept: a model's price is unknown: workers need HOPLINE_PRICES",
            limited=name,
            limit=int(limit),
        )
    return BudgetExceeded(
        f"the limit of {shown} is used up", limited=name, limit=int(limit), room_soon=why == "busy"
    )


def _millionths(cost: float | None) -> str:
    return "" if cost is None else str(round(cost * _MILLION))
