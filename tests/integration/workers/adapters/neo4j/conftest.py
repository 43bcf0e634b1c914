"""The session's graph as its adapter's tests look at it: by statements, and within scopes."""

from collections.abc import Iterator

import neo4j as driver
import pytest

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper


@pytest.fixture(scope="module")
def raw(neo4j) -> Iterator[driver.Driver]:
    login = (neo4j.user, neo4j.password)
    with driver.GraphDatabase.driver(neo4j.url, auth=login, notifications_min_severity="OFF") as raw:
        yield raw


@pytest.fixture
def keeper(neo4j_graph: Neo4jGraph) -> ScopeKeeper:
    return ScopeKeeper(neo4j_graph.connection, 10_000)
