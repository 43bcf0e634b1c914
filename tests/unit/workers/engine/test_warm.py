"""What a process touches when it starts, and who does that at a time."""

import ast
import gc
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from doubles.graph import MemoryGraph
from doubles.graph_parts import Whole
from doubles.library import ScriptedModel
from doubles.memory_redis import memory_redis, memory_server
from doubles.tooling import GivenRows, ports_over
from doubles.vectors import MemoryVectors
from fakeredis import FakeServer
from structlog.testing import capture_logs

from workers.core.graph.merges import Merging
from workers.core.graph.neighbourhood import NeighbourGraph
from workers.core.graph.paths import PathGraph
from workers.core.graph.surroundings import AroundGraph
from workers.core.ports import DocumentGraph, NodeGraph
from workers.engine.startup import settle, warm_up, warm_up_beside
from workers.tools.toolbox import Toolbox

SOURCES = Path(__file__).resolve().parents[4] / "workers"
_PART = re.compile(r"graph\.\w+$")
ASKING = ("search", "traverse", "critic")  # what a question runs
_LIMIT = 60  # seconds; more is a hang
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
        redis=memory_redis(),
    )
    with capture_logs() as logs:
        warm_up(services)
    assert len(reader.asked) == 1
    assert [line for line in logs if line["event"] == "warm_up.failed"] == []
    assert {"facts_of", "read_chunk", "neighbours_of"} <= asked_by_questions()
    assert graph.methods == asked_by_questions()


def test_a_process_that_answers_nobody_asks_the_graph_nothing():
    services = SimpleNamespace(graph=None, model=Embedding(), vectors=MemoryVectors(), redis=memory_redis())
    with capture_logs() as logs:
        warm_up(services, questions=False)
    assert [line["event"] for line in logs] == ["process.warm"]


class Slow:
    """Vectors that are not there before a test lets them."""

    def __init__(self) -> None:
        self.asked, self.there = threading.Event(), threading.Event()

    def check(self, *_: object) -> None:
        self.asked.set()
        assert self.there.wait(_LIMIT)


def process(vectors: Slow | None = None, server: FakeServer | None = None) -> SimpleNamespace:
    """Return the services of a process that answers nobody."""
    return SimpleNamespace(graph=None, model=Embedding(), vectors=vectors, redis=memory_redis(server))


def test_a_process_serves_while_it_warms_up_and_another_warms_up_after_it():
    server, first, second = memory_server(), Slow(), Slow()
    threads = [warm_up_beside(process(first, server), questions=False)]
    assert first.asked.wait(_LIMIT), "it goes on here while the servers keep it waiting"
    threads.append(warm_up_beside(process(second, server), questions=False))
    assert not second.asked.wait(0.3), "two at once would keep a server that has just started from all others"
    first.there.set()
    assert second.asked.wait(_LIMIT)
    second.there.set()
    for thread in threads:
        thread.join(_LIMIT)
        assert not thread.is_alive()


def test_who_was_killed_while_it_warmed_up_keeps_nobody_from_it_for_long():
    server, killed, next_one = memory_server(), Slow(), Slow()
    services = process(killed, server)
    threading.Thread(
        target=warm_up, args=(services,), kwargs={"questions": False, "turn_seconds": 0.5}, daemon=True
    ).start()
    assert killed.asked.wait(_LIMIT)
    next_one.there.set()
    warm_up(process(next_one, server), questions=False)
    assert next_one.asked.is_set()
    killed.there.set()


def test_a_redis_that_is_away_leaves_a_process_cold():
    server, vectors = memory_server(), Slow()
    server.connected = False
    with capture_logs() as logs:
        warm_up(process(vectors, server))
    assert [line["event"] for line in logs] == ["warm_up.left"]
    assert not vectors.asked.is_set()


def test_the_collector_spares_what_is_there_when_a_process_starts():
    standing = [[]]
    gc.collect()
    settle(process())
    assert not any(each is standing for each in gc.get_objects())
    assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold()[0] > 1_000
