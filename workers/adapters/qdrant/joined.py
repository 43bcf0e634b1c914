"""Vectors of several collections read as one, and vectors within a scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from hopline.errors import Permanent
from hopline.models.census import EmbedderFigure
from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder, Kind, Vectors
from workers.core.records import Hit


class Shown(Protocol):
    """The items read, of one collection or of several."""

    @property
    def chunk_ids(self) -> Collection[str]:
        """The ids of the chunks."""

    @property
    def element_ids(self) -> Collection[str]:
        """The ids of the key elements."""

    def chunks_in(self, store: str) -> Mapping[str, str]:
        """Return the name in a store of the vector of each of its chunks → the chunk's id here."""

    def elements_in(self, store: str) -> Mapping[str, str]:
        """Return the same of each key element that is named there."""


def vectors_within(
    vectors: Vectors, collections: Sequence[str], shown: Callable[[], Shown], weight: float | None = None
) -> ScopedVectors | JoinedVectors:
    """Return the vectors of some collections' contents.

    Args:
        vectors: vectors of all collections.
        collections: that are read.
        shown: gives what is read of them.
        weight: weight of vectors, as set.
    """
    if len(collections) == 1:
        return ScopedVectors(vectors, lambda: shown().chunk_ids, lambda: shown().element_ids, weight)

    def part(name: str) -> ScopedVectors:
        return ScopedVectors(
            vectors, lambda: shown().chunks_in(name), lambda: shown().elements_in(name), weight
        )

    def names(name: str, kind: Kind) -> Mapping[str, str]:
        return shown().chunks_in(name) if kind == "chunk" else shown().elements_in(name)

    return JoinedVectors({name: part(name) for name in collections}, names)


class JoinedVectors:
    """The part of `core.graph.vectors.Vectors` that searches use, over several collections.

    The name of a collection that a call gives is not looked at: all are meant. Exact, as each of its parts.

    Args:
        parts: the vectors of each collection.
        names: gives the name in a part of each chunk, or key element, that it has → the id that it has in
            what is read.
    """

    def __init__(
        self, parts: Mapping[str, ScopedVectors], names: Callable[[str, Kind], Mapping[str, str]]
    ) -> None:
        self._parts = parts
        self._names = names

    def check(self, collection: str, embedder: Embedder) -> None:  # noqa: ARG002 - all are meant
        """See that the query's embedder is that of every collection.

        Raises:
            EmbedderMismatch: another one made the vectors of one; it is named.
        """
        for name, part in self._parts.items():
            try:
                part.check(name, embedder)
            except EmbedderMismatch as error:
                message = f"collections that are read together need one embedder: {error}"
                raise EmbedderMismatch(message) from error

    def figure(self, collection: str) -> EmbedderFigure | None:  # noqa: ARG002 - as the port has it
        """Return nothing: it was measured with all documents."""
        return None

    def weight(self, collection: str) -> float:
        """Return the factor for the ranker's weights of vectors, the same for every collection."""
        return next(iter(self._parts.values())).weight(collection)

    def search(
        self,
        collection: str,  # noqa: ARG002 - all are meant
        vectors: Sequence[Sequence[float]],
        kind: Kind,
        limit: int,
    ) -> list[list[Hit]]:
        """Return the nearest points of each vector, best first, ties by id; a key element once."""
        nearest: list[dict[str, Hit]] = [{} for _ in vectors]
        for name, part in self._parts.items():
            own = self._names(name, kind)
            for best, hits in zip(nearest, part.search(name, vectors, kind, limit), strict=True):
                for hit in hits:
                    here = own[hit.id]
                    if here not in best or best[here].score < hit.score:
                        best[here] = hit._replace(id=here)
        return [sorted(best.values(), key=lambda hit: (-hit.score, hit.id))[:limit] for best in nearest]

    def nearest_among(
        self,
        collection: str,  # noqa: ARG002 - all are meant
        vectors: Sequence[Sequence[float]],
        graph_ids: Sequence[str],
    ) -> list[dict[str, float]]:
        """Return the similarities of some chunks."""
        similarities: list[dict[str, float]] = [{} for _ in vectors]
        for name, part in self._parts.items():
            wanted = set(graph_ids)
            own = {stored: here for stored, here in self._names(name, "chunk").items() if here in wanted}
            for scores, some in zip(similarities, part.nearest_among(name, vectors, list(own)), strict=True):
                scores.update((own[stored], score) for stored, score in some.items())
        return similarities


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
        vectors: vectors of the collection.
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
        """Return the factor for the ranker's weights of vectors."""
        return self._weight

    def search(
        self, collection: str, vectors: Sequence[Sequence[float]], kind: Kind, limit: int
    ) -> list[list[Hit]]:
        """Return the nearest points of each vector, best first, ties by id.

        Raises:
            Permanent: facts are looked for, which most collections have no vectors of.
        """
        if kind not in self._shown:
            raise Permanent(f"{kind} vectors cannot be searched within a scope")
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
    """Return the hits of a scope, without those that unfetched points may equal."""
    worst = hits[-1].score if len(hits) >= fetched else float("-inf")
    return [hit for hit in hits if hit.id in shown and hit.score > worst]


def _is_tied(scores: Sequence[float], limit: int) -> bool:
    """Return whether the first that is too much is as near as the last that is not."""
    return len(scores) > limit and scores[limit - 1] == scores[limit]


def _ranked(hits: Sequence[Hit], limit: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
