"""Vectors of several collections that are read as one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from workers.adapters.qdrant.scoped import ScopedVectors
from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder, EmbedderFigure, Kind, Vectors
from workers.core.records import Hit


class Shown(Protocol):
    """What is read, of one collection or of several."""

    @property
    def chunk_ids(self) -> Collection[str]:
        """The ids of the chunks."""

    @property
    def element_ids(self) -> Collection[str]:
        """The ids of the key elements."""

    def chunks_in(self, collection: str) -> Collection[str]:
        """Return the ids of the chunks of one collection."""

    def elements_in(self, collection: str) -> Mapping[str, str]:
        """Return the id in a collection of each key element that is named there → the id that it has here."""


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

    return JoinedVectors({name: part(name) for name in collections}, lambda name: shown().elements_in(name))


class JoinedVectors:
    """The part of `core.graph.vectors.Vectors` that searches use, over several collections.

    The name of a collection that a call gives is not looked at: all are meant. Exact, as each of its parts.

    Args:
        parts: the vectors of each collection.
        elements: gives the id in a collection of each key element that is named there → the id that it has
            in what is read.
    """

    def __init__(
        self, parts: Mapping[str, ScopedVectors], elements: Callable[[str], Mapping[str, str]]
    ) -> None:
        self._parts = parts
        self._elements = elements

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
            own = self._elements(name) if kind == "element" else {}
            for best, hits in zip(nearest, part.search(name, vectors, kind, limit), strict=True):
                for hit in hits:
                    here = own.get(hit.id, hit.id)
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
        found: list[dict[str, float]] = [{} for _ in vectors]
        for name, part in self._parts.items():
            for scores, some in zip(found, part.nearest_among(name, vectors, graph_ids), strict=True):
                scores.update(some)
        return found
