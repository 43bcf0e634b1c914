"""Vectors in Qdrant, over HTTP.

All hopline collections whose embedder has the same dimension share one Qdrant collection, the space
`hopline-<dimension>`: one for each would take tens of milliseconds to make, and files and threads to keep;
a filter by keyword even makes a search cheaper (0.4 ms instead of 1.4 ms over 23,000 points). Which embedder
made a hopline collection is one point of the Qdrant collection `hopline-collections`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from qdrant_client.http.models import ScoredPoint

from workers.adapters.qdrant.calls import NotThere, QdrantCalls
from workers.adapters.qdrant.register import REGISTER, embedder_of, entry, entry_id, mismatch
from workers.core.errors import Transient
from workers.core.graph.vectors import Embedder, Kind, Point
from workers.core.ids import point_id
from workers.core.jobs.work import Json
from workers.core.model import Hit

_SPACE = "hopline-"  # + dimension
_INDEXED = ("collection", "kind")
# A body of so many numbers is 2 to 5 MB; the server takes 32.
_NUMBERS_PER_CALL = 250_000
_IDS_PER_CALL = 4_000
# Another process may drop a collection and build it with another embedder: look again after this.
_KNOWN_SECONDS = 60.0


class QdrantVectors:
    """The vector store behind Qdrant's API; one instance serves all threads of a process.

    Args:
        url: of the Qdrant server or of the local endpoint.
        api_key: where the server asks for one.
        timeout: seconds that connecting, sending and each wait for the reply may take.

    Raises:
        DependencyAway: (every method) the server cannot be reached or does not answer in time.
        Transient: (every method) the server failed or is busy.
        Permanent: (every method) the server refused the request.
    """

    def __init__(self, url: str, api_key: str | None = None, timeout: float = 10.0) -> None:
        self.url = url
        self._calls = QdrantCalls(url, api_key, timeout)
        self._preparing = threading.Lock()
        self._known: dict[str, tuple[Embedder, float]] = {}  # with the time.monotonic() to look again
        self._spaces: set[int] = set()  # dimensions whose Qdrant collection this process saw

    def prepare(self, collection: str, embedder: Embedder) -> None:
        """Create what the collection needs, once; costs nothing while it is known in this process.

        Raises:
            EmbedderMismatch: it was built with another embedder.
        """
        if self._is_known(collection, embedder):
            return
        with self._preparing:
            if self._is_known(collection, embedder):
                return
            self._prepare_spaces(embedder.dimension)
            kept = self._registered(collection) or self._register(collection, embedder)
            self._remember(collection, kept, embedder)

    def check(self, collection: str, embedder: Embedder) -> None:
        """Raise EmbedderMismatch where the collection was built with another embedder; creates nothing."""
        if not self._is_known(collection, embedder):
            kept = self._registered(collection)
            if kept is not None:
                self._remember(collection, kept, embedder)

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Store points; the same graph id overwrites. They are readable when this returns."""
        if not points:
            return
        dimension = len(points[0].vector)
        size = max(1, _NUMBERS_PER_CALL // max(1, dimension))
        for begin in range(0, len(points), size):
            try:
                self._calls.upsert(_space(dimension), _batch(collection, points[begin : begin + size]))
            except NotThere as error:
                # The server lost its data, or nothing was prepared: what is known here is worth nothing.
                self._known.pop(collection, None)
                self._spaces.discard(dimension)
                raise Transient(f"vectors of dimension {dimension} were not prepared: {error}") from error

    def missing(self, collection: str, graph_ids: Sequence[str]) -> set[str]:
        """Return those of the ids that have no point yet, in one round trip for some thousands."""
        wanted = {_point(collection, graph_id): graph_id for graph_id in graph_ids}
        known = self._known.get(collection)
        embedder = known[0] if known else self._registered(collection)
        if embedder is None:
            return set(graph_ids)
        points = list(wanted)
        for begin in range(0, len(points), _IDS_PER_CALL):
            page = points[begin : begin + _IDS_PER_CALL]
            with suppress(NotThere):
                for found in self._calls.present(_space(embedder.dimension), page):
                    del wanted[found]
        return set(wanted.values())

    def search(
        self, collection: str, vectors: Sequence[Sequence[float]], kind: Kind, limit: int
    ) -> list[list[Hit]]:
        """Return the nearest points of each vector, best first, in one round trip.

        A collection without vectors gives empty lists.

        Raises:
            EmbedderMismatch: the collection's vectors have another dimension.
        """
        found = self._query(vectors, _filter(collection, kind), limit)
        if vectors and not any(found):
            self._refuse_dimension(collection, len(vectors[0]))
        return found

    def nearest_among(
        self, collection: str, vectors: Sequence[Sequence[float]], graph_ids: Sequence[str]
    ) -> list[list[Hit]]:
        """For each vector, rank the given existing points by similarity, in one round trip."""
        ids = list({_point(collection, graph_id): None for graph_id in graph_ids})
        return self._query(vectors, {"must": [{"has_id": ids}]}, len(ids))

    def delete(self, collection: str, graph_ids: Sequence[str]) -> None:
        """Remove points; those that do not exist are ignored."""
        if graph_ids:
            self._delete_everywhere({"points": [_point(collection, graph_id) for graph_id in graph_ids]})

    def drop(self, collection: str) -> None:
        """Remove all points of a collection and what is remembered of its embedder."""
        self._known.pop(collection, None)
        self._delete_everywhere({"filter": _filter(collection)})
        with suppress(NotThere):
            self._calls.delete(REGISTER, {"points": [entry_id(collection)]})

    def count(self, collection: str, kind: Kind | None = None) -> int:
        """Return how many points a collection holds."""
        body = {"filter": _filter(collection, kind), "exact": True}
        return sum(self._calls.count(space, body) for space in self._every_space())

    def _is_known(self, collection: str, embedder: Embedder) -> bool:
        known, until = self._known.get(collection, (None, 0.0))
        return known == embedder and time.monotonic() < until

    def _remember(self, collection: str, kept: Embedder, wanted: Embedder) -> None:
        if kept != wanted:
            raise mismatch(collection, kept, f"{wanted.name!r} of {wanted.dimension}")
        self._known[collection] = (kept, time.monotonic() + _KNOWN_SECONDS)

    def _prepare_spaces(self, dimension: int) -> None:
        if dimension not in self._spaces:
            self._calls.create_space(REGISTER, 1, "Dot", ())
            self._calls.create_space(_space(dimension), dimension, "Cosine", _INDEXED)
            self._spaces.add(dimension)

    def _registered(self, collection: str) -> Embedder | None:
        try:
            kept = self._calls.retrieve(REGISTER, entry_id(collection))
        except NotThere:
            return None
        return embedder_of(kept) if kept else None

    def _register(self, collection: str, embedder: Embedder) -> Embedder:
        payloads = [entry(collection, embedder)]
        batch = {"ids": [entry_id(collection)], "vectors": [[1.0]], "payloads": payloads}
        # The first of several processes wins; all then read what it wrote.
        self._calls.upsert(REGISTER, {"batch": batch, "update_mode": "insert_only"})
        return self._registered(collection) or embedder

    def _refuse_dimension(self, collection: str, dimension: int) -> None:
        kept = self._registered(collection)
        if kept is not None and kept.dimension != dimension:
            raise mismatch(collection, kept, f"one of {dimension}")

    def _query(self, vectors: Sequence[Sequence[float]], chosen: Json, limit: int) -> list[list[Hit]]:
        if not vectors or limit < 1:
            return [[] for _ in vectors]
        common = {"filter": chosen, "limit": limit, "with_payload": ["graph_id", "kind"]}
        try:
            found = self._calls.query(_space(len(vectors[0])), [{"query": one, **common} for one in vectors])
        except NotThere:
            return [[] for _ in vectors]
        return [[_hit(point) for point in points] for points in found]

    def _every_space(self) -> list[str]:
        return [name for name in self._calls.spaces() if name.removeprefix(_SPACE).isdecimal()]

    def _delete_everywhere(self, body: Json) -> None:
        # Also where an embedder of another dimension may have left points behind.
        for space in self._every_space():
            self._calls.delete(space, body)


def _space(dimension: int) -> str:
    return f"{_SPACE}{dimension}"


def _point(collection: str, graph_id: str) -> str:
    # With the collection's name, so that equal graph ids in two collections are two points.
    return point_id(f"{collection}/{graph_id}")


def _batch(collection: str, points: Sequence[Point]) -> Json:
    return {
        "batch": {
            "ids": [_point(collection, point.graph_id) for point in points],
            "vectors": [point.vector for point in points],
            "payloads": [
                {"collection": collection, "graph_id": point.graph_id, "kind": point.kind} for point in points
            ],
        }
    }


def _filter(collection: str, kind: Kind | None = None) -> Json:
    pairs = {"collection": collection} | ({"kind": kind} if kind else {})
    return {"must": [{"key": key, "match": {"value": value}} for key, value in pairs.items()]}


def _hit(found: ScoredPoint) -> Hit:
    payload = found.payload or {}
    return Hit(id=payload["graph_id"], kind=payload["kind"], score=found.score)
