"""What contract tests run over: the double, the real server, and where a test is `scoped_too` a scope."""

from typing import cast

import pytest
from doubles.graph import MemoryGraph
from doubles.scoped import WhollyScoped

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.ports import Graph


@pytest.fixture(params=("double", "neo4j"))
def graph(request: pytest.FixtureRequest) -> Graph:
    if request.param == "double":
        return MemoryGraph()
    real: Neo4jGraph = request.getfixturevalue("neo4j_graph")
    real.check()
    return cast("Graph", WhollyScoped(real)) if request.param == "scope" else real
