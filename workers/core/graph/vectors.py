"""The vector store port that steps use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from workers.core.model import Frozen, Hit

Kind = Literal["chunk", "fact", "element"]


class Embedder(Frozen):
    """Which embedder made a collection's vectors."""

    name: str
    dimension: int


class Point(Frozen):
    """A vector to be stored."""

    graph_id: str
    kind: Kind
    vector: tuple[float, ...]


class Vectors(Protocol):
    """The vector store, one set of points per hopline collection and kind."""

    def prepare(self, collection: str, embedder: Embedder) -> None:
        """Create what the collection needs, once.

        Raises:
            EmbedderMismatch: it was built with another embedder.
        """

    def check(self, collection: str, embedder: Embedder) -> None:
        """Before a search: see that the query's embedder is the collection's; creates nothing.

        Raises:
            EmbedderMismatch: the collection was built with another embedder.
        """

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Store points; the same graph id overwrites."""

    def missing(self, collection: str, graph_ids: Sequence[str]) -> set[str]:
        """Return those of the ids that have no point yet, in one round trip for some thousands.

        A collection without vectors lacks them all.
        """

    def search(
        self, collection: str, vectors: Sequence[Sequence[float]], kind: Kind, limit: int
    ) -> list[list[Hit]]:
        """Return the nearest points of each vector, best first, in one round trip.

        A collection without vectors gives empty lists.
        """

    def nearest_among(
        self, collection: str, vectors: Sequence[Sequence[float]], graph_ids: Sequence[str]
    ) -> list[list[Hit]]:
        """For each vector, rank the given existing points by similarity, in one round trip."""

    def delete(self, collection: str, graph_ids: Sequence[str]) -> None:
        """Remove points; those that do not exist are ignored."""

    def drop(self, collection: str) -> None:
        """Remove all points of a collection and what is remembered of its embedder."""

    def count(self, collection: str, kind: Kind | None = None) -> int:
        """Return how many points a collection holds."""
