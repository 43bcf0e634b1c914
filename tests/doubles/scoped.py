"""A real graph whose read side is that of a scope which leaves nothing out."""

from collections.abc import Callable
from typing import Any

import pytest

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.core.scope import Scope

# What reads by other code within a scope runs over the real graph within one of all documents, too.
scoped_too = pytest.mark.parametrize("graph", ["double", "neo4j", "scope"], indirect=True)


class WhollyScoped:
    """Writes to the real graph, and reads each collection within a scope of all its documents."""

    def __init__(self, graph: Neo4jGraph) -> None:
        self._graph = graph
        self._keeper = ScopeKeeper(graph.connection, 1_000_000)

    def __getattr__(self, part: str) -> Any:
        return getattr(self._graph, part)

    @property
    def nodes(self) -> Any:
        return _Part(self._graph, self._scoped, "nodes")

    @property
    def paths(self) -> Any:
        return _Part(self._graph, self._scoped, "paths")

    @property
    def around(self) -> Any:
        return _Part(self._graph, self._scoped, "around")

    def _scoped(self, collection: str) -> ScopedGraph:
        return ScopedGraph(lambda: self._keeper.view(collection, Scope()))


class _Part:
    def __init__(self, graph: Neo4jGraph, scoped: Callable[[str], ScopedGraph], part: str) -> None:
        self._graph, self._scoped, self._part = graph, scoped, part

    def __getattr__(self, method: str) -> Any:
        def call(collection: str, *args: Any, **named: Any) -> Any:
            embedded = method in ("texts", "held")  # read without a scope
            graph = self._graph if embedded else self._scoped(collection)
            return getattr(getattr(graph, self._part), method)(collection, *args, **named)

        return call
