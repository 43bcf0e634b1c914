"""A vector store in memory, for unit tests of what uses one; keeps the same contract as the real one."""

import math
from collections.abc import Sequence

from hopline.errors import Transient
from hopline.models.census import EmbedderFigure
from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder, Kind, Point
from workers.core.records import Hit


class MemoryVectors:
    """Vectors in a dictionary, searched one by one."""

    def __init__(self) -> None:
        self.embedders: dict[str, Embedder] = {}
        self.points: dict[str, dict[str, Point]] = {}
        self.figures: dict[str, tuple[Embedder, EmbedderFigure]] = {}
        self.fixed: float | None = None

    def prepare(self, collection: str, embedder: Embedder) -> None:
        self.check(collection, embedder)
        self.embedders[collection] = embedder
        self.points.setdefault(collection, {})

    def check(self, collection: str, embedder: Embedder) -> None:
        if self.embedders.get(collection, embedder) != embedder:
            raise EmbedderMismatch(f"collection {collection!r} was built with {self.embedders[collection]}")

    def figure(self, collection: str) -> EmbedderFigure | None:
        embedder, figure = self.figures.get(collection, (None, None))
        return figure if embedder == self.embedders.get(collection) else None

    def keep_figure(self, collection: str, embedder: Embedder, figure: EmbedderFigure) -> None:
        self.figures[collection] = embedder, figure

    def weight(self, collection: str) -> float:
        figure = self.figure(collection)
        usual = figure.weight if figure else 1.0
        return usual if self.fixed is None else self.fixed

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        if points and collection not in self.points:
            raise Transient("not prepared")
        for point in points:
            self.points[collection][point.graph_id] = point

    def missing(self, collection: str, graph_ids: Sequence[str]) -> set[str]:
        return set(graph_ids) - set(self.points.get(collection, {}))

    def search(
        self,
        collection: str,
        vectors: Sequence[Sequence[float]],
        kind: Kind,
        limit: int,
        *,
        exact: bool = False,  # noqa: ARG002 - it always is
    ) -> list[list[Hit]]:
        kept = self.embedders.get(collection)
        if kept and any(len(vector) != kept.dimension for vector in vectors):
            raise EmbedderMismatch(f"collection {collection!r} was built with {kept}")
        of_kind = [point for point in self.points.get(collection, {}).values() if point.kind == kind]
        return [_ranked(vector, of_kind)[:limit] for vector in vectors]

    def nearest_among(
        self,
        collection: str,
        vectors: Sequence[Sequence[float]],
        graph_ids: Sequence[str],
        limit: int | None = None,
        *,
        exact: bool = False,  # noqa: ARG002 - as search
    ) -> list[dict[str, float]]:
        stored = self.points.get(collection, {})
        points = [stored[graph_id] for graph_id in dict.fromkeys(graph_ids) if graph_id in stored]
        return [{hit.id: hit.score for hit in _ranked(vector, points)[:limit]} for vector in vectors]

    def delete(self, collection: str, graph_ids: Sequence[str]) -> None:
        for graph_id in graph_ids:
            self.points.get(collection, {}).pop(graph_id, None)

    def drop(self, collection: str) -> None:
        self.points.pop(collection, None)
        self.embedders.pop(collection, None)
        self.figures.pop(collection, None)

    def count(self, collection: str, kind: Kind | None = None) -> int:
        return sum(kind in (None, point.kind) for point in self.points.get(collection, {}).values())


def _ranked(vector: Sequence[float], points: Sequence[Point]) -> list[Hit]:
    hits = [Hit(id=point.graph_id, kind=point.kind, score=_cosine(vector, point.vector)) for point in points]
    return sorted(hits, key=lambda hit: -hit.score)


def _cosine(vector: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*vector) * math.hypot(*other)
    return sum(a * b for a, b in zip(vector, other, strict=True)) / lengths if lengths else 0.0
