"""Stores the figures that named batches report."""

from __future__ import annotations

from typing import cast

import redis

from workers.core.jobs.report import BatchFacts
from workers.ledger.batches import Batches
from workers.ledger.keys import job_key
from workers.ledger.pauses import Pauses
from workers.ledger.queries import LedgerQueries

_WAITED = "waited:"  # fields of the job that pays: limiter -> milliseconds


class BatchBooks:
    """What the ledger knows of named batches.

    Args:
        client: the ledger's Redis.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._batches = Batches(client)

    def of_job(self, job_id: str) -> BatchFacts | None:
        """Return a batch's record by its job; None if it has no name or no record any more."""
        job = LedgerQueries(self._client).job(job_id, outcome=False)
        record = self._batches.find(str(job.job.params.get("name", ""))) if job else None
        if job is None or record is None or record.job_id != job_id:
            return None
        return BatchFacts(
            record=record,
            state=job.state.value,
            created=job.created,
            usage=job.usage,
            waited=self._waited(job_id),
            pauses=Pauses(self._client).history(job_id),
            leases_lost=job.leases_lost,
        )

    def enter(self, name: str, job_id: str, reference: str) -> bool:
        """Record a report's reference in the batch's record; False if another job has the name now."""
        record = self._batches.find(name)
        if record is None or record.job_id != job_id:
            return False
        self._batches.save(record.model_copy(update={"report": reference}))
        return True

    def _waited(self, job_id: str) -> dict[str, float]:
        stored = self._client.hscan_iter(job_key(job_id, "job"), match=_WAITED + "*", count=1000)
        told = cast("list[tuple[str, str]]", list(stored))
        return {name.removeprefix(_WAITED): int(ms) / 1000 for name, ms in told}
