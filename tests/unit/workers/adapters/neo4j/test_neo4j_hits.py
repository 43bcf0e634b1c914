"""How far a search by words looks for live hits among hidden ones."""

from __future__ import annotations

from workers.adapters.neo4j.around import AroundReader
from workers.adapters.neo4j.live_graph import GraphReader
from workers.adapters.neo4j.rows import MOST_FETCHED


class HiddenIndex:
    """An index of nothing but hidden nodes, as many as are asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def run(self, name: str, /, *, limit: int, **parameters):
        self.asked.append(limit)
        if name == "chunks_like":
            return [
                {"hits": [(f"c{nth}", 1.0, False) for nth in range(limit)]} for _ in parameters["queries"]
            ]
        return [{"id": f"k{nth}", "text": "", "score": 1.0, "live": False} for nth in range(limit)]

    def run_marked(self, name: str, /, **parameters):
        return self.run(name, **parameters), "the state"


def test_a_search_for_chunks_ends_however_many_are_hidden():
    index = HiddenIndex()
    assert AroundReader(index).chunks_like("c", ["who", "when"], 50) == [[], []]
    assert (len(index.asked), max(index.asked)) == (4, MOST_FETCHED)


def test_a_search_for_elements_ends_however_many_are_hidden():
    index = HiddenIndex()
    assert GraphReader(index).elements_like("c", "who", 3000) == []
    assert index.asked == [3010]  # what is asked for is fetched once, also beyond the bound
