"""Vectors within a scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from workers.core.errors import Permanent
from workers.core.graph.vectors import Embedder, EmbedderFigure, Kind, Vectors
from workers.core.records import Hit

_FEW = 1000  # ids that are compared one by one rather than searched for
_MOST = 20_000  # points that are looked through for those in the scope


class ScopedVectors:
    """The part of `core.graph.vectors.Vectors` that searches use, for chunks and key elements of a scope.

    Of few each is compared; else the nearest points are looked through until enough of the scope's are among
    them. How good the embedder is was measured with all documents, so it is not looked at:
    the weight is as set, else the usual one.

    Args:
        vectors: of the collection.
        chunks: gives the ids of the scope's chunks.
        elements: gives the ids of its key elements.
        weight: as set.
    """

    def __init__(
        self,
        vectors: Vectors,
        chunks: Callable[[], Collection[str]],
        elements: Callable[[], Collection[str]],
        weight: float | None = None,
    ) -> None:
        self._vectors = vectors
        self._shown = {"chunk": chunks, "element": elements}
        self._weight = 1.0 if weight is None else weight

    def check(self, collection: str, embedder: Embedder) -> None:
        """See that the query's embedder is the collection's; see `Vectors.check`."""
        self._vectors.check(collection, embedder)

    def figure(self, collection: str) -> EmbedderFigure | None:  # noqa: ARG002 - as the port has it
        """Return nothing: it was measured with all documents."""
        return None

    def weight(self, collection: str) -> float:  # noqa: ARG002 - as the port has it
        """Return what the ranker multiplies its weights of vectors by."""
        return self._weight

    def search(
        self, collection: str, vectors: Sequence[Sequence[float]], kind: Kind, limit: int
    ) -> list[list[Hit]]:
        """Return the nearest points of each vector, best first, ties by id.

        Raises:
            Permanent: facts are looked for, which most collections have no vectors of.
        """
        if kind not in self._shown:
            raise Permanent(f"{kind} vectors are not searched within a scope")
        shown = frozenset(self._shown[kind]())
        if len(shown) <= _FEW:
            near = self._vectors.nearest_among(collection, vectors, sorted(shown)) if shown else []
            found = [[Hit(name, kind, score) for name, score in some.items()] for some in near]
            return [_ranked(hits, limit) for hits in found] or [[] for _ in vectors]
        fetched = 2 * limit
        while True:
            found = self._vectors.search(collection, vectors, kind, fetched)
            inside = [[hit for hit in hits if hit.id in shown] for hits in found]
            enough = all(
                len(some) >= limit or len(hits) < fetched for some, hits in zip(inside, found, strict=True)
            )
            if enough or fetched >= _MOST:
                return [_ranked(some, limit) for some in inside]
            fetched = min(4 * fetched, _MOST)

    def nearest_among(
        self, collection: str, vectors: Sequence[Sequence[float]], graph_ids: Sequence[str]
    ) -> list[dict[str, float]]:
        """Return the similarities of those of some points that are in the scope."""
        shown = frozenset().union(*(ids() for ids in self._shown.values()))
        return self._vectors.nearest_among(collection, vectors, [name for name in graph_ids if name in shown])


def _ranked(hits: Sequence[Hit], limit: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
