"""Jobs from the asynchronous client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from producer.client.asynchronous.threads import InThreads
from producer.reports import outcomes

if TYPE_CHECKING:
    from producer.reports.ingest import IngestReport
    from workers.core.answers.answer import Answer
    from workers.core.jobs.work import Event, JobState
    from workers.ledger.records import DeadLetter, JobRecord


class AsyncJobCalls(InThreads):
    """What `AsyncHopline` does with jobs; see `producer.client.jobs.JobCalls`."""

    async def watch(
        self,
        job_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> AsyncIterator[Event]:
        """Yield the job's events until it has ended; see `Hopline.watch`."""
        follow = await self._run(self._client.follow, job_id, timeout=timeout)
        while not follow.ended:
            for event in await self._run(follow.poll):
                yield event

    async def wait(
        self,
        job_id: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> Answer | IngestReport:
        """Wait until the job has ended; see `Hopline.wait`."""
        await self._drain(job_id, timeout)
        return outcomes.outcome_of(await self.job(job_id))

    async def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job; see `Hopline.job`."""
        return await self._run(self._client.job, job_id)

    async def waits_for(self, job_id: str) -> str:
        """Return what a job waits for that no worker has begun; see `Hopline.waits_for`."""
        return await self._run(self._client.waits_for, job_id)

    async def jobs(
        self,
        limit: int = 50,
        *,
        state: JobState | None = None,
        kind: str | None = None,
        collection: str | None = None,
    ) -> list[JobRecord]:
        """Return the newest jobs; see `Hopline.jobs`."""
        return await self._run(self._client.jobs, limit, state=state, kind=kind, collection=collection)

    async def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return a job's dead letters; see `Hopline.dead_letters`."""
        return await self._run(self._client.dead_letters, job_id)

    async def cancel(self, job_id: str) -> JobRecord:
        """End a job now; see `Hopline.cancel`."""
        return await self._run(self._client.cancel, job_id)

    async def retry(self, job_id: str) -> JobRecord:
        """Do a job's dead letters again; see `Hopline.retry`."""
        return await self._run(self._client.retry, job_id)

    async def _ended(self, job_id: str, timeout: float | None) -> JobRecord:  # noqa: ASYNC109 - as above
        await self._drain(job_id, timeout)
        return await self.job(job_id)

    async def _drain(self, job_id: str, timeout: float | None) -> None:  # noqa: ASYNC109 - the deadline also reaches the waiting thread
        async for _ in self.watch(job_id, timeout=timeout):
            pass
