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
    """The embedder that made a collection's vectors."""

    name: str
    dimension: int


class DueVector(NamedTuple):
    """A key element that became or ceased to be a redirect, so that its vector must be deleted or made."""

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
        """Create the collection's structures if they are missing.

        Raises:
            EmbedderMismatch: the collection was built with another embedder.
        """

    def check(self, collection: str, embedder: Embedder) -> None:
        """Check before a search that the query's embedder is the collection's; creates nothing.

        Raises:
            EmbedderMismatch: the collection was built with another embedder.
        """

    def figure(self, collection: str) -> EmbedderFigure | None:
        """Return the measured figure of the collection's embedder; None if there is none for this embedder.

        Takes no round trip within a minute of `prepare` or `check`.
        """

    def keep_figure(self, collection: str, embedder: Embedder, figure: EmbedderFigure) -> None:
        """Store the measured figure of the collection's embedder; `drop` removes it."""

    def weight(self, collection: str) -> float:
        """Return the ranker's factor for weights of vectors: as configured, else as measured, else 1.

        Takes as many round trips as `figure`.
        """

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Store points; the same graph id overwrites."""

    def missing(self, collection: str, graph_ids: Sequence[str]) -> set[str]:
        """Return the ids that have no point yet, in one round trip per few thousand.

        In a collection without vectors that is all of them.
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

        A collection without vectors returns empty lists.

        Args:
            collection: collection of the points.
            vectors: the query vectors.
            kind: kind of the points.
            limit: maximum number of points per vector.
            exact: compare with every point, whereas an index may miss some of the nearest.
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
            collection: collection of the points.
            vectors: the query vectors.
            graph_ids: ids of the points, up to a few thousand.
            limit: maximum number of points per vector; default all.
            exact: as in `search`.
        """

    def delete(self, collection: str, graph_ids: Sequence[str]) -> None:
        """Remove points; those that do not exist are ignored."""

    def drop(self, collection: str) -> None:
        """Remove all points of a collection and all data about its embedder."""

    def count(self, collection: str, kind: Kind | None = None) -> int:
        """Return the number of points in a collection."""
