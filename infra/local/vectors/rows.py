"""Points of one partition in memory, with their vectors as the rows of a matrix.

The engine looks each point up in its payload indexes and in its storage, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any
from uuid import UUID

import numpy as np
import qdrant_edge as edge
from numpy.typing import NDArray

from infra.local.vectors.refusals import Json

PointId = int | str
Conditions = tuple[tuple[str, str], ...]  # payload key and value, all of which a point of it has
Vector = NDArray[np.float32]
Places = NDArray[np.int64]
Scored = list[tuple[PointId, float, Json]]  # id, score and payload, best first

_PAYLOAD_BYTES = 500  # of a point, with hopline's payloads; its code included
FULL_SCAN = 10_000  # points that are all compared
# Of points beyond, those whose codes are nearest: of 50,000 chunks with 256 numbers 0.999 of the nearest 50.
_COMPARED_SHARE, _COMPARED_TIMES = 25, 40  # one in so many, and so many times as many as are wanted
_TOGETHER = 16  # queries that are compared with all points at once
_ROUNDING = 1e-5  # more than sums of single precision in another order differ by, of lengths of 1


def point_key(point_id: Any) -> PointId:
    """Return an id in canonical form, a number or a UUID; the engine accepts other spellings."""
    return point_id if isinstance(point_id, int) else str(UUID(str(point_id)))


def bytes_of(points: int, dimension: int) -> int:
    """Return the memory that a number of points takes."""
    return points * (4 * dimension + _PAYLOAD_BYTES)


class Rows:
    """The points that match some conditions. Not thread-safe.

    Equal vectors have equal scores, and points with equal scores are ordered by id.

    Args:
        conditions: conditions that its points match.
        dimension: dimension of the vectors.
        points: expected number of points.
        unit: whether scores are cosines, for which the engine has scaled vectors to length 1.
        full_scan: points that are all compared.
    """

    def __init__(
        self,
        conditions: Conditions,
        dimension: int,
        points: int,
        *,
        unit: bool,
        full_scan: int = FULL_SCAN,
    ) -> None:
        self._conditions = conditions
        self._unit = unit
        self._full_scan = full_scan
        self._vectors = np.zeros((max(1, points), dimension), dtype=np.float32)
        self._longest = 1.0  # length of a vector
        self._ids: list[PointId] = []
        self._payloads: list[Json] = []
        self._places: dict[PointId, int] = {}
        self._codes: SignCodes | None = None

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return bytes_of(*self._vectors.shape)

    def __contains__(self, point_id: object) -> bool:
        return point_id in self._places

    def put(self, records: Sequence[edge.Record]) -> None:
        """Store the current points; those that do not match the conditions are left out."""
        inside = {point_key(record.id): record for record in records if self._meets(record.payload or {})}
        self.remove(key for key in map(point_key, (record.id for record in records)) if key not in inside)
        if not inside:
            return
        for key in inside.keys() - self._places.keys():
            self._places[key] = len(self._ids)
            self._ids.append(key)
            self._payloads.append({})
        self._grow()
        places = [self._places[key] for key in inside]
        vectors = np.array([record.vector for record in inside.values()], dtype=np.float32)
        self._vectors[places] = vectors
        self._longest = max(self._longest, float(np.linalg.norm(vectors, axis=1).max()))
        if self._codes:
            self._codes.put(places, vectors)
        for place, record in zip(places, inside.values(), strict=True):
            self._payloads[place] = record.payload or {}

    def remove(self, ids: Iterable[PointId]) -> None:
        """Remove points; unknown ones are ignored."""
        for point_id in ids:
            place = self._places.pop(point_id, None)
            if place is None:
                continue
            last, payload = self._ids.pop(), self._payloads.pop()
            if last != point_id:
                self._ids[place], self._payloads[place], self._places[last] = last, payload, place
                self._vectors[place] = self._vectors[len(self._ids)]
                if self._codes:
                    self._codes.move(len(self._ids), place)

    def index(self) -> None:
        """Compute the codes if there are many points and codes for at most half of them."""
        points = len(self._ids)
        outgrown = self._codes is None or points > 2 * self._codes.made_of
        if self._unit and points > self._full_scan and outgrown:
            self._codes = SignCodes(self._vectors, points)

    def nearest(self, vectors: Sequence[Sequence[float]], limit: int, *, exact: bool = False) -> list[Scored]:
        """Return the nearest points of each vector; among many points, unless exact, those found by codes."""
        self.index()
        queries, points = [self._query(vector) for vector in vectors], len(self._ids)
        near: Iterable[Places]
        if self._codes is None or points <= self._full_scan or exact:
            near = map(partial(self._may_be_near, limit=limit), queries, self._products(queries, points))
        else:
            near = map(partial(self._near_by_codes, self._codes, points=points, limit=limit), queries)
        return [self._best(query, places, limit) for query, places in zip(queries, near, strict=True)]

    def nearest_among(
        self, vectors: Sequence[Sequence[float]], ids: Iterable[PointId], limit: int
    ) -> list[Scored]:
        """Return the nearest points of each vector among some points, comparing all of them."""
        places = np.array([self._places[point_id] for point_id in ids])
        return [self._best(self._query(vector), places, limit) for vector in vectors]

    def _meets(self, payload: Json) -> bool:
        for key, value in self._conditions:
            has = payload.get(key)
            if has != value and not (isinstance(has, list) and value in has):
                return False
        return True

    def _grow(self) -> None:
        room, dimension = self._vectors.shape
        if len(self._ids) > room:
            larger = np.zeros((len(self._ids) * 5 // 4, dimension), dtype=np.float32)
            larger[:room] = self._vectors
            self._vectors = larger

    def _query(self, vector: Sequence[float]) -> Vector:
        query = np.array(vector, dtype=np.float32)
        length = np.linalg.norm(query)
        return query / np.float32(length) if self._unit and length else query

    def _products(self, queries: Sequence[Vector], points: int) -> Iterator[Vector]:
        """Yield the products of each query with all points, which are read once for some queries."""
        for first in range(0, len(queries), _TOGETHER):
            yield from (self._vectors[:points] @ np.stack(queries[first : first + _TOGETHER], axis=1)).T

    def _near_by_codes(self, codes: SignCodes, query: Vector, points: int, limit: int) -> Places:
        places = codes.nearest(query, points, max(points // _COMPARED_SHARE, _COMPARED_TIMES * limit))
        near: Places = places[self._may_be_near(query, self._vectors[places] @ query, limit)]
        return near

    def _may_be_near(self, query: Vector, scores: Vector, limit: int) -> Places:
        """Return which vectors may be among the nearest, allowing for rounding differences."""
        if limit >= len(scores):
            return np.arange(len(scores))
        worst = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        return np.flatnonzero(scores >= worst - _ROUNDING * self._longest * float(np.linalg.norm(query)))

    def _best(self, query: Vector, places: Places, limit: int) -> Scored:
        scores = (self._vectors[places] * query).sum(axis=1)
        if limit < len(places):
            near = scores >= np.partition(scores, len(places) - limit)[len(places) - limit]
            places, scores = places[near], scores[near]
        pairs = zip(places.tolist(), scores.tolist(), strict=True)
        hits = [(self._ids[place], score, self._payloads[place]) for place, score in pairs]
        return sorted(hits, key=lambda hit: (-hit[1], str(hit[0])))[:limit]


_BITS = 512
_WORD = 64
_SEED = 1
_ROWS = 4096  # that are rotated at a time


class SignCodes:
    """Bit codes of the first rows of a matrix, which rule most rows out as near ones.

    A code is the signs of a vector's numbers after a random rotation: two vectors differ in as many of them
    as the angle between them is wide (Charikar, Similarity estimation techniques from rounding algorithms,
    2002). Numbers count from the vectors' mean, around which the vectors of many embedders lie.

    Args:
        vectors: unit vectors, one per row.
        points: number of filled rows.

    Attributes:
        made_of: number of points from which the mean was computed.
    """

    def __init__(self, vectors: NDArray[np.float32], points: int) -> None:
        self.made_of = points
        self._mean = vectors[:points].mean(axis=0)
        self._words = np.zeros((_BITS // _WORD, len(vectors)), dtype=np.uint64)
        for first in range(0, points, _ROWS):
            places = list(range(first, min(first + _ROWS, points)))
            self.put(places, vectors[places])

    def put(self, places: list[int], vectors: NDArray[np.float32]) -> None:
        """Update the codes of some rows."""
        room = self._words.shape[1]
        if (most := max(places)) >= room:
            larger = np.zeros((len(self._words), (most + 1) * 5 // 4), dtype=np.uint64)
            larger[:, :room] = self._words
            self._words = larger
        self._words[:, places] = _words(vectors - self._mean).T

    def move(self, row: int, place: int) -> None:
        """Move the code of one row to another."""
        self._words[:, place] = self._words[:, row]

    def nearest(self, query: NDArray[np.float32], points: int, wanted: int) -> NDArray[np.int64]:
        """Return the rows with the nearest codes: as many as wanted, and ties.

        Args:
            query: a unit vector.
            points: number of filled rows.
            wanted: minimum number of rows, if there are so many.
        """
        differing = np.zeros(points, dtype=np.uint16)
        for words, word in zip(self._words, _words(query[None])[0], strict=True):
            differing += np.bitwise_count(words[:points] ^ word)
        nearer = np.cumsum(np.bincount(differing, minlength=_BITS + 1))
        return np.flatnonzero(differing <= np.searchsorted(nearer, min(wanted, points)))


def _words(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    rotated = vectors @ _rotation(vectors.shape[1])
    return np.packbits(rotated > 0, axis=1).view(np.uint64)


@cache
def _rotation(dimension: int) -> NDArray[np.float32]:
    """Return as many rotations side by side as the bits need."""
    random = np.random.default_rng(_SEED)
    width = min(dimension, _BITS)
    parts = [np.linalg.qr(random.normal(size=(dimension, width)))[0] for _ in range(-(-_BITS // width))]
    return np.concatenate(parts, axis=1)[:, :_BITS].astype(np.float32)
