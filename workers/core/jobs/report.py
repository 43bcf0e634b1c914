"""Models of a batch's report: its input, its failures and their causes, the cost, and the graph's growth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hopline.models.base import Frozen
from hopline.models.jobs import Usage
from hopline.models.reports import Growth, HubGrowth, PauseSpan
from workers.core.jobs.batches import BatchRecord


class BatchFacts(Frozen):
    """The ledger's data about a batch while its job exists."""

    record: BatchRecord
    state: str  # of the job
    created: float  # seconds since the epoch
    usage: Usage
    waited: dict[str, float] = {}  # limiter -> seconds, summed over all calls that it held back
    pauses: tuple[PauseSpan, ...] = ()
    leases_lost: int = 0  # workers that vanished with an item in hand


class Books(Protocol):
    """The ledger's records of named batches: their figures and the references of their reports."""

    def of_job(self, job_id: str) -> BatchFacts | None:
        """Return a batch's record by its job; None if the batch has no name or no longer has a record."""

    def enter(self, name: str, job_id: str, reference: str) -> bool:
        """Enter a report's reference in the batch's record; False if the name belongs to another job now."""


class NoBooks:
    """Stands in for missing batch records."""

    def of_job(self, _job_id: str) -> BatchFacts | None:
        """Return None."""
        return None

    def enter(self, _name: str, _job_id: str, _reference: str) -> bool:
        """Do nothing and return False."""
        return False


def hubs_grown(before: Growth | None, after: Growth | None, most: int = 12) -> tuple[HubGrowth, ...]:
    """Return the hubs that grew, with their growth; new hubs count from 0."""
    if after is None:
        return ()
    known = before.hubs if before else {}
    grown: Sequence[HubGrowth] = [
        HubGrowth(name=after.spelled.get(name, name), before=known.get(name), after=degree)
        for name, degree in after.hubs.items()
        if degree > known.get(name, 0)
    ]
    return tuple(sorted(grown, key=lambda hub: ((hub.before or 0) - hub.after, hub.name))[:most])
