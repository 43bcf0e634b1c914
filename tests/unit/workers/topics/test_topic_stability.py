"""Topics of real passages last: what no change touched is as it was, and the rest keeps its id."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from topics import build, facts_of, stability

from producer.evaluation.dataset import read_dataset
from workers.core.graph.topics import TopicFact

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


@pytest.mark.parametrize(
    "name",
    [
        "hotpot100",
        pytest.param("hotpot500", marks=pytest.mark.long),  # half a minute where other tests run
    ],
)
def test_topics_outlast_a_change_of_some_documents_and_keep_their_ids(name: str) -> None:
    for level in stability(passages(name), CHANGE, seed=0)["levels"]:
        assert level["kept"] >= LEAST
        assert level["same_id"] == 1.0
