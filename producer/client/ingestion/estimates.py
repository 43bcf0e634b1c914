"""Client calls for estimates: what documents would take, before they are ingested."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from producer.client.part import Part
from workers.core.jobs.params import parse_params

if TYPE_CHECKING:
    from hopline.models.estimates import Estimate


class Estimates(Part):
    """Client calls for estimates; over HTTP with an administrator's key."""

    def estimate(self, /, sources: Sequence[str | Path], **wanted: Any) -> Estimate:
        """Estimate what documents would take: calls, tokens, money, hours, resulting size.

        They are counted as ingestion counts; no model is called and nothing is stored.

        Args:
            sources: as for `ingest`; over HTTP folders and files in the places that the server is set up to
                read (HOPLINE_API_SOURCES).
            **wanted: fields of `producer.service.batches.estimates.EstimateOrder`: sample (plain documents to
                read at most; 0 reads all, over HTTP 1 to 2,000), via ("batch": the provider's batch mode),
                latency (seconds of a chat call), dimension (of vectors), chunk_tokens, chunk_overlap.

        Raises:
            InvalidInput: a value is wrong; over HTTP also if there are too many documents for a request.
        """
        from producer.service.batches.estimates import EstimateOrder  # noqa: PLC0415 - only for who estimates

        order = parse_params(EstimateOrder, {"sources": tuple(map(str, sources)), **wanted})
        return self._link.estimates.make(order)
