"""Reads a job's record and events from the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.core.errors import Gone
from workers.core.jobs.work import Event, JobState

if TYPE_CHECKING:
    from workers.ledger.ledger import Ledger
    from workers.ledger.records import JobRecord


class LedgerFeed:
    """The events of a job as the ledger keeps them."""

    def __init__(self, ledger: Ledger, job_id: str) -> None:
        self._ledger = ledger
        self._job_id = job_id

    def read(self, after: str, block: float | None) -> list[tuple[str, Event]]:
        """Return (id, event) after an id; see `Feed.read`."""
        return self._ledger.events(self._job_id, after, block=block)

    def has_ended(self) -> bool:
        """Return whether the job has ended; see `Feed.has_ended`."""
        return found(self._ledger.job(self._job_id), self._job_id).state is not JobState.RUNNING


def found(record: JobRecord | None, job_id: str) -> JobRecord:
    """Return a job's record.

    Raises:
        Gone: it does not exist.
    """
    if record is None:
        raise Gone(f"no job {job_id}: it never was, or its record has expired; `hopline jobs` lists them")
    return record
