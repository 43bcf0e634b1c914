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
from functools import lru_cache
from pathlib import Path

from hopline.errors import Transient
from hopline.models.census import EmbedderFigure
from hopline.models.jobs import Json
from workers.adapters.groups import Groups
from workers.adapters.qdrant.calls import NotThere, QdrantCalls, ScoredPoint
from workers.adapters.qdrant.register import (
    REGISTER,
    Registered,
    entry,
    entry_id,
    figure_id,
    figure_payload,
    mismatch,
    registered,
)
from workers.core.graph.vectors import Embedder, Kind, Point
from workers.core.ids import point_id
from workers.core.records import Hit

_SPACE = "hopline-"  # + dimension
_INDEXED = ("collection", "kind")
# A body of so many numbers is 2 to 5 MB; the server takes 32.
_NUMBERS_PER_CALL = 250_000
_IDS_PER_CALL = 4_000
_POINTS_KNOWN = 16_384  # ids of points, some 5 MB: each search names hundreds, mostly those of others before
_UPSERTS = 2  # of few points under way at a time, for each process
# Another process may drop a collection and build it with another embedder: look again after this.
_KNOWN_SECONDS = 60.0

Upsert = tuple[str, Sequence[Point]]  # a collection, and points of it


class QdrantVectors:
    """The vector store behind Qdrant's API; one instance serves all threads of a process.

    Args:
        url: URL of the Qdrant server or of the local endpoint.
        api_key: where the server asks for one.
        timeout: seconds that connecting, sending and each wait for the reply may take.
        weight: weight of every collection's vectors; None: as measured in each.
        numbers_per_call: of the vectors that one request stores.
        ca_file: certificate authorities to trust in addition to the system's.

    Raises:
        DependencyAway: (every method) the server cannot be reached or does not answer in time.
        Transient: (every method) the server failed or is busy.
        Permanent: (every method) the server refused the request.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        timeout: float = 10.0,
        weight: float | None = None,
        numbers_per_call: int = _NUMBERS_PER_CALL,
        *,
        ca_file: Path | None = None,
    ) -> None:
        self.url = url
        self._weight = weight
        self._numbers = numbers_per_call
        self._calls = QdrantCalls(url, api_key, timeout, ca_file)
        self._preparing = threading.Lock()
        self._known: dict[str, tuple[Registered, float]] = {}  # with the time.monotonic() to look again
        self._spaces: set[int] = set()  # dimensions whose Qdrant collection this process saw
        self._upserts = Groups(self._upsert_all, self._upsert, self._fits, _UPSERTS)

    def prepare(self, collection: str, embedder: Embedder) -> None:
        """Prepare the collection once; a process that knows of it does nothing.

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
            self._expect(collection, kept, embedder)

    def check(self, collection: str, embedder: Embedder) -> None:
        """Raise EmbedderMismatch if the collection was built with another embedder; creates nothing."""
        if not self._is_known(collection, embedder):
            kept = self._registered(collection)
            if kept is not None:
                self._expect(collection, kept, embedder)

    def figure(self, collection: str) -> EmbedderFigure | None:
        """Return the measured figure of the collection's embedder; None if it has none."""
        known = self._remembered(collection) or self._registered(collection)
        return known.figure if known else None

    def keep_figure(self, collection: str, embedder: Embedder, figure: EmbedderFigure) -> None:
        """Store the measured figure of the collection's embedder; other processes see it within a minute."""
        payloads = [figure_payload(collection, embedder, figure)]
        batch = {"ids": [figure_id(collection)], "vectors": [[1.0]], "payloads": payloads}
        self._calls.upsert(REGISTER, {"batch": batch})
        self._known.pop(collection, None)

    def weight(self, collection: str) -> float:
        """Return the ranker's factor for weights of vectors: as configured, else as measured, else 1."""
        if self._weight is not None:
            return self._weight
        figure = self.figure(collection)
        return figure.weight if figure else 1.0

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Store points; the same graph id overwrites. They are readable when this returns.

        Few points that come at the same time for one collection go in one call.
        """
        if _numbers(points) <= self._numbers // 4:
            self._upserts.do((collection, points))
        else:
            self._upsert((collection, points))

    def _fits(self, upserts: Sequence[Upsert], other: Upsert) -> bool:
        """Return whether points may be stored with those of others."""
        collection, _points = other
        together = [point for _collection, more in (*upserts, other) for point in more]
        return (
            collection == upserts[0][0]
            and len({len(point.vector) for point in together}) == 1
            and _numbers(together) <= self._numbers
        )

    def _upsert_all(self, upserts: Sequence[Upsert]) -> list[bool]:
        """Store the points of several documents; they are written once where several have them."""
        points = {point.graph_id: point for _collection, more in upserts for point in more}
        self._upsert((upserts[0][0], list(points.values())))
        return [True] * len(upserts)

    def _upsert(self, upsert: Upsert) -> bool:
        collection, points = upsert
        dimension = len(points[0].vector) if points else 0
        size = max(1, self._numbers // max(1, dimension))
        for begin in range(0, len(points), size):
            try:
                self._calls.upsert(_space(dimension), _batch(collection, points[begin : begin + size]))
            except NotThere as error:
                # The server lost its data, or nothing was prepared: what is known here is worth nothing.
                self._known.pop(collection, None)
                self._spaces.discard(dimension)
                raise Transient(f"vectors of dimension {dimension} were not prepared: {error}") from error
        return True

    def missing(self, collection: str, graph_ids: Sequence[str]) -> set[str]:
        """Return the ids that have no point yet, in one round trip per few thousand."""
        wanted = {_point(collection, graph_id): graph_id for graph_id in graph_ids}
        known = self._known.get(collection)
        kept = known[0] if known else self._registered(collection)
        if kept is None:
            return set(graph_ids)
        points = list(wanted)
        for begin in range(0, len(points), _IDS_PER_CALL):
            page = points[begin : begin + _IDS_PER_CALL]
            with suppress(NotThere):
                for point in self._calls.present(_space(kept.embedder.dimension), page):
                    del wanted[point]
        return set(wanted.values())

    def search(
        self,
        collection: str,
        vectors: Sequence[Sequence[float]],
        kind: Kind,
        limit: int,
        *,
        exact: bool = False,
    ) -> list[list[Hit]]:
        """Return the nearest points of each vector, best first, in one round trip.

        A collection without vectors gives empty lists.

        Raises:
            EmbedderMismatch: the collection's vectors have another dimension.
        """
        chosen = _filter(collection, kind)
        points = self._query(vectors, chosen, limit, payload=["graph_id"], exact=exact)
        if vectors and not any(points):
            self._refuse_dimension(collection, len(vectors[0]))
        return [
            [Hit(payload["graph_id"], kind, score) for _id, score, payload in some if payload]
            for some in points
        ]

    def nearest_among(
        self,
        collection: str,
        vectors: Sequence[Sequence[float]],
        graph_ids: Sequence[str],
        limit: int | None = None,
        *,
        exact: bool = False,
    ) -> list[dict[str, float]]:
        """For each vector, return the given existing points' similarities, best first, in one round trip."""
        ids = {_point(collection, graph_id): graph_id for graph_id in graph_ids}
        # Without payloads: the server reads them one by one, and a search asks for hundreds of points.
        chosen, most = {"must": [{"has_id": list(ids)}]}, min(len(ids), limit or len(ids))
        points = self._query(vectors, chosen, most, exact=exact)
        return [{ids[point]: score for point, score, _payload in some} for some in points]

    def delete(self, collection: str, graph_ids: Sequence[str]) -> None:
        """Remove points; those that do not exist are ignored."""
        if graph_ids:
            self._delete_everywhere({"points": [_point(collection, graph_id) for graph_id in graph_ids]})

    def drop(self, collection: str) -> None:
        """Remove all points of a collection and all data about its embedder."""
        self._known.pop(collection, None)
        self._delete_everywhere({"filter": _filter(collection)})
        with suppress(NotThere):
            self._calls.delete(REGISTER, {"points": [entry_id(collection), figure_id(collection)]})

    def count(self, collection: str, kind: Kind | None = None) -> int:
        """Return the number of points in a collection."""
        body = {"filter": _filter(collection, kind), "exact": True}
        return sum(self._calls.count(space, body) for space in self._every_space())

    def _is_known(self, collection: str, embedder: Embedder) -> bool:
        known = self._remembered(collection)
        return known is not None and known.embedder == embedder

    def _remembered(self, collection: str) -> Registered | None:
        known, until = self._known.get(collection, (None, 0.0))
        return known if time.monotonic() < until else None

    def _expect(self, collection: str, kept: Registered, wanted: Embedder) -> None:
        if kept.embedder != wanted:
            raise mismatch(collection, kept.embedder, f"{wanted.name!r} of {wanted.dimension}")
        self._known[collection] = (kept, time.monotonic() + _KNOWN_SECONDS)

    def _prepare_spaces(self, dimension: int) -> None:
        if dimension not in self._spaces:
            self._calls.create_space(REGISTER, 1, "Dot", ())
            self._calls.create_space(_space(dimension), dimension, "Cosine", _INDEXED)
            self._spaces.add(dimension)

    def _registered(self, collection: str) -> Registered | None:
        try:
            return registered(self._calls.retrieve(REGISTER, [entry_id(collection), figure_id(collection)]))
        except NotThere:
            return None

    def _register(self, collection: str, embedder: Embedder) -> Registered:
        payloads = [entry(collection, embedder)]
        batch = {"ids": [entry_id(collection)], "vectors": [[1.0]], "payloads": payloads}
        # The first of several processes wins; all then read what it wrote.
        self._calls.upsert(REGISTER, {"batch": batch, "update_mode": "insert_only"})
        return self._registered(collection) or Registered(embedder=embedder)

    def _refuse_dimension(self, collection: str, dimension: int) -> None:
        kept = self._registered(collection)
        if kept is not None and kept.embedder.dimension != dimension:
            raise mismatch(collection, kept.embedder, f"one of {dimension}")

    def _query(
        self,
        vectors: Sequence[Sequence[float]],
        chosen: Json,
        limit: int,
        *,
        payload: Sequence[str] = (),
        exact: bool,
    ) -> list[list[ScoredPoint]]:
        if not vectors or limit < 1:
            return [[] for _ in vectors]
        common = {"filter": chosen, "limit": limit, "with_payload": list(payload) or False}
        if exact:
            common["params"] = {"exact": True}
        try:
            return self._calls.query(
                _space(len(vectors[0])), [{"query": vector, **common} for vector in vectors]
            )
        except NotThere:
            return [[] for _ in vectors]

    def _every_space(self) -> list[str]:
        return [name for name in self._calls.spaces() if name.removeprefix(_SPACE).isdecimal()]

    def _delete_everywhere(self, body: Json) -> None:
        # Also where an embedder of another dimension may have left points behind.
        for space in self._every_space():
            self._calls.delete(space, body)


def _space(dimension: int) -> str:
    return f"{_SPACE}{dimension}"


@lru_cache(maxsize=_POINTS_KNOWN)
def _point(collection: str, graph_id: str) -> str:
    # With the collection's name, so that equal graph ids in two collections are two points.
    return point_id(f"{collection}/{graph_id}")


def _numbers(points: Sequence[Point]) -> int:
    return sum(len(point.vector) for point in points)


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
