"""Client calls for named batches: submit, inspect, pause, resume, cancel, retry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopline.models.jobs import Budget, Priority
from producer.client.link import DEFAULT_COLLECTION
from producer.client.part import Part
from producer.client.terms import terms_of
from workers.core.jobs.params import parse_params

if TYPE_CHECKING:
    from hopline.models.batches import BatchStatus, BatchSubmitted
    from hopline.models.reports import Report
    from producer.service.batches.submission import ListingProgress


class Batches(Part):
    """What a client does with named batches; over HTTP with an administrator's key."""

    def submit_batch(
        self,
        /,
        name: str,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        priority: Priority = "low",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
        progress: ListingProgress | None = None,
        **wanted: Any,
    ) -> BatchSubmitted:
        """List sources and submit them as a named batch; return as soon as the list is stored.

        The same call again, after whatever interrupted it, gives the same batch and stores nothing twice.

        Args:
            name: of the batch; its report is kept under it.
            sources: folders, patterns, .jsonl files, .uris lists, or fsspec addresses; over HTTP folders and
                files in the places that the server is set up to read (HOPLINE_API_SOURCES).
            collection: where the documents go.
            priority: high, normal or low, among what waits; what people wait for is normal.
            webhook: an address that is told of the batch's end.
            tags: of its job, to find it by: {"team": "legal"}.
            progress: is kept up to date meanwhile.
            **wanted: further fields of `producer.service.batches.submission.BatchOrder`: profile, …

        Raises:
            InvalidInput: a value is wrong, the name is taken, or no source names a document.
            DependencyAway: the blob store failed; the same call again goes on.
        """
        from producer.service.batches.submission import BatchOrder  # noqa: PLC0415 - only for who submits

        fields = {**wanted, "name": name, "sources": tuple(map(str, sources)), "collection": collection}
        order, terms = parse_params(BatchOrder, fields), terms_of(priority, webhook, tags)
        return self._link.batches.submit(order, terms, progress)

    def batch(self, name: str) -> BatchStatus:
        """Return a batch's status.

        Raises:
            InvalidInput, NotFound: there is none of this name.
        """
        return self._link.batches.get(name)

    def batches(self) -> list[BatchStatus]:
        """Return the status of all batches, newest first."""
        return self._link.batches.all()

    def pause_batch(self, name: str) -> BatchStatus:
        """Pause a batch: items in progress finish, and nothing new begins.

        Raises:
            InvalidInput, NotFound: there is none of this name, or it does not run.
        """
        return self._link.batches.pause(name)

    def resume_batch(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        now: bool = False,
        between: str | None = None,
        zone: str = "",
    ) -> BatchStatus:
        """Resume a batch, with new limits and hours if given; the others stay.

        Outside its hours it still waits for them.

        Args:
            name: of the batch.
            budget: new limits.
            now: it may run from now on, until its hours end next.
            between: other hours, 22:00-06:00; "" for all.
            zone: of these hours; the batch's own unless given.

        Raises:
            InvalidInput, NotFound: there is none of this name, it does not run, a limit is below what is
                spent, or the hours are not valid.
        """
        return self._link.batches.resume(name, budget=budget, now=now, between=between, zone=zone)

    def cancel_batch(self, name: str) -> BatchStatus:
        """Cancel a batch; documents already in the graph stay.

        Raises:
            InvalidInput, NotFound: there is none of this name, or its job has expired.
        """
        return self._link.batches.cancel(name)

    def retry_batch(self, name: str) -> BatchStatus:
        """Retry the documents of an ended batch that failed or were not done.

        Raises:
            InvalidInput, NotFound: there is none of this name, it runs, or there is nothing to retry.
        """
        return self._link.batches.retry(name)

    def batch_report(self, name: str) -> Report:
        """Return a batch's report; a preliminary one while it runs.

        Raises:
            InvalidInput, NotFound: there is none of this name.
            Permanent: its job has expired, and no report is kept.
        """
        return self._link.batches.report(name)
