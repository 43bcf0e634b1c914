"""Partitions in memory: what is found in them is what the engine finds, whatever was written meanwhile."""

from __future__ import annotations

import random
import uuid
from pathlib import Path
from typing import Any

import pytest

from infra.local.vectors import engine, rows
from infra.local.vectors.engine import Shard, Store
from infra.local.vectors.operations import create_collection, delete_points, query_batch, upsert_points
from infra.local.vectors.refusals import Refused

SIZE = 8
PAIRS = {"collection": "c", "kind": "chunk"}
CHUNKS = {"must": [{"key": key, "match": {"value": value}} for key, value in PAIRS.items()]}


class Spaces:
    """Two collections with the same points, one of which has its chunks in memory."""

    def __init__(self, folder: Path, seed: int, distance: str = "Cosine") -> None:
        self.store = Store(folder)
        self.random = random.Random(seed)
        for name in ("kept", "other"):
            create_collection(self.store, name, {"vectors": {"size": SIZE, "distance": distance}})

    @property
    def kept(self) -> Shard:
        return self.store.shard("kept")

    def write(self, *ids: int, kind: str = "chunk") -> None:
        points = [
            {
                "id": point_id,
                "vector": self.vector(),
                "payload": {"collection": "c", "kind": kind, "graph_id": f"g{point_id}"},
            }
            for point_id in ids
        ]
        for name in ("kept", "other"):
            upsert_points(self.store, name, {"points": points})

    def delete(self, body: dict[str, Any]) -> None:
        for name in ("kept", "other"):
            delete_points(self.store, name, body)

    def vector(self) -> list[float]:
        return [self.random.uniform(-1, 1) for _ in range(SIZE)]

    def keep(self) -> None:
        for _ in range(3):
            query_batch(self.store, "kept", {"searches": [{"query": self.vector(), "filter": CHUNKS}]})
        self.store.keep()

    def is_kept(self) -> bool:
        return self.kept._memory.answer([{"query": self.vector(), "filter": CHUNKS}])[0] is not None

    def assert_alike(self, chosen: dict[str, Any] = CHUNKS, limit: int = 10, *, exact: bool = False) -> None:
        search = {"query": self.vector(), "filter": chosen, "limit": limit, "with_payload": ["graph_id"]}
        search |= {"params": {"exact": exact}}
        kept, other = (
            query_batch(self.store, name, {"searches": [search]})[0]["points"] for name in ("kept", "other")
        )
        assert [(hit["id"], hit["payload"]) for hit in kept] == [(hit["id"], hit["payload"]) for hit in other]
        assert [hit["score"] for hit in kept] == pytest.approx([hit["score"] for hit in other], abs=1e-6)


@pytest.fixture
def spaces(tmp_path: Path) -> Spaces:
    return Spaces(tmp_path / "vectors", seed=5)


def test_a_partition_that_is_asked_for_often_is_answered_from_memory(spaces: Spaces) -> None:
    spaces.write(*range(200))
    spaces.write(*range(200, 400), kind="element")
    assert not spaces.is_kept()
    spaces.keep()
    assert spaces.is_kept()
    for limit in (1, 10, 199, 200, 500):
        spaces.assert_alike(limit=limit)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_found(tmp_path: Path, seed: int) -> None:
    spaces = Spaces(tmp_path / "vectors", seed)
    spaces.write(*range(50))
    spaces.keep()
    for _ in range(40):
        some = spaces.random.sample(range(150), spaces.random.randint(1, 40))
        if spaces.random.random() < 0.6:
            spaces.write(*some, kind=spaces.random.choice(["chunk", "chunk", "element"]))
        else:
            spaces.delete({"points": some})
        assert spaces.is_kept()
        spaces.assert_alike(limit=spaces.random.choice([1, 5, 300]))
        spaces.assert_alike({"must": [{"has_id": some}]}, limit=300)


@pytest.mark.parametrize("seed", range(3))
def test_of_many_points_nearly_all_of_the_nearest_are_found_and_all_where_it_must_be_exact(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "_FULL_SCAN", 300)
    spaces = Spaces(tmp_path / "vectors", seed)
    spaces.write(*range(250))
    spaces.keep()
    spaces.write(*range(200, 3000))  # past the full scan, and twice as many again
    spaces.delete({"points": list(range(0, 600, 7))})
    spaces.write(*range(2500, 2600))
    count = 0
    for _ in range(20):
        search = {"query": spaces.vector(), "filter": CHUNKS, "limit": 5}
        near, nearest = (
            {hit["id"] for hit in query_batch(spaces.store, name, {"searches": [search]})[0]["points"]}
            for name in ("kept", "other")
        )
        count += len(near & nearest)
    assert count >= 0.98 * 100
    assert spaces.is_kept()
    spaces.assert_alike(exact=True)


@pytest.mark.parametrize("distance", ["Cosine", "Dot", "Euclid", "Manhattan"])
def test_every_distance_is_answered_as_the_engine_does(tmp_path: Path, distance: str) -> None:
    spaces = Spaces(tmp_path / "vectors", 1, distance)
    spaces.write(*range(30))
    spaces.keep()
    assert spaces.is_kept() == (distance in ("Cosine", "Dot"))
    spaces.assert_alike()


def test_points_written_while_a_partition_is_read_are_in_it(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_PAGE", 10)
    spaces.write(*range(100))
    kept, turns = spaces.kept, []
    opened = kept.opened

    def interrupted() -> Any:
        turns.append(1)
        if len(turns) == 4:  # after the first pages: a change, a removal and an addition on either side
            spaces.write(2, 80, 1000)
            spaces.delete({"points": [3, 81]})
            spaces.write(4, 82, kind="element")
        return opened()

    for _ in range(3):
        query_batch(spaces.store, "kept", {"searches": [{"query": spaces.vector(), "filter": CHUNKS}]})
    monkeypatch.setattr(kept, "opened", interrupted)
    spaces.store.keep()
    monkeypatch.undo()
    assert len(turns) > 10
    assert spaces.is_kept()
    spaces.assert_alike(limit=1000)


def test_after_a_deletion_by_filter_the_engine_is_asked_until_it_is_read_again(spaces: Spaces) -> None:
    spaces.write(*range(20))
    spaces.keep()
    spaces.delete({"filter": {"must": [{"has_id": [1, 2]}]}})
    assert not spaces.is_kept()
    spaces.assert_alike(limit=100)
    spaces.keep()
    spaces.assert_alike(limit=100)


def test_an_id_may_be_written_in_another_way(spaces: Spaces) -> None:
    names = [uuid.UUID(int=number + 0xABC) for number in range(3)]
    points = [{"id": str(name), "vector": spaces.vector(), "payload": PAIRS} for name in names]
    upsert_points(spaces.store, "kept", {"points": points})
    spaces.keep()
    delete_points(spaces.store, "kept", {"points": [str(names[0]).upper()]})
    upsert_points(spaces.store, "kept", {"points": [points[1] | {"id": names[1].hex}]})
    (hits,) = spaces.kept._memory.answer([{"query": spaces.vector(), "filter": CHUNKS}])
    assert hits is not None
    assert {hit["id"] for hit in hits} == {str(name) for name in names[1:]}


def test_what_takes_too_much_memory_stays_with_the_engine(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaces.write(*range(20))
    monkeypatch.setattr(engine, "_MEMORY_BYTES", 1000)
    spaces.keep()
    assert not spaces.is_kept()
    monkeypatch.undo()
    spaces.keep()
    assert spaces.is_kept()
    monkeypatch.setattr(engine, "_MEMORY_BYTES", 1000)
    spaces.store.keep()
    assert not spaces.is_kept()


def test_what_is_not_asked_for_goes(spaces: Spaces) -> None:
    spaces.write(1)
    spaces.keep()
    spaces.kept._memory.forget_idle(float("inf"))
    assert not spaces.is_kept()


def test_equal_vectors_have_equal_scores_and_are_in_the_order_of_their_ids(spaces: Spaces) -> None:
    vector = spaces.vector()
    for point_id in random.Random(3).sample(range(1000), 700):
        upsert_points(
            spaces.store, "kept", {"points": [{"id": point_id, "vector": vector, "payload": PAIRS}]}
        )
    spaces.keep()
    (hits,) = spaces.kept._memory.answer([{"query": spaces.vector(), "filter": CHUNKS, "limit": 700}])
    assert hits is not None
    assert len({hit["score"] for hit in hits}) == 1
    ids = [str(hit["id"]) for hit in hits]
    assert ids == sorted(ids)


@pytest.mark.parametrize("exact", [True, False])
def test_queries_of_one_call_are_answered_each_by_itself(
    spaces: Spaces, monkeypatch: pytest.MonkeyPatch, *, exact: bool
) -> None:
    monkeypatch.setattr(rows, "_FULL_SCAN", 300)  # more are found by their codes
    spaces.write(*range(400))
    spaces.keep()
    ways = [{"limit": 5}, {"limit": 5}, {"limit": 3}, {"filter": {"must": [{"has_id": [7, 8, 9]}]}}]
    searches = [
        {"query": spaces.vector(), "filter": CHUNKS, "params": {"exact": exact}} | way
        for way in (*ways, *ways)
    ]
    together = spaces.kept._memory.answer(searches)
    assert together == [spaces.kept._memory.answer([search])[0] for search in searches]
    assert [len(hits or ()) for hits in together] == [5, 5, 3, 3] * 2
    among = {"filter": {"must": [{"has_id": [7, 8, 9]}]}}
    assert (
        spaces.kept._memory.answer([{"query": spaces.vector()} | among, {"query": [1.0]} | among])
        == [None] * 2
    )


@pytest.mark.parametrize(
    "more",
    [
        {"score_threshold": 0.0},
        {"offset": 1},
        {"with_vector": True},
        {"with_payload": {"exclude": ["kind"]}},
        {"filter": {"must_not": [{"key": "kind", "match": {"value": "element"}}]}},
        {"filter": {"must": [{"key": "kind", "match": {"any": ["chunk"]}}]}},
        {"filter": None},
    ],
)
def test_other_questions_are_the_engines(spaces: Spaces, more: dict[str, Any]) -> None:
    spaces.write(*range(20))
    spaces.keep()
    search = {"query": spaces.vector(), "filter": CHUNKS, "with_payload": True} | more
    assert spaces.kept._memory.answer([search])[0] is None
    kept, other = (query_batch(spaces.store, name, {"searches": [search]})[0] for name in ("kept", "other"))
    assert [hit["id"] for hit in kept["points"]] == [hit["id"] for hit in other["points"]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": [1.0]},
        {"query": ["1.0"] * SIZE},
        {"query": {"sample": "random"}},
        {"limit": -1},
        {"limit": "3"},
        {"params": {"quantization": {}}},
        {"with_payload": [3]},
        {"filter": {"must": ["kind"]}},
        {"filter": {"must": [{"has_id": 3}]}},
        {"filter": {"must": [{"key": "kind", "match": "chunk"}]}},
        {"prefetch": []},
    ],
)
def test_what_is_wrong_is_refused_as_the_engine_does(spaces: Spaces, wrong: dict[str, Any]) -> None:
    spaces.write(*range(20))
    spaces.keep()
    right = {"query": spaces.vector(), "filter": CHUNKS}
    assert spaces.kept._memory.answer([right])[0] is not None
    assert spaces.kept._memory.answer([right | wrong])[0] is None
    with pytest.raises((Refused, ValueError, TypeError, OverflowError)):
        query_batch(spaces.store, "kept", {"searches": [right, right | wrong]})
