"""What contract tests run over: the double and the real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from doubles.graph import MemoryGraph

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.ports import Graph


@pytest.fixture(params=("double", "neo4j"))
def graph(request: pytest.FixtureRequest) -> Iterator[Graph]:
    if request.param == "double":
        yield MemoryGraph()
        return
    server = request.getfixturevalue("neo4j")
    real = Neo4jGraph(server.url, server.user, server.password)
    real.migrate()
    real.check()
    yield real
    real.close()
