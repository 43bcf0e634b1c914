"""Vectors of several collections that are read as one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from hopline.models.census import EmbedderFigure
from workers.adapters.qdrant.scoped import ScopedVectors
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
    """Return the vectors of what is read of some collections.

    Args:
        vectors: of all collections.
        collections: that are read.
        shown: gives what is read of them.
        weight: of vectors, as set.
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
        """Return what the ranker multiplies its weights of vectors by; the same for every collection."""
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
