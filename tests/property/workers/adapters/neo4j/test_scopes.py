"""Within a scope every reading is as it would be if what is outside had never been ingested.

So is a reading of two collections together, of which either may hold what is outside.

Most cases are long tests; HOPLINE_TEST_SCOPES=5000 tries as many, =1000-1250 those from 1000 on.
"""

import os
import random

import pytest
from doubles.keys import KEY
from doubles.scope_cases import (
    ORDERS,
    Case,
    Store,
    WordModel,
    begin,
    forget,
    ingest,
    made_case,
    made_written,
    readings,
    set_metadata,
)
from doubles.timeless import timeless

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core.scope import Scope

FIRST, _, LAST = os.environ.get("HOPLINE_TEST_SCOPES", "0-300").rpartition("-")
QUICK = 6
CASES = range(int(FIRST or 0), int(LAST))
SEEDS = [seed if seed < QUICK else pytest.param(seed, marks=pytest.mark.long) for seed in CASES]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reading_is_the_same_without_what_is_outside(neo4j_graph, qdrant_url, collection, seed):
    rng = random.Random(seed)
    check_reading(neo4j_graph, qdrant_url, made_case(rng, collection), rng)


@pytest.mark.parametrize("seed", SEEDS[: max(len(CASES) // 5, QUICK)])
def test_so_is_a_reading_of_two_collections_together(neo4j_graph, qdrant_url, collection, seed):
    rng = random.Random(seed)
    check_reading(neo4j_graph, qdrant_url, made_case(rng, collection, f"{collection}-other"), rng)


def check_reading(neo4j_graph: Neo4jGraph, qdrant_url: str, case: Case, rng: random.Random) -> None:
    store = Store(neo4j_graph, QdrantVectors(qdrant_url, KEY), WordModel())
    alone, order = rng.sample(case.visible, len(case.visible)), sorted(case.documents)
    orders = rng.sample(ORDERS, 2)
    ingest(store, case, alone, together=rng.random() < 0.7)
    set_metadata(store, case, alone)
    never_ingested = list(readings(store, ScopeKeeper(neo4j_graph.connection, 10_000), case, orders))
    for collection in case.collections:
        forget(store, collection)

    rng.shuffle(order)
    keeper = ScopeKeeper(neo4j_graph.connection, 10_000)
    ingest(store, case, order, together=rng.random() < 0.7)
    if case.principals is not None and rng.random() < 0.5:
        begin(store, case, "coming", made_written(rng))
    if rng.random() < 0.5:  # all was seen before it was hidden
        keeper.view(case.collections, Scope())
        keeper.view(case.collections, case.scope)
    set_metadata(store, case, order)
    hidden = list(readings(store, keeper, case, orders))
    for collection in case.collections:
        forget(store, collection)

    assert timeless(hidden) == timeless(never_ingested)
    assert any(hidden)
