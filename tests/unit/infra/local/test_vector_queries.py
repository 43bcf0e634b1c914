"""Queries that come together: each is answered within its own filter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.local.vectors.engine import Store
from infra.local.vectors.operations import create_collection, query_batch, upsert_points
from infra.local.vectors.refusals import Refused

POINTS = {1: [1.0, 0.0], 2: [0.8, 0.6], 3: [0.0, 1.0]}
AHEAD, UP = POINTS[1], POINTS[3]


def among(*ids: int) -> dict[str, Any]:
    return {"must": [{"has_id": list(ids)}]}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "vectors")
    create_collection(store, "c", {"vectors": {"size": 2, "distance": "Cosine"}})
    batch = {"ids": list(POINTS), "vectors": list(POINTS.values()), "payloads": [{}] * len(POINTS)}
    upsert_points(store, "c", {"batch": batch})
    return store


def test_queries_with_one_filter_and_with_others_are_answered_within_their_own(store):
    queries = [(AHEAD, among(1, 2)), (UP, among(1, 2)), (UP, among(1)), (UP, None), (AHEAD, among(1, 2))]
    searches = [{"query": vector, "filter": chosen} for vector, chosen in queries]
    results = query_batch(store, "c", {"searches": searches})
    assert [[hit["id"] for hit in result["points"]] for result in results] == [
        [1, 2],
        [2, 1],
        [1],
        [3, 2, 1],
        [1, 2],
    ]


@pytest.mark.parametrize("second", [{"must": [{"is_empty": {"key": "kind"}}]}, "all"])
def test_a_filter_that_is_not_known_is_refused_behind_one_that_is(store, second):
    searches = [{"query": AHEAD, "filter": among(1)}, {"query": AHEAD, "filter": second}]
    with pytest.raises(Refused):
        query_batch(store, "c", {"searches": searches})
