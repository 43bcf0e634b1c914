"""Vectors within a scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from hopline.errors import Permanent
from hopline.models.census import EmbedderFigure
from workers.core.graph.vectors import Embedder, Kind, Vectors
from workers.core.records import Hit

_PAGE = 4_000  # ids that are compared at a time
_LOOKS = (3, 16)  # times as many points as wanted are looked through for those of a scope of more than a page


class ScopedVectors:
    """The part of `core.graph.vectors.Vectors` that searches use, for chunks and key elements of a scope.

    Exact: what is found is what would be were there no other points. An index of the nearest, whose paths
    lead over points of all documents, is not used. Of a scope of many points the nearest of all are looked
    through first; where too few of them are in it, all of its own are compared, page by page. How good the
    embedder is was measured with all documents, so it is not looked at: the weight is as set, else the usual
    one.

    Args:
        vectors: of the collection.
        chunks: gives the ids of the scope's chunks, which are looked up at once, as in a set.
        elements: gives the ids of its key elements, likewise.
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
        shown = self._shown[kind]()
        for times in _LOOKS if len(shown) > _PAGE else ():
            all_hits = self._vectors.search(collection, vectors, kind, times * limit, exact=True)
            inside = [_surely_nearest(hits, shown, times * limit) for hits in all_hits]
            if all(len(some) >= limit for some in inside):
                return [_ranked(some, limit) for some in inside]
        return self._compared(collection, vectors, kind, limit, sorted(shown))

    def _compared(
        self,
        collection: str,
        vectors: Sequence[Sequence[float]],
        kind: Kind,
        limit: int,
        ids: Sequence[str],
    ) -> list[list[Hit]]:
        """Return the nearest of some points, comparing all of them."""
        hit_lists: list[list[Hit]] = [[] for _ in vectors]
        for first in range(0, len(ids), _PAGE):
            page = ids[first : first + _PAGE]
            near = self._vectors.nearest_among(collection, vectors, page, limit + 1, exact=True)
            if any(_is_tied(list(some.values()), limit) for some in near):
                near = self._vectors.nearest_among(collection, vectors, page, exact=True)
            for hits, some in zip(hit_lists, near, strict=True):
                hits += [Hit(name, kind, score) for name, score in some.items()]
        return [_ranked(hits, limit) for hits in hit_lists]

    def nearest_among(
        self, collection: str, vectors: Sequence[Sequence[float]], graph_ids: Sequence[str]
    ) -> list[dict[str, float]]:
        """Return the similarities of those of some points that are in the scope."""
        parts = [ids() for ids in self._shown.values()]
        named = [name for name in graph_ids if any(name in part for part in parts)]
        return self._vectors.nearest_among(collection, vectors, named, exact=True)


def _surely_nearest(hits: Sequence[Hit], shown: Collection[str], fetched: int) -> list[Hit]:
    """Return the hits of a scope but for those that others, which were not fetched, may be as near as."""
    worst = hits[-1].score if len(hits) >= fetched else float("-inf")
    return [hit for hit in hits if hit.id in shown and hit.score > worst]


def _is_tied(scores: Sequence[float], limit: int) -> bool:
    """Return whether the first that is too much is as near as the last that is not."""
    return len(scores) > limit and scores[limit - 1] == scores[limit]


def _ranked(hits: Sequence[Hit], limit: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
