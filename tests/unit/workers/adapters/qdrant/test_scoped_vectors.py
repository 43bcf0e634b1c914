"""What vectors find within a scope does not depend on the points outside it."""

import json
import math
from collections.abc import Iterable
from typing import Any

import httpx
import pytest
from doubles.vectors import MemoryVectors

from workers.adapters.qdrant import calls
from workers.adapters.qdrant.joined import ScopedVectors, vectors_within
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder, Point
from workers.core.records import Hit

NAME = "scoped"
FEW, MANY = 20, 4_500  # points of a scope: some are compared, of many the nearest of all are looked through


class LastFirst(MemoryVectors):
    """Of points that are equally near, the last of those given comes first: a server may order them so."""

    def nearest_among(self, collection, vectors, graph_ids, limit=None, *, exact=False):
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
@pytest.mark.parametrize("outside", [0, 300, 21_000])
def test_hidden_points_that_are_nearer_push_out_no_visible_one(size: int, outside: int) -> None:
    visible = [(f"v{nth:04}", 0.5 + nth / size) for nth in range(size)]
    hidden = [(f"h{nth}", 0.4 * nth / 21_000) for nth in range(outside)]
    assert [hit.id for hit in found(visible, hidden, 10)] == [name for name, _angle in visible[:10]]


@pytest.mark.parametrize("size", [FEW, MANY])
@pytest.mark.parametrize("outside", [0, 5, 39])
def test_which_of_equally_near_points_are_found_is_as_without_hidden_ones(size: int, outside: int) -> None:
    visible = [(f"v{nth:04}", 0.5) for nth in reversed(range(size))]
    hidden = [(f"h{nth}", 0.1) for nth in range(outside)]
    assert [hit.id for hit in found(visible, hidden, 3)] == ["v0000", "v0001", "v0002"]


def test_only_points_of_the_scope_are_compared_and_one_without_points_finds_nothing() -> None:
    scoped = ScopedVectors(stored([("v", 0.5), ("h", 0.1)]), lambda: ["v"], frozenset)
    assert [list(some) for some in scoped.nearest_among(NAME, [(1.0, 0.0)], ["h", "v"])] == [["v"]]
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

    monkeypatch.setattr(calls, "ThreadTransport", lambda *_: httpx.MockTransport(reply))
    return sent


@pytest.mark.parametrize("size", [FEW, MANY])
def test_a_server_is_asked_to_compare_every_point_of_a_scope(searches, size):
    ids = [f"v{nth}" for nth in range(size)]
    scoped = ScopedVectors(QdrantVectors("http://127.0.0.1:9"), lambda: ids, frozenset)
    scoped.search(NAME, [(1.0, 0.0), (0.0, 1.0)], "chunk", 3)
    scoped.nearest_among(NAME, [(1.0, 0.0)], ids[:3])
    assert searches
    assert [search.get("params") for search in searches] == [{"exact": True}] * len(searches)


def test_a_server_may_use_its_index_where_there_is_no_scope(searches: list[dict[str, Any]]) -> None:
    QdrantVectors("http://127.0.0.1:9").search(NAME, [(1.0, 0.0)], "chunk", 3)
    assert [search.get("params") for search in searches] == [None]


class Shown:
    """What is read of two collections: the ids of chunks, and of key elements there and here."""

    def __init__(self, chunks: dict[str, set[str]], elements: dict[str, dict[str, str]]) -> None:
        self._chunks, self._elements = chunks, elements
        self.chunk_ids = set().union(*chunks.values())
        self.element_ids = {own for named in elements.values() for own in named.values()}

    def chunks_in(self, collection: str) -> dict[str, str]:
        return {name: name for name in self._chunks[collection]}

    def elements_in(self, collection: str) -> dict[str, str]:
        return self._elements[collection]


@pytest.fixture
def two() -> MemoryVectors:
    """Vectors of two collections: chunks at growing angles by turns, a name in both, and hidden ones."""
    vectors = LastFirst()
    for nth, name in enumerate(("one", "two")):
        vectors.prepare(name, Embedder(name="made-up", dimension=2))
        angles = [(f"{name}{at}", "chunk", 0.1 + (2 * at + nth) / 10) for at in range(4)]
        angles += [(f"hidden-{name}", "chunk", 0.0), (f"bridge-{name}", "element", 0.2)]
        angles += [(f"secret-{name}", "element", 0.0), (f"own-{name}", "element", 0.3 + nth)]
        vectors.upsert(
            name,
            [
                Point(graph_id=graph_id, kind=kind, vector=(math.cos(at), math.sin(at)))
                for graph_id, kind, at in angles
            ],
        )
    return vectors


SHOWN = Shown(
    {name: {f"{name}{at}" for at in range(4)} for name in ("one", "two")},
    {
        "one": {"bridge-one": "bridge-one", "own-one": "own-one"},
        "two": {"bridge-two": "bridge-one", "own-two": "own-here"},
    },
)


def test_several_collections_are_ranked_as_one(two: MemoryVectors) -> None:
    joined = vectors_within(two, ["one", "two"], lambda: SHOWN)
    (hits,) = joined.search("one", [(1.0, 0.0)], "chunk", 3)
    assert [hit.id for hit in hits] == ["one0", "two0", "one1"]
    (scores,) = joined.nearest_among("one", [(1.0, 0.0)], ["two3", "hidden-two", "one3", "unknown"])
    assert scores.keys() == {"one3", "two3"}


def test_a_name_of_several_collections_is_found_once_with_the_id_that_is_read(two: MemoryVectors) -> None:
    joined = vectors_within(two, ["one", "two"], lambda: SHOWN)
    (hits,) = joined.search("one", [(1.0, 0.0)], "element", 3)
    assert [hit.id for hit in hits] == ["bridge-one", "own-one", "own-here"]


def test_of_several_collections_one_embedder_must_have_made_all_vectors(two: MemoryVectors) -> None:
    joined = vectors_within(two, ["one", "two"], lambda: SHOWN)
    joined.check("one", Embedder(name="made-up", dimension=2))
    two.drop("two")
    two.prepare("two", Embedder(name="another", dimension=2))
    with pytest.raises(EmbedderMismatch, match="read together need one embedder: collection 'two'"):
        joined.check("one", Embedder(name="made-up", dimension=2))
    assert isinstance(vectors_within(two, ["one"], lambda: SHOWN), ScopedVectors), "of one its own are read"
