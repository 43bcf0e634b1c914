"""Named batches and syncs from the asynchronous client."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from producer.client.asynchronous.threads import InThreads
from producer.client.link import DEFAULT_COLLECTION
from producer.reports.sync import SyncReport
from workers.core.jobs.work import Budget, Priority

if TYPE_CHECKING:
    from producer.service.batches.status import BatchStatus
    from producer.service.batches.submission import BatchSubmitted, ListingProgress
    from workers.core.jobs.report import Report


class AsyncBatchCalls(InThreads):
    """What `AsyncHopline` does with named batches, and to keep in step; see `Hopline`."""

    async def submit_batch(
        self,
        name: str,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        priority: Priority = "low",
        webhook: str = "",
        progress: ListingProgress | None = None,
        **wanted: Any,
    ) -> BatchSubmitted:
        """List sources and submit them as a named batch; see `Hopline.submit_batch`."""
        told = {"priority": priority, "webhook": webhook, "progress": progress, **wanted}
        return await self._run(lambda: self._client.submit_batch(name, sources, collection, **told))

    async def batch(self, name: str) -> BatchStatus:
        """Return a batch's status; see `Hopline.batch`."""
        return await self._run(self._client.batch, name)

    async def batches(self) -> list[BatchStatus]:
        """Return the status of all batches; see `Hopline.batches`."""
        return await self._run(self._client.batches)

    async def pause_batch(self, name: str) -> BatchStatus:
        """Begin nothing new of a batch; see `Hopline.pause_batch`."""
        return await self._run(self._client.pause_batch, name)

    async def resume_batch(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        now: bool = False,
        between: str | None = None,
        zone: str = "",
    ) -> BatchStatus:
        """Let a batch go on; see `Hopline.resume_batch`."""
        told: dict[str, Any] = {"budget": budget, "now": now, "between": between, "zone": zone}
        return await self._run(lambda: self._client.resume_batch(name, **told))

    async def cancel_batch(self, name: str) -> BatchStatus:
        """End a batch now; see `Hopline.cancel_batch`."""
        return await self._run(self._client.cancel_batch, name)

    async def retry_batch(self, name: str) -> BatchStatus:
        """Do again what failed in a batch that has ended; see `Hopline.retry_batch`."""
        return await self._run(self._client.retry_batch, name)

    async def batch_report(self, name: str) -> Report:
        """Return a batch's report; see `Hopline.batch_report`."""
        return await self._run(self._client.batch_report, name)

    async def sync(
        self,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
        **wanted: Any,
    ) -> SyncReport:
        """Bring a collection in step with sources; see `Hopline.sync`."""
        return await self._run(lambda: self._client.sync(sources, collection, timeout=timeout, **wanted))

    async def submit_sync(
        self,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        **wanted: Any,
    ) -> str:
        """Submit a sync; see `Hopline.submit_sync`."""
        told = {"profile": profile, "key": key, "priority": priority, **wanted}
        return await self._run(lambda: self._client.submit_sync(sources, collection, **told))

    async def resume_sync(self, job_id: str, *, budget: Budget | None = None, now: bool = False) -> None:
        """Let a sync go on; see `Hopline.resume_sync`."""
        await self._run(self._client.resume_sync, job_id, budget=budget, now=now)
