"""Contracts counted over one's own typed documents, beside a collection in which all of them are active."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from doubles.documents import Sentence
from doubles.typed import Stated, write_typed
from fleet.crew import Crew

from hopline.models.answers import Answer, GraphCitation
from workers.adapters.neo4j.graph import Neo4jGraph

OURS, THEIRS = "typed-counts", "typed-counts-elsewhere"
CONTRACTS = (
    ("Contract Alpha", "active", "2026"), ("Contract Beta", "active", "2027"),
    ("Contract Gamma", "terminated", "2026"), ("Contract Delta", "active", "2027"),
    ("Contract Epsilon", "terminated", "2025"),
)  # fmt: skip
COUNTED = {
    "How many contracts are active?": ["contracts: 3"],
    "How many contracts expire in each year?": [
        "year: 2025 · contracts: 1",
        "year: 2026 · contracts: 2",
        "year: 2027 · contracts: 2",
    ],
}


def _write(graph: Neo4jGraph, collection: str, contracts: Sequence[tuple[str, str, str]]) -> None:
    sentences: list[Sentence] = []
    stated: dict[str, Stated] = {}
    for name, status, year in contracts:
        for text, kind, relation, what in (
            (f"{name} is {status}.", "Status", "HAS_STATUS", status),
            (f"{name} expires in {year}.", "Year", "EXPIRES_IN", year),
        ):
            sentences.append((text, [name, what]))
            stated[text] = Stated(
                types={name: ("Contract",), what: (kind,)}, relations=((name, relation, what),)
            )
    write_typed(graph, collection, "contracts", sentences, stated=stated)


@pytest.fixture(scope="module")
def asking(standing_crew: Crew, neo4j_graph: Neo4jGraph) -> Iterator[Crew]:
    standing_crew.model.set()
    _write(neo4j_graph, THEIRS, [(name, "active", "2026") for name, _, _ in CONTRACTS])
    _write(neo4j_graph, OURS, CONTRACTS)
    yield standing_crew
    for collection in (OURS, THEIRS):
        for document in neo4j_graph.store.documents(collection):
            neo4j_graph.store.delete_document(document.id)


def _rows(answer: Answer) -> list[str]:
    return [
        " · ".join(f"{name}: {value}" for name, value in citation.row.items() if not isinstance(value, dict))
        for citation in answer.citations
        if isinstance(citation, GraphCitation)
    ]


@pytest.mark.parametrize("question", COUNTED)
def test_contracts_are_counted_in_ones_own_collection_alone(asking: Crew, question: str) -> None:
    answer = asking.client.ask(question, collection=OURS, strategy="tools")
    assert answer.status == "done", (answer.reason, answer.details)
    assert [call["tool"] for call in answer.details["tools"]] == ["text2cypher"]
    assert _rows(answer) == COUNTED[question]
    for citation in answer.citations:
        assert isinstance(citation, GraphCitation)
        assert citation.parameters["collection"] == OURS
        assert "n.collection = $collection" in (citation.cypher or "")


def test_the_same_question_to_both_collections_counts_each_ones_own(asking: Crew) -> None:
    question = "How many contracts are active?"
    results: dict[str, Any] = {
        name: asking.client.tools.run("text2cypher", {"question": question}, collection=name)
        for name in (OURS, THEIRS)
    }
    assert {name: result.rows for name, result in results.items()} == {OURS: ((3,),), THEIRS: ((5,),)}
