"""Syncs: submits and resumes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.models.jobs import JobState
from producer.service.backend import Part
from workers.core.jobs.batches import ASKED

if TYPE_CHECKING:
    from hopline.models.jobs import Budget
    from hopline.models.params import SyncParams
    from workers.core.jobs.records import JobRecord
    from workers.core.jobs.work import Terms


class Syncs(Part):
    """The jobs that sync collections."""

    def submit(
        self,
        params: SyncParams,
        collection: str,
        key: str | None,
        terms: Terms,
    ) -> JobRecord:
        """Submit a sync; return its job's record.

        Args:
            params: parameters of the sync.
            collection: collection of the documents.
            key: idempotency key.
            terms: caller and priority.

        Raises:
            InvalidInput: the collection is wrong.
        """
        return self._backend.submit("sync", collection, params, key=key, terms=terms)

    def resume(self, job_id: str, *, budget: Budget | None = None, now: bool = False) -> None:
        """Resume a paused sync; see `AsyncSyncs.resume`.

        Raises:
            InvalidInput: there is no such job, it is not running, or a limit is below what it has already
                used.
        """
        from workers.engine.hours import set_hours

        record = self._services.ledger.job(job_id)
        with self._audit.act("resume", "sync", job_id, record.job.collection if record else ""):
            if record is None or record.job.kind != "sync" or record.state is not JobState.RUNNING:
                message = f"no sync {job_id} runs: `hopline jobs` lists what does"
                raise InvalidInput("resume", job_id, "the id of a sync that has not ended", message=message)
            if budget is not None:
                self._services.ledger.raise_budget(job_id, budget)
            if now:
                set_hours(self._services, job_id, None, "", at_once=True)
            self._services.pauses.resume(job_id, *ASKED)
