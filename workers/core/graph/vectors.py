"""The vector store port that steps use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from hopline.models.base import Frozen
from hopline.models.census import EmbedderFigure
from workers.core.records import Hit

Kind = Literal["chunk", "fact", "element"]
MOST_DUE = 1000  # vectors that `vectors_due` returns at once: more may be due where there are as many


class Embedder(Frozen):
    """Which embedder made a collection's vectors."""

    name: str
    dimension: int


class DueVector(NamedTuple):
    """A key element that began or ceased to lead to another, whose vector is to be made or deleted."""

    id: str  # of this note: the element may have another
    element: str


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

    def figure(self, collection: str) -> EmbedderFigure | None:
        """Return what was measured of the collection's embedder; None where nothing was, or of another.

        Costs nothing within a minute of `prepare` or `check`.
        """

    def keep_figure(self, collection: str, embedder: Embedder, figure: EmbedderFigure) -> None:
        """Keep what was measured of the collection's embedder; `drop` forgets it."""

    def weight(self, collection: str) -> float:
        """Return what the ranker multiplies its weights of vectors by: as set, else as measured, else 1.

        Costs what `figure` costs.
        """

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Store points; the same graph id overwrites."""

    def missing(self, collection: str, graph_ids: Sequence[str]) -> set[str]:
        """Return those of the ids that have no point yet, in one round trip for some thousands.

        A collection without vectors lacks them all.
        """

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

        Args:
            collection: of the points.
            vectors: that they are compared with.
            kind: of the points.
            limit: points at most for each vector.
            exact: compare with every point, where an index may leave out some of the nearest.
        """

    def nearest_among(
        self,
        collection: str,
        vectors: Sequence[Sequence[float]],
        graph_ids: Sequence[str],
        limit: int | None = None,
        *,
        exact: bool = False,
    ) -> list[dict[str, float]]:
        """For each vector, return the given existing points' similarities, best first, in one round trip.

        Args:
            collection: of the points.
            vectors: that they are compared with.
            graph_ids: of the points; some thousands.
            limit: points at most for each vector; all unless given.
            exact: as `search`.
        """

    def delete(self, collection: str, graph_ids: Sequence[str]) -> None:
        """Remove points; those that do not exist are ignored."""

    def drop(self, collection: str) -> None:
        """Remove all points of a collection and what is remembered of its embedder."""

    def count(self, collection: str, kind: Kind | None = None) -> int:
        """Return how many points a collection holds."""
