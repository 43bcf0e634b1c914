"""Partitions in memory: what is found in them is what the engine finds, whatever was written meanwhile."""

import random
import uuid
from pathlib import Path
from typing import Any

import pytest

from infra.local.vectors.engine import Shard, Store
from infra.local.vectors.operations import create_collection, delete_points, query_batch, upsert_points
from infra.local.vectors.refusals import Json, Refused

SIZE = 8
PAIRS = {"collection": "c", "kind": "chunk"}
CHUNKS = {"must": [{"key": key, "match": {"value": value}} for key, value in PAIRS.items()]}


def among(*ids: int) -> Json:
    return {"must": [{"has_id": list(ids)}]}


class Spaces:
    """Two collections with the same points, one of which has its chunks in memory."""

    def __init__(self, folder: Path, seed: int = 5, distance: str = "Cosine", **bounds: int) -> None:
        self.store = Store(folder / "vectors", **bounds)
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

    def delete(self, body: Json) -> None:
        for name in ("kept", "other"):
            delete_points(self.store, name, body)

    def vector(self) -> list[float]:
        return [self.random.uniform(-1, 1) for _ in range(SIZE)]

    def search(self, **more: Any) -> Json:
        return {"query": self.vector(), "filter": CHUNKS} | more

    def hits(self, name: str, *searches: Json) -> list[list[Json]]:
        return [reply["points"] for reply in query_batch(self.store, name, {"searches": list(searches)})]

    def ask_often(self) -> None:
        for _ in range(3):
            self.hits("kept", self.search())

    def keep(self) -> None:
        self.ask_often()
        self.store.keep()

    def remembered(self, *searches: Json) -> list[list[Json] | None]:
        """Return the hits that memory has; None where the engine must be asked."""
        return self.kept.memory.answer(searches or [self.search()])

    def is_kept(self) -> bool:
        return self.remembered() != [None]

    def assert_alike(self, chosen: Json = CHUNKS, limit: int = 10, *, exact: bool = False) -> None:
        search = self.search(filter=chosen, limit=limit, with_payload=["graph_id"], params={"exact": exact})
        [kept], [other] = (self.hits(name, search) for name in ("kept", "other"))
        assert [(hit["id"], hit["payload"]) for hit in kept] == [(hit["id"], hit["payload"]) for hit in other]
        assert [hit["score"] for hit in kept] == pytest.approx([hit["score"] for hit in other], abs=1e-6)


@pytest.fixture
def spaces(tmp_path: Path) -> Spaces:
    """Twenty chunks, not in memory."""
    spaces = Spaces(tmp_path)
    spaces.write(*range(20))
    return spaces


def test_a_partition_that_is_asked_for_often_is_answered_from_memory_until_it_is_idle(spaces: Spaces) -> None:
    spaces.write(*range(200, 400), kind="element")
    assert not spaces.is_kept()
    spaces.keep()
    assert spaces.is_kept()
    for limit in (1, 10, 19, 20, 50):
        spaces.assert_alike(limit=limit)
    spaces.kept.memory.forget_idle(float("inf"))
    assert not spaces.is_kept()


@pytest.mark.parametrize("seed", range(2))
def test_what_is_written_is_found(tmp_path: Path, seed: int) -> None:
    spaces = Spaces(tmp_path, seed)
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
        spaces.assert_alike(among(*some), limit=300)


def test_nearly_all_of_the_nearest_are_found_among_many_and_all_where_it_is_exact(tmp_path: Path) -> None:
    spaces = Spaces(tmp_path, full_scan=300)
    spaces.write(*range(250))
    spaces.keep()
    spaces.write(*range(200, 3000))  # past the full scan, and twice as many again
    spaces.delete({"points": list(range(0, 600, 7))})
    spaces.write(*range(2500, 2600))
    count = 0
    for _ in range(20):
        search = spaces.search(limit=5)
        near, nearest = ({hit["id"] for hit in spaces.hits(name, search)[0]} for name in ("kept", "other"))
        count += len(near & nearest)
    assert count >= 0.98 * 100
    assert spaces.is_kept()
    spaces.assert_alike(exact=True)


@pytest.mark.parametrize(("distance", "is_comparable"), [("Dot", True), ("Euclid", False)])
def test_other_distances_are_answered_as_the_engine_does(tmp_path, distance, is_comparable):
    spaces = Spaces(tmp_path, distance=distance)
    spaces.write(*range(30))
    spaces.keep()
    assert spaces.is_kept() == is_comparable
    spaces.assert_alike()


def test_points_written_during_a_read_are_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spaces = Spaces(tmp_path, page=10)
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

    spaces.ask_often()
    monkeypatch.setattr(kept, "opened", interrupted)
    spaces.store.keep()
    monkeypatch.undo()
    assert len(turns) > 10
    assert spaces.is_kept()
    spaces.assert_alike(limit=1000)


def test_after_a_deletion_by_filter_the_engine_is_asked_until_it_is_read_again(spaces: Spaces) -> None:
    spaces.keep()
    spaces.delete({"filter": among(1, 2)})
    assert not spaces.is_kept()
    spaces.assert_alike(limit=100)
    spaces.keep()
    spaces.assert_alike(limit=100)


def test_an_id_may_be_written_in_another_way(tmp_path: Path) -> None:
    spaces = Spaces(tmp_path)
    names = [uuid.UUID(int=number + 0xABC) for number in range(3)]
    points = [{"id": str(name), "vector": spaces.vector(), "payload": PAIRS} for name in names]
    upsert_points(spaces.store, "kept", {"points": points})
    spaces.keep()
    delete_points(spaces.store, "kept", {"points": [str(names[0]).upper()]})
    upsert_points(spaces.store, "kept", {"points": [points[1] | {"id": names[1].hex}]})
    [hits] = spaces.remembered()
    assert hits is not None
    assert {hit["id"] for hit in hits} == {str(name) for name in names[1:]}


def test_what_takes_too_much_memory_stays_with_the_engine(spaces: Spaces) -> None:
    spaces.ask_often()
    spaces.kept.keep(1000)
    assert not spaces.is_kept()
    spaces.keep()
    assert spaces.is_kept()
    spaces.kept.keep(1000)
    assert not spaces.is_kept()


def test_equal_vectors_have_equal_scores_and_are_in_the_order_of_their_ids(tmp_path: Path) -> None:
    spaces = Spaces(tmp_path)
    vector, ids = spaces.vector(), random.Random(3).sample(range(1000), 700)
    points = [{"id": point_id, "vector": vector, "payload": PAIRS} for point_id in ids]
    upsert_points(spaces.store, "kept", {"points": points})
    spaces.keep()
    [hits] = spaces.remembered(spaces.search(limit=700))
    assert hits is not None
    assert len({hit["score"] for hit in hits}) == 1
    shown = [str(hit["id"]) for hit in hits]
    assert shown == sorted(map(str, ids))


@pytest.mark.parametrize("exact", [True, False])
def test_queries_of_one_call_are_answered_each_by_itself(tmp_path: Path, *, exact: bool) -> None:
    spaces = Spaces(tmp_path, full_scan=300)  # more are found by their codes
    spaces.write(*range(400))
    spaces.keep()
    ways: list[Json] = [{"limit": 5}, {"limit": 5}, {"limit": 3}, {"filter": among(7, 8, 9)}]
    searches = [spaces.search(params={"exact": exact}, **way) for way in (*ways, *ways)]
    together = spaces.remembered(*searches)
    assert together == [spaces.remembered(search)[0] for search in searches]
    assert [len(hits or ()) for hits in together] == [5, 5, 3, 3] * 2
    searches.append(spaces.search(filter=None))
    assert spaces.hits("other", *searches) == [spaces.hits("other", search)[0] for search in searches]
    few = spaces.search(filter=among(7, 8, 9))
    assert spaces.remembered(few, few | {"query": [1.0]}) == [None] * 2


OTHERS: list[Json] = [
    {"score_threshold": 0.0}, {"offset": 1}, {"with_vector": True}, {"with_payload": {"exclude": ["kind"]}},
    {"filter": {"must_not": [{"key": "kind", "match": {"value": "element"}}]}},
    {"filter": {"must": [{"key": "kind", "match": {"any": ["chunk"]}}]}}, {"filter": None},
]  # fmt: skip


def test_other_questions_are_the_engines(spaces: Spaces) -> None:
    spaces.keep()
    for more in OTHERS:
        search = spaces.search(with_payload=True) | more
        assert spaces.remembered(search) == [None], more
        kept, other = ([hit["id"] for hit in spaces.hits(name, search)[0]] for name in ("kept", "other"))
        assert kept == other, more


WRONG: list[Json] = [
    {"query": [1.0]}, {"query": ["1.0"] * SIZE}, {"query": {"sample": "random"}}, {"limit": -1},
    {"limit": "3"}, {"params": {"quantization": {}}}, {"with_payload": [3]}, {"filter": "all"},
    {"filter": {"must": ["kind"]}}, {"filter": {"must": [{"has_id": 3}]}},
    {"filter": {"must": [{"is_empty": {"key": "kind"}}]}},
    {"filter": {"must": [{"key": "kind", "match": "chunk"}]}}, {"prefetch": []},
]  # fmt: skip


def test_what_is_wrong_is_refused_as_the_engine_does(spaces: Spaces) -> None:
    spaces.keep()
    right = spaces.search()
    assert spaces.remembered(right) != [None]
    for wrong in WRONG:
        assert spaces.remembered(right | wrong) == [None], wrong
        for name in ("kept", "other"):
            with pytest.raises((Refused, ValueError, TypeError, OverflowError)):
                spaces.hits(name, right, right | wrong)
