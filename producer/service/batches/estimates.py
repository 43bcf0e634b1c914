"""Estimates of an ingestion's cost and time, made within the time limit of a request."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from hopline.errors import InvalidInput
from hopline.models.estimates import DIMENSION
from hopline.models.params import ChunkSizes, EncodingName
from producer.service.backend import Part
from producer.service.sources import Listing
from workers.sources.documents import list_places
from workers.sources.formats import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hopline.models.estimates import Estimate
    from workers.settings import Settings
    from workers.sources.formats import Named

_PARSE_SECONDS = 10.0  # of one document, where somebody waits
_MORE = "`hopline estimate` takes more where the server runs, and waits for them"


class EstimateOrder(ChunkSizes):
    """A request for an estimate."""

    sources: tuple[str, ...] = Field(min_length=1)
    confined: bool = False  # the sources came by a request: neither links nor lists lead out of them
    sample: int = Field(default=2_000, ge=0)  # plain documents to be read at most; 0 reads all
    via: Literal["calls", "batch"] = "calls"
    latency: float | None = Field(default=None, gt=0)  # seconds of a chat call
    dimension: int = Field(default=DIMENSION, ge=1)  # of the embedder's vectors
    encoding: EncodingName = ""
    code: bool = False  # source code is read, too


@dataclass
class EstimateBounds(Listing):
    """Limits on listing and reading for a caller, and whether the caller is still waiting."""

    files: float = math.inf  # that the sources hold at most
    until: float = math.inf  # by `time.monotonic`: then the last document is read

    def hold(self, named: Iterable[Named]) -> Iterator[Named]:
        """Yield the listed entries.

        Raises:
            InvalidInput: there are too many, listing took too long, or the caller no longer waits.
        """
        for count, entry in enumerate(self.watched(named), start=1):
            if count > self.files:
                raise InvalidInput("sources", f"more than {self.files} files", f"fewer: {_MORE}")
            if time.monotonic() > self.until:
                raise InvalidInput(
                    "sources", f"{count} files so far", f"as many as can be listed in time: {_MORE}"
                )
            yield entry

    def check(self, read: int, documents: int) -> None:
        """Check that there is time to read another document.

        Raises:
            InvalidInput: there is none, or the caller no longer waits.
        """
        self.check_left(documents)
        if time.monotonic() > self.until:
            allowed = f"fewer: {read} of {documents} were read in time; {_MORE}"
            raise InvalidInput("sample", documents, allowed)


class Estimates(Part):
    """Estimates for documents: no server is queried, no model is called, and nothing is stored."""

    def make(self, order: EstimateOrder, bounds: EstimateBounds) -> Estimate:
        """Return the estimate for the documents of the given sources.

        Raises:
            InvalidInput: they exceed the limits, or the price file cannot be read.
        """
        from producer.estimate.estimate import estimate_sources

        settings = self._services.settings
        blobs = self._services.blobs
        listed = (
            entry._replace(document=entry.document.model_copy(update={"encoding": order.encoding}))
            if isinstance(entry, Found)
            else entry
            for entry in list_places(blobs, order.sources, confined=order.confined, code=order.code)
        )
        return estimate_sources(
            order.sources,
            settings if math.isinf(bounds.until) else _hasty(settings),
            sample=order.sample,
            via=order.via,
            latency=order.latency,
            dimension=order.dimension,
            sizes=order,
            listed=bounds.hold(listed),
            progress=bounds.check,
            blobs=blobs,
        )


def _hasty(settings: Settings) -> Settings:
    seconds = min(settings.limits.parse_seconds, _PARSE_SECONDS)
    limits = settings.limits.model_copy(update={"parse_seconds": seconds})
    return settings.model_copy(update={"limits": limits})
