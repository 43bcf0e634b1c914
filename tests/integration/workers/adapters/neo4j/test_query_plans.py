"""A query is planned once, however long the values are that it gets, over a real Neo4j."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from doubles.foreign import ForeignServer, empty

from workers.adapters.neo4j.graph import Neo4jGraph


@pytest.fixture(scope="module")
def neo4j(foreign_neo4j: ForeignServer) -> ForeignServer:
    """Return a server of which no other process uses the cache of plans."""
    empty(foreign_neo4j)
    return foreign_neo4j


def plans(graph: Neo4jGraph, collection: str, sizes: Sequence[int]) -> int:
    """Return how many plans the server keeps after a query got lists of some sizes."""
    clear = "CALL db.clearQueryCaches() YIELD value RETURN value"
    graph.connection.run_text("clear", clear)
    for size in sizes:
        graph.merging.redirects(collection, [f"k{nth}" for nth in range(size)])
    [row] = graph.connection.run_text("clear", clear)
    return int(re.findall(r"\d+", row["value"])[0])


def test_lists_of_all_sizes_share_one_plan(neo4j_graph: Neo4jGraph, collection: str) -> None:
    assert plans(neo4j_graph, collection, [1, 5, 50, 500]) == plans(neo4j_graph, collection, [5])


def test_a_value_that_is_missing_is_an_error(neo4j_graph):
    with pytest.raises(TypeError, match="query document lacks id"):
        neo4j_graph.connection.run("document")
