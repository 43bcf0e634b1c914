"""What vectors find within a scope does not depend on the points outside it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import httpx
import pytest
from doubles.vectors import MemoryVectors

from workers.adapters.qdrant import calls
from workers.adapters.qdrant.scoped import ScopedVectors
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core.graph.vectors import Embedder, Point
from workers.core.records import Hit

NAME = "scoped"
FEW, MANY = 20, 4_500  # points of a scope: some are compared, of many the nearest of all are looked through


class LastFirst(MemoryVectors):
    """Of points that are equally near, the last of those given comes first: a server may order them so."""

    def nearest_among(
        self,
        collection: str,
        vectors: Sequence[Sequence[float]],
        graph_ids: Sequence[str],
        limit: int | None = None,
        *,
        exact: bool = False,
    ) -> list[dict[str, float]]:
        return super().nearest_among(collection, vectors, graph_ids[::-1], limit, exact=exact)


def stored(angles: Iterable[tuple[str, float]]) -> MemoryVectors:
    vectors = LastFirst()
    vectors.prepare(NAME, Embedder(name="made-up", dimension=2))
    vectors.upsert(
        NAME,
        [
            Point(graph_id=name, kind="chunk", vector=(math.cos(angle), math.sin(angle)))
            for name, angle in angles
        ],
    )
    return vectors


def found(visible: list[tuple[str, float]], hidden: list[tuple[str, float]], limit: int) -> list[Hit]:
    ids = {name for name, _angle in visible}
    scoped = ScopedVectors(stored(hidden + visible), lambda: ids, frozenset)
    return scoped.search(NAME, [(1.0, 0.0)], "chunk", limit)[0]


@pytest.mark.parametrize("size", [FEW, MANY])
@pytest.mark.parametrize("outside", [0, 30, 300, 21_000])
def test_hidden_points_that_are_nearer_push_out_no_visible_one(size: int, outside: int) -> None:
    visible = [(f"v{nth:04}", 0.5 + nth / size) for nth in range(size)]
    hidden = [(f"h{nth}", 0.4 * nth / 21_000) for nth in range(outside)]
    assert [hit.id for hit in found(visible, hidden, 10)] == [name for name, _angle in visible[:10]]


@pytest.mark.parametrize("size", [FEW, MANY])
@pytest.mark.parametrize("outside", [0, 1, 5, 39])
def test_which_of_equally_near_points_are_found_is_as_without_hidden_ones(size: int, outside: int) -> None:
    visible = [(f"v{nth:04}", 0.5) for nth in reversed(range(size))]
    hidden = [(f"h{nth}", 0.1) for nth in range(outside)]
    assert [hit.id for hit in found(visible, hidden, 3)] == ["v0000", "v0001", "v0002"]


def test_only_points_of_the_scope_are_compared() -> None:
    scoped = ScopedVectors(stored([("v", 0.5), ("h", 0.1)]), lambda: ["v"], frozenset)
    assert [list(some) for some in scoped.nearest_among(NAME, [(1.0, 0.0)], ["h", "v"])] == [["v"]]


def test_a_scope_without_points_finds_nothing() -> None:
    assert found([], [("h", 0.0)], 3) == []


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The searches that a server is sent, which finds nothing."""
    sent: list[dict[str, Any]] = []

    def reply(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/query/batch"):
            return httpx.Response(404, json={"status": {"error": "not there"}})
        searches = json.loads(request.content)["searches"]
        sent.extend(searches)
        return httpx.Response(200, json={"result": [{"points": []} for _ in searches]})

    monkeypatch.setattr(calls, "ThreadTransport", lambda _keep_seconds: httpx.MockTransport(reply))
    return sent


@pytest.mark.parametrize("size", [FEW, MANY])
def test_a_server_is_asked_to_compare_every_point_of_a_scope(
    searches: list[dict[str, Any]], size: int
) -> None:
    ids = [f"v{nth}" for nth in range(size)]
    scoped = ScopedVectors(QdrantVectors("http://127.0.0.1:9"), lambda: ids, frozenset)
    scoped.search(NAME, [(1.0, 0.0), (0.0, 1.0)], "chunk", 3)
    scoped.nearest_among(NAME, [(1.0, 0.0)], ids[:3])
    assert searches
    assert [search.get("params") for search in searches] == [{"exact": True}] * len(searches)


def test_a_server_may_use_its_index_where_there_is_no_scope(searches: list[dict[str, Any]]) -> None:
    QdrantVectors("http://127.0.0.1:9").search(NAME, [(1.0, 0.0)], "chunk", 3)
    assert [search.get("params") for search in searches] == [None]
