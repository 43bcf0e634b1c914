"""Exports all vectors from Qdrant, and imports them into an empty one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client.http import models

from hopline.certificates import tls_context
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.adapters.proxies import heeds_proxies
from workers.adapters.qdrant.calls import QdrantCalls, show_key

_PREFIX = "hopline-"
_PAGE = 500  # points
_INDEXED = ("collection", "kind")


class Space(Frozen):
    """A Qdrant collection of hopline's."""

    name: str
    dimension: int
    distance: str


class VectorArchive:
    """The vector store, read and written page by page.

    Args:
        url: URL of the Qdrant server or of the local endpoint.
        api_key: where the server asks for one.
        ca_file: certificate authorities to trust in addition to the system's.
    """

    def __init__(self, url: str, api_key: str | None, *, ca_file: Path | None = None) -> None:
        self._client = QdrantClient(
            url=url,
            **show_key(url, api_key),
            check_compatibility=False,
            timeout=60,
            trust_env=heeds_proxies(url),
            verify=tls_context(ca_file),
        )
        self._calls = QdrantCalls(url, api_key, 60.0, ca_file)

    def spaces(self) -> list[Space]:
        """Return hopline's Qdrant collections."""
        names = sorted(name for name in self._calls.spaces() if name.startswith(_PREFIX))
        return [self._space(name) for name in names]

    def points(self, space: Space) -> Iterator[Json]:
        """Yield {id, vector, payload} of every point."""
        following: Any = None
        while True:
            records, following = self._client.scroll(
                space.name, limit=_PAGE, offset=following, with_payload=True, with_vectors=True
            )
            for record in records:
                yield {"id": record.id, "vector": record.vector, "payload": record.payload or {}}
            if following is None:
                return

    def prepare(self, space: Space) -> None:
        """Create the Qdrant collection with its indexes if it does not exist."""
        indexed = _INDEXED if space.name.removeprefix(_PREFIX).isdecimal() else ()
        self._calls.create_space(space.name, space.dimension, space.distance, indexed)

    def put(self, space: Space, points: Sequence[Json]) -> None:
        """Write points."""
        batch = {
            "ids": [point["id"] for point in points],
            "vectors": [point["vector"] for point in points],
            "payloads": [point["payload"] for point in points],
        }
        self._calls.upsert(space.name, {"batch": batch})

    def _space(self, name: str) -> Space:
        vectors = self._client.get_collection(name).config.params.vectors
        assert isinstance(vectors, models.VectorParams)  # noqa: S101 - hopline makes no named vectors
        return Space(name=name, dimension=vectors.size, distance=vectors.distance.value)
