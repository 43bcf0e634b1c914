"""Client calls for jobs: follow, read results, cancel, retry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from producer.client.part import Part, Pending
from producer.client.watch import JobWatch
from producer.reports import outcomes
from workers.core.jobs.work import JobState
from workers.ledger.records import Wanted

if TYPE_CHECKING:
    from datetime import datetime

    from producer.reports.ingest import IngestReport
    from workers.core.answers.answer import Answer
    from workers.core.jobs.work import Event
    from workers.ledger.records import DeadLetter, JobRecord


class Jobs(Part):
    """What a client does with jobs."""

    def follow(self, job_id: str, *, timeout: float | None = None) -> JobWatch:
        """Return a position in the job's events, for callers that poll on their own."""
        return JobWatch(self._link.jobs.feed(job_id), job_id, timeout=timeout)

    def watch(self, job_id: str, *, timeout: float | None = None) -> Iterator[Event]:
        """Yield the job's events from its beginning until it has ended; a server's restart is survived.

        Raises:
            NotFound: the job is unknown, or has expired.
            TimeoutError: still running after `timeout` seconds; the job goes on.
        """
        return iter(self.follow(job_id, timeout=timeout))

    def wait(self, job_id: str, timeout: float | None = None) -> Pending[Answer | IngestReport]:
        """Block until the job has ended; return its answer, or its report if it was an ingestion.

        Raises: as `watch`.
        """
        return Pending.job(job_id, outcomes.outcome_of, timeout)

    def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        return self._link.jobs.get(job_id)

    def waits_for(self, job_id: str) -> str:
        """Return what a job waits for that no worker has begun: its place in the queue, or a worker."""
        return self._link.jobs.waits_for(job_id)

    def jobs(
        self,
        limit: int = 50,
        *,
        state: JobState | None = None,
        kind: str | None = None,
        collection: str | None = None,
        since: datetime | None = None,
    ) -> list[JobRecord]:
        """Return the newest jobs, newest first, without their outcomes; those of others only over the broker.

        Args:
            limit: how many at most.
            state: only those that stand there.
            kind: only queries, batches, …
            collection: only those of a collection.
            since: only those submitted then or later; in this machine's zone unless it names one.
        """
        wanted = Wanted(
            state=state,
            kind=kind,
            since=since.timestamp() if since else None,
            collections=frozenset({collection}) if collection else None,
        )
        return self._link.jobs.newest(wanted, limit)

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return a job's dead letters, each with its input and error."""
        return self._link.jobs.dead_letters(job_id)

    def cancel(self, job_id: str) -> JobRecord:
        """Cancel a job, unless it has ended already; return its record."""
        return self._link.jobs.cancel(job_id)

    def retry(self, job_id: str) -> JobRecord:
        """Retry a job's dead letters; a query becomes a new job. Return the job that runs now."""
        return self._link.jobs.retry(job_id)
