"""Changes a running job's budget and allowed hours."""

from __future__ import annotations

from workers.core.errors import Gone, InvalidInput
from workers.core.jobs.work import Budget
from workers.ledger.fields import limits
from workers.ledger.scripts import Scripts

_MILLION = 1_000_000
_FIELDS = {"calls": "max_calls", "tokens": "max_tokens", "cost": "max_cost"}


class BudgetKeeper:
    """The part of the ledger that raises a job's limits and sets its hours."""

    scripts: Scripts

    def raise_budget(self, job_id: str, budget: Budget) -> None:
        """Set the given limits of a running job; the others stay.

        Raises:
            InvalidInput: a limit is not above what is spent or booked already; none was set.
            Gone: the job has ended.
        """
        given = limits(budget)
        reply = self.scripts.call("raise_limits", job_id, *(part for pair in given.items() for part in pair))
        if reply[0] == "gone":
            raise Gone(f"job {job_id} has ended")
        if reply[0] == "low":
            name, booked = reply[1], reply[2]
            scale = _MILLION if name == "cost" else 1
            allowed = f"more than the {booked / scale:g} that are spent or booked already"
            raise InvalidInput(_FIELDS[name], given[name] / scale, allowed)

    def set_hours(self, job_id: str, hours: str, zone: str, free_until: float) -> None:
        """Set the hours of a running job; it may also run until a time, in seconds since the epoch.

        Raises:
            Gone: the job has ended.
        """
        told = ("hours", hours, "zone", zone, "hours_free", round(free_until * 1000))
        if self.scripts.call("set_hours", job_id, *told)[0] == "gone":
            raise Gone(f"job {job_id} has ended")
