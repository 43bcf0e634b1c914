"""What a worker touches before its first item."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from doubles.graph import MemoryGraph
from doubles.graph_parts import Whole
from doubles.library import ScriptedModel
from doubles.tooling import GivenRows, ports_over
from doubles.vectors import MemoryVectors
from structlog.testing import capture_logs

from workers.core.graph.merges import Merging
from workers.core.graph.neighbourhood import NeighbourGraph
from workers.core.graph.paths import PathGraph
from workers.core.graph.surroundings import AroundGraph
from workers.core.ports import DocumentGraph, NodeGraph
from workers.engine.startup import warm_up
from workers.tools.toolbox import Toolbox

SOURCES = Path(__file__).resolve().parents[4] / "workers"
_PART = re.compile(r"graph\.\w+$")
ASKING = ("search", "traverse", "critic")  # what a question runs
IN_MEMORY = {"snapshot"}  # looks no further than the process


class Touched(Whole):
    """A graph that remembers what it was asked."""

    def __init__(self) -> None:
        self.graph = MemoryGraph()
        self.methods: set[str] = set()

    def __getattr__(self, name: str) -> object:
        self.methods.add(name)
        return getattr(self.graph, name)


class Embedding(ScriptedModel):
    def embed(self, texts):
        return [[1.0, 0.0] for _ in texts]


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


def asked_by_questions() -> set[str]:
    """Return the graph's methods that the code of questions calls."""
    parts = (DocumentGraph, NodeGraph, PathGraph, AroundGraph, NeighbourGraph, Merging)
    known = {name for part in parts for name in dir(part) if not name.startswith("_")}
    called: set[str] = set()
    for folder in ASKING:
        for path in (SOURCES / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and _PART.search(ast.unparse(node.value)):
                    called.add(node.attr)
    return (called & known) - IN_MEMORY


def test_all_that_a_question_asks_of_the_graph_is_touched_and_nothing_else():
    graph, reader = Touched(), GivenRows()
    services = SimpleNamespace(
        graph=graph,
        model=Embedding(),
        vectors=MemoryVectors(),
        reader=reader,
        toolbox=Toolbox(),
        tool_ports=lambda _collection: ports_over(reader),
    )
    with capture_logs() as logs:
        warm_up(services)
    assert len(reader.asked) == 1
    assert [line for line in logs if line["event"] == "warm_up.failed"] == []
    assert {"facts_of", "read_chunk", "neighbours_of"} <= asked_by_questions()
    assert graph.methods == asked_by_questions()


def test_a_process_that_answers_nobody_asks_the_graph_nothing():
    services = SimpleNamespace(graph=None, model=Embedding(), vectors=MemoryVectors())
    with capture_logs() as logs:
        warm_up(services, questions=False)
    assert [line["event"] for line in logs] == ["process.warm"]


def test_a_server_that_is_away_keeps_no_worker_from_starting_nor_the_collector_from_sparing_what_is_there():
    standing = [[]]
    gc.collect()
    warm_up(SimpleNamespace(graph=None, model=Embedding(), vectors=None))
    assert not any(each is standing for each in gc.get_objects())
    assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold()[0] > 1_000
