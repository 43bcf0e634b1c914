"""Handles an item whose job has used up its budget: a batch pauses until the budget is raised."""

from __future__ import annotations

import structlog

from workers.core.errors import BudgetExceeded
from workers.core.jobs.work import Budget, Job
from workers.flows.registry import flow_of
from workers.ledger.fields import limits
from workers.services import Services

_log = structlog.get_logger()


def waits_for_budget(services: Services, job: Job, error: BudgetExceeded) -> bool:
    """Return whether an item is deferred for its budget; pause the paying job if that is used up.

    The job is not paused where calls in flight may leave room, nor where the limit has been raised since.
    False: the job's kind does not pause; its phase is closed.
    """
    payer = services.ledger.job(job.root or job.id)
    if payer is None or not flow_of(payer.job.kind, payer.job.params).pauses:
        return False
    if error.room_soon or not _stands(payer.budget, error):
        return True
    met = (error.limited, error.limit) if error.limited else None
    if services.pauses.pause(payer.job.id, "budget", str(error), met=met):
        _log.warning("job.paused", job_id=payer.job.id, kind="budget", reason=str(error))
    return True


def _stands(budget: Budget, error: BudgetExceeded) -> bool:
    """Return whether the limit that was met is the job's limit still."""
    return limits(budget).get(error.limited, error.limit) == error.limit
