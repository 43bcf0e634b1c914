"""Named batches and syncs over HTTP, and what to know before: estimates, sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.models.batches import BatchStatus, BatchSubmitted
from hopline.models.estimates import Estimate
from hopline.models.params import BulkBounds, ChunkSizes
from hopline.models.reports import Report
from hopline.models.sources import SourcePage
from hopline.operation import quoted
from producer.client.http.connection import HttpPart, read_answer
from producer.client.http.documents import profile_text, terms_of
from producer.client.http.jobs import submit

if TYPE_CHECKING:
    from pathlib import Path

    from hopline.models.jobs import Budget, Json
    from hopline.models.params import SyncParams
    from producer.service.batches.estimates import EstimateOrder
    from producer.service.batches.submission import BatchOrder, ListingProgress
    from workers.core.jobs.work import Terms
    from workers.ledger.records import JobRecord

_PATH = "/v1/batches"
BOUNDS = frozenset({*BulkBounds.model_fields, *ChunkSizes.model_fields})


class HttpBatches(HttpPart):
    """Named batches over HTTP; see `producer.client.ingestion.links.BatchesLink`."""

    def submit(
        self, order: BatchOrder, terms: Terms, progress: ListingProgress | None = None
    ) -> BatchSubmitted:
        """Submit a batch of places that the server may read; it lists them."""
        if order.upload or order.follow_links:
            field = "upload" if order.upload else "follow_links"
            raise InvalidInput(field, "true", "false over HTTP: the server reads what lies at its own places")
        own = {"name", "sources", "collection", "via", "metadata"}
        body = order.model_dump(mode="json", include=own | BOUNDS, exclude_none=True)
        body |= {"profile": profile_text(order.profile)}
        answer = self._connection.request("POST", _PATH, json=body | terms_of(terms))
        submitted = read_answer(BatchSubmitted, answer)
        if progress is not None:
            progress.documents, progress.refused = submitted.documents, submitted.refused
        return submitted

    def get(self, name: str) -> BatchStatus:
        """Return a batch's status."""
        return read_answer(BatchStatus, self._connection.get(_path(name)))

    def all(self) -> list[BatchStatus]:
        """Return the status of all batches, newest first."""
        return [read_answer(BatchStatus, batch) for batch in self._connection.get(_PATH)["batches"]]

    def pause(self, name: str) -> BatchStatus:
        """Pause a batch."""
        return read_answer(BatchStatus, self._connection.request("POST", f"{_path(name)}/pause"))

    def resume(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        now: bool = False,
        between: str | None = None,
        zone: str = "",
    ) -> BatchStatus:
        """Resume a batch, with new limits and hours if given."""
        body: Json = {"now": now, "between": between, "zone": zone}
        if budget is not None:
            body |= {"max_cost": budget.cost, "max_tokens": budget.tokens, "max_calls": budget.model_calls}
        return read_answer(BatchStatus, self._connection.request("POST", f"{_path(name)}/resume", json=body))

    def cancel(self, name: str) -> BatchStatus:
        """Cancel a batch."""
        return read_answer(BatchStatus, self._connection.request("DELETE", _path(name)))

    def retry(self, name: str) -> BatchStatus:
        """Retry the documents of an ended batch that failed or were not done."""
        sent = self._connection.request("POST", f"{_path(name)}/retry", safe=False)
        return read_answer(BatchStatus, sent)

    def report(self, name: str) -> Report:
        """Return a batch's report."""
        return read_answer(Report, self._connection.get(f"{_path(name)}/report"))


class HttpEstimates(HttpPart):
    """Estimates over HTTP; see `producer.client.ingestion.links.EstimatesLink`."""

    def make(self, order: EstimateOrder) -> Estimate:
        """Return what the documents of places that the server may read would take."""
        body = order.model_dump(mode="json", exclude={"confined"}, exclude_unset=True)
        return read_answer(Estimate, self._connection.request("POST", "/v1/estimates", json=body))


class HttpSources(HttpPart):
    """What requests may ingest from, over HTTP; see `producer.client.ingestion.links.SourcesLink`."""

    def page(self, place: str = "", *, cursor: str = "", limit: int = 100) -> SourcePage:
        """Return a page of the places, or of a folder."""
        answer = self._connection.get("/v1/sources", place=place, cursor=cursor, limit=limit)
        return read_answer(SourcePage, answer)


class HttpSyncs(HttpPart):
    """Syncs over HTTP; see `producer.client.ingestion.links.SyncsLink`."""

    def submit(
        self,
        params: SyncParams,
        collection: str,
        key: str | None,
        profile: str | Path | None,
        terms: Terms,
    ) -> JobRecord:
        """Submit a sync with places that the server may read."""
        wanted = {"sources", "dry_run", "most_removed"} | BOUNDS
        body = params.model_dump(include=wanted, exclude_none=True)
        body |= {"collection": collection, "profile": profile_text(profile)}
        return submit(self._connection, "/v1/syncs", key, json=body | terms_of(terms))


def _path(name: str) -> str:
    return f"{_PATH}/{quoted(name)}"
