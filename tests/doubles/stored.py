"""A step's outcome as the ledger keeps it."""

from workers.core.jobs.work import Outcome, as_json


def stored(outcome: Outcome) -> Outcome:
    """Return an outcome with its result as JSON."""
    return outcome.model_copy(update={"result": as_json(outcome.result)})
