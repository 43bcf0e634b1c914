"""What contract tests run over: the double and the real server."""

from __future__ import annotations

import pytest
from doubles.graph import MemoryGraph

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.ports import Graph


@pytest.fixture(params=("double", "neo4j"))
def graph(request: pytest.FixtureRequest) -> Graph:
    if request.param == "double":
        return MemoryGraph()
    real: Neo4jGraph = request.getfixturevalue("neo4j_graph")
    real.check()
    return real
