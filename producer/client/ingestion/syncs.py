"""Client calls for syncs: once, or on a schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopline.models.jobs import Budget, Priority
from hopline.models.params import SyncParams
from hopline.trees import place_of
from producer.client.link import DEFAULT_COLLECTION
from producer.client.part import Part, Pending
from producer.client.terms import terms_of
from producer.reports.sync import SyncReport, sync_report_of
from workers.core.jobs.params import parse_params


class Syncs(Part):
    """Client calls for syncs; over HTTP with an administrator's key, and places that the server may read."""

    def sync(
        self,
        /,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        timeout: float | None = None,
        **wanted: Any,
    ) -> Pending[SyncReport]:
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
        return Pending.job(self.submit_sync(sources, collection, **wanted), sync_report_of, timeout)

    def submit_sync(
        self,
        /,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        profile: str | Path | None = None,
        key: str | None = None,
        priority: Priority = "normal",
        tags: Mapping[str, str] | None = None,
        **wanted: Any,
    ) -> str:
        """Submit a sync; return its job's id at once.

        Args:
            sources: as for `sync`.
            collection: as for `sync`.
            profile: which entities, relations and events to look for: "narrative", or a TOML file.
            key: idempotency key.
            priority: high, normal or low, among what waits.
            tags: of the job, to find it by: {"team": "legal"}.
            **wanted: fields of `workers.core.jobs.params.SyncParams`: dry_run, most_removed (the share of
                what lies under the sources that may go; if more would, nothing is done), max_cost,
                max_tokens, max_calls, hours, zone, chunk_tokens, chunk_overlap.

        Raises:
            InvalidInput: a value is wrong.
        """
        fields = {"sources": [place_of(source) for source in sources], **wanted}
        params, terms = parse_params(SyncParams, fields), terms_of(priority, "", tags)
        return self._link.syncs.submit(params, collection, key, profile, terms).job.id

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
        self._service.syncs.resume(job_id, budget=budget, now=now)
