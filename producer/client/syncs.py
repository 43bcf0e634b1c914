"""Client calls for syncs: once, or on a schedule."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from producer.client.link import DEFAULT_COLLECTION
from producer.reports.sync import SyncReport, sync_report_of
from workers.core.errors import InvalidInput
from workers.core.jobs.batches import ASKED
from workers.core.jobs.params import SyncParams, parse_params
from workers.core.jobs.work import Budget, JobState, Priority, Terms

if TYPE_CHECKING:
    from workers.core.jobs.messages import Publisher
    from workers.ledger.records import JobRecord
    from workers.services import Services


class SyncCalls(ABC):
    """What `Hopline` does to keep in step; all of it on hopline's servers themselves, not over HTTP."""

    @property
    @abstractmethod
    def services(self) -> Services:
        """The adapters."""

    @property
    @abstractmethod
    def publisher(self) -> Publisher:
        """What sends the messages of new jobs."""

    @abstractmethod
    def _ended(self, job_id: str, timeout: float | None) -> JobRecord:
        """Wait until a job has ended; return its record."""

    def sync(
        self,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        timeout: float | None = None,
        **wanted: Any,
    ) -> SyncReport:
        """Sync a collection with its sources: what is new, changed, moved or gone there.

        Only what lies under the sources is ever removed, and nothing where a source cannot be read.

        Args:
            sources: folders, patterns, files or fsspec addresses that workers can read. What a .uris list
                no longer names is not removed: it lies elsewhere.
            collection: whose documents these are.
            timeout: seconds to wait; None waits until the last document has ended.
            **wanted: as for `submit_sync`.

        Raises:
            InvalidInput: a value is wrong.
            TimeoutError: it has not ended; the job goes on.
        """
        return sync_report_of(self._ended(self.submit_sync(sources, collection, **wanted), timeout))

    def submit_sync(
        self,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        **wanted: Any,
    ) -> str:
        """Submit a sync; return its job's id at once.

        Args:
            sources: as for `sync`.
            collection: as for `sync`.
            profile: which entities, relations and events to look for: "narrative", or a TOML file.
            key: idempotency key.
            priority: high, normal or low, among what waits.
            **wanted: fields of `workers.core.jobs.params.SyncParams`: dry_run, most_removed (the share of
                what lies under the sources that may go; if more would, nothing is done), max_cost,
                max_tokens, max_calls, hours, zone, chunk_tokens, chunk_overlap.

        Raises:
            InvalidInput: a value is wrong.
        """
        from workers.engine.submit import submit_job  # noqa: PLC0415 - as above
        from workers.ingest.profile.profile import load_profile, put_profile  # noqa: PLC0415 - only who syncs

        given = {"sources": [place_of(one) for one in sources], **wanted}
        params = parse_params(SyncParams, given)
        if profile:
            stored = put_profile(self.services.blobs, load_profile(profile))
            params = params.model_copy(update={"profile": stored})
        told, terms = params.model_dump(mode="json"), Terms(priority=priority)
        record = submit_job(self.services, self.publisher, "sync", collection, told, key=key, terms=terms)
        return record.job.id

    def resume_sync(self, job_id: str, *, budget: Budget | None = None, now: bool = False) -> None:
        """Resume a paused sync, with new limits if given.

        Outside its hours it still waits for them.

        Args:
            job_id: of the sync.
            budget: new limits; the others stay.
            now: it may run from now on, until its hours end next.

        Raises:
            InvalidInput: there is no such job, it does not run, or a limit is below what is spent.
        """
        from workers.engine.hours import set_hours  # noqa: PLC0415 - only for who resumes

        record = self.services.ledger.job(job_id)
        if record is None or record.job.kind != "sync" or record.state is not JobState.RUNNING:
            message = f"no sync {job_id} runs: `hopline jobs` lists what does"
            raise InvalidInput("resume", job_id, "the id of a sync that has not ended", message=message)
        if budget is not None:
            self.services.ledger.raise_budget(job_id, budget)
        if now:
            set_hours(self.services, job_id, None, "", at_once=True)
        self.services.pauses.resume(job_id, *ASKED)


def place_of(source: str | Path) -> str:
    """Return a source's absolute address."""
    named = str(source)
    if "://" in named:
        return named
    return os.path.normpath(Path(named).expanduser().absolute())
