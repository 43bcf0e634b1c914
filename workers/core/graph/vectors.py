"""The vector store port that steps use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from hopline.models.base import Frozen
from workers.core.records import Hit

Kind = Literal["chunk", "fact", "element"]
MOST_DUE = 1000  # vectors that `vectors_due` returns at once: more may be due where there are as many
_USUAL = 1.1  # reciprocal ranks by vector over those by BM25, of the embedder that the weights were set with
_PRIOR = 16  # pairs that the usual weight is worth
_MOST = 2.0


class Embedder(Frozen):
    """Which embedder made a collection's vectors."""

    name: str
    dimension: int


class DueVector(NamedTuple):
    """A key element that began or ceased to lead to another, whose vector is to be made or deleted."""

    id: str  # of this note: the element may have another
    element: str


class EmbedderFigure(Frozen):
    """How well an embedder joins what belongs together, measured on a sample of a collection's chunks."""

    vectors: float  # mean reciprocal rank, 0..1, of a sentence's own passage by its vector
    words: float  # the same by BM25
    pairs: int  # in the sample
    chunks: int  # that the collection held then

    @property
    def weight(self) -> float:
        """What the ranker multiplies its weights of vectors by, 0 to 2; 1 leaves them as they are.

        The weights were set with an embedder that finds a sentence's passage about as well as BM25 does.
        One that finds it better or worse counts for the square of the ratio (docs/quality.md). Of few pairs
        the figure is shrunk towards 1, as a mean is towards a prior that is worth so many observations.
        """
        if not self.pairs or self.words <= 0:
            return 1.0
        ratio = self.vectors / (_USUAL * self.words)
        sure = self.pairs / (self.pairs + _PRIOR)
        return min(_MOST, 1 + sure * (ratio**2 - 1))


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
