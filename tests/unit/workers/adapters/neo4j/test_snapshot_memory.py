"""What taking a snapshot holds in memory, of others and of its own rows."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

from workers.adapters.neo4j.snapshot.keeper import Snapshots

FACTS, ELEMENTS = 20_000, 4  # of each fact
MEGABYTE = 1_000_000


class Rows:
    """A graph of made-up facts, each in a chunk of its own and with key elements of its own."""

    def __init__(self, facts: int) -> None:
        self.facts = facts
        self.keeper = Snapshots(self, facts)  # type: ignore[arg-type]
        self.held: dict[str, int] = {}  # facts that were kept when a query began

    def mark(self) -> str:
        return "as it is"

    def stream(self, query: str, _seconds: float, _mark: str, /, **_parameters: Any) -> Iterator[list[Any]]:
        self.held[query] = self.keeper.facts
        return getattr(self, query)()

    def collection_size(self) -> Iterator[list[Any]]:
        yield [self.facts, self.facts]

    def snapshot_chunks(self) -> Iterator[list[Any]]:
        return ([10**9 + nth, f"c{nth:024}"] for nth in range(self.facts))

    def snapshot_facts(self) -> Iterator[list[Any]]:
        for nth in range(self.facts):
            yield [2 * 10**9 + nth, f"f{nth:024}", [10**9 + nth], list(self._elements(nth))]

    def snapshot_elements(self) -> Iterator[list[Any]]:
        for nth in range(self.facts):
            for number in self._elements(nth):
                yield [number, f"k{number:024}", f"element {number}", 1, 1, True, -1, [2 * 10**9 + nth]]

    def _elements(self, fact: int) -> range:
        return range(3 * 10**9 + ELEMENTS * fact, 3 * 10**9 + ELEMENTS * (fact + 1))


def test_taking_a_snapshot_needs_little_more_than_it_keeps():
    graph = Rows(FACTS)
    tracemalloc.start()
    assert graph.keeper.take("large")
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 12 * MEGABYTE
    assert peak < 2 * kept


def test_what_has_to_go_goes_before_the_new_one_is_read():
    graph = Rows(100)
    assert graph.keeper.take("first")
    assert graph.keeper.take("second")
    assert graph.held["collection_size"] == 100
    assert graph.held["snapshot_facts"] == 0
    assert graph.keeper.get("second", 100)


def test_one_that_is_too_large_is_not_read():
    graph = Rows(100)
    assert graph.keeper.take("first")
    graph.held.clear()
    graph.facts = 101
    assert not graph.keeper.take("second")
    assert list(graph.held) == ["collection_size"]
    assert graph.keeper.get("first", 100)


def test_an_empty_collection_is_held_too():
    graph = Rows(0)
    graph.keeper = Snapshots(graph, 1)  # type: ignore[arg-type]
    assert graph.keeper.take("empty")
    snapshot = graph.keeper.get("empty", 1)
    assert snapshot
    assert snapshot.elements_found(["k1"]) == snapshot.facts_around(["k1"], 1).facts == []
