"""Communities of key elements: nested, the same for the same graph, and outlasting small changes."""

from functools import cache
from pathlib import Path

import graspologic_native
import numpy as np
import pytest
from topics import build, facts_of, stability

from hopline.errors import Permanent
from hopline.models.topics import LEVELS
from producer.evaluation.dataset import read_dataset
from workers.core.graph.topics import TopicFact
from workers.topics.build import partition
from workers.topics.projection import Ints, Projection

# The least graph that the library panics on, from these communities.
PANICS, BEFORE = [(0, 1, 1.0), (1, 2, 1.0)], [0, 1, 0]
NONE: Ints = np.zeros(0, np.int64)


def graph_of(edges: list[tuple[int, int, float]], size: int) -> Projection:
    """Return a graph of elements without facts."""
    low, high, weights = zip(*edges, strict=True)
    return Projection(
        facts=[],
        elements=[str(at) for at in range(size)],
        pair_fact=NONE,
        pair_element=NONE,
        weights=np.ones(size),
        edge_low=np.array(low, np.int64),
        edge_high=np.array(high, np.int64),
        edge_weight=np.array(weights),
        said_fact=NONE,
        said_document=NONE,
        documents=0,
    )


def test_a_graph_on_which_the_library_panics_is_clustered_from_scratch() -> None:
    graph = graph_of(PANICS, len(BEFORE))
    before = np.array([BEFORE] * LEVELS, np.int64)
    with pytest.raises(BaseException, match="index out of bounds"):  # else this test shows nothing
        _leiden_from(graph, BEFORE)
    assert (partition(graph, before)[0] == partition(graph)[0]).all()


def _leiden_from(graph: Projection, before: list[int]) -> None:
    ends = zip(graph.edge_low.tolist(), graph.edge_high.tolist(), graph.edge_weight.tolist(), strict=True)
    graspologic_native.leiden(
        [(str(low), str(high), weight) for low, high, weight in ends],
        starting_communities={str(at): community for at, community in enumerate(before)},
        resolution=0.02,
        randomness=1e-4,
        iterations=1,
        use_modularity=False,
        seed=7,
    )


class PanicException(BaseException):
    """As the library's, which can be imported from nowhere."""


def test_a_library_that_always_panics_fails_the_build_and_not_the_worker(monkeypatch):
    def panics(*_: object, **__: object) -> None:
        raise PanicException

    monkeypatch.setattr(graspologic_native, "leiden", panics)
    with pytest.raises(Permanent, match="finds topics"):
        partition(graph_of([(0, 1, 1.0)], 2))


EVAL = Path(__file__).resolve().parents[5] / "shared" / "eval"
CHANGE = 0.015  # of the documents
LEAST = 0.8  # of the topics with five and more facts are kept


@cache
def passages(name: str) -> list[TopicFact]:
    file = EVAL / f"{name}.json"
    if not file.is_file():
        pytest.skip(f"there is no {file}")
    return facts_of(iter(read_dataset(file).passages), 10**9)


def test_a_document_more_changes_few_topics() -> None:
    facts = passages("hotpot100")
    first = list(build(facts).all())
    more = [
        TopicFact(f"new {nth}", f"new {nth}", fact.elements, ["new"]) for nth, fact in enumerate(facts[:2])
    ]
    before = {(topic.id, frozenset(topic.facts)) for topic in first}
    after = {(topic.id, frozenset(topic.facts)) for topic in build([*facts, *more], first).all()}
    assert len(before - after) < 0.02 * len(before)


@pytest.mark.parametrize("name", [
    "hotpot100",
    pytest.param("hotpot500", marks=pytest.mark.long),  # half a minute where other tests run
])  # fmt: skip
def test_topics_outlast_a_change_of_some_documents_and_keep_their_ids(name: str) -> None:
    for level in stability(passages(name), CHANGE, seed=0)["levels"]:
        assert level["kept"] >= LEAST
        assert level["same_id"] == 1.0
