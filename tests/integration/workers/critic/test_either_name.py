"""A sentence may use either name of a person, where the graph holds that the two are one."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from doubles.documents import Sentence
from doubles.library import ScriptedModel, ports_for
from doubles.naming import tell
from doubles.vectors import MemoryVectors

from workers.core import ids
from workers.core.records import ScoredFact
from workers.critic.schema import AnswerDraft, DraftSentence
from workers.critic.synthesize import WritingInput, synthesize

STATED = ("The sailors called Corvin Drake the Heron.", ["sailors", "Corvin Drake", "the Heron"])
STOLE = ("The Heron stole the lamp of Lisk.", ["the Heron", "lamp", "Lisk"])
BURNED = ("Corvin Drake burned the letter.", ["Corvin Drake", "letter"])


@pytest.fixture
def reads(neo4j_graph, monkeypatch) -> list[str]:
    """The names of the queries that the graph runs."""
    run, queries = neo4j_graph.connection.run, []
    monkeypatch.setattr(
        neo4j_graph.connection,
        "run",
        lambda name, /, **parameters: queries.append(name) or run(name, **parameters),
    )
    return queries


def answer(graph, collection: str, fact: Sentence, sentences: Sequence[str]) -> str:
    """Write an answer of some sentences, each of which cites the one fact."""
    draft = AnswerDraft(
        answerable=True, sentences=[DraftSentence(text=text, citations=[1]) for text in sentences]
    )
    place = {"source_node_id": ids.element_id(collection, "lisk"), "extracted_from_depth": 0}
    place |= {"source_fact_id": ids.fact_id(collection, fact[0]), "source_description": "a story"}
    scored = ScoredFact(fact_text=fact[0], score=0.9, scored_by="critic", **place)
    ports = ports_for(graph, ScriptedModel({AnswerDraft: draft}), MemoryVectors())
    ports = replace(ports, job=ports.job.model_copy(update={"collection": collection}))
    writing = WritingInput(question="What became of it?", sub_questions=(), facts=(scored,))
    return synthesize(writing, ports).result.text


@pytest.mark.parametrize(("fact", "sentence"), [
    (STOLE, "Corvin Drake stole the lamp of Lisk."), (BURNED, "The Heron burned the letter."),
], ids=["the name", "the by-name"])  # fmt: skip
def test_a_sentence_may_use_the_name_that_a_document_states(neo4j_graph, collection, fact, sentence, reads):
    tell(neo4j_graph, collection, "two", [STOLE])
    tell(neo4j_graph, collection, "three", [BURNED])
    assert answer(neo4j_graph, collection, fact, [sentence]) == ""
    tell(neo4j_graph, collection, "one", [STATED])
    reads.clear()
    assert answer(neo4j_graph, collection, fact, [sentence, sentence]) == f"{sentence[:-1]} [1]."
    assert reads.count("merged_names") == 1
    assert answer(neo4j_graph, collection, fact, ["Tobias Renn stole the lamp of Lisk."]) == ""
    neo4j_graph.store.delete_document(ids.document_id(collection, "one"))
    assert answer(neo4j_graph, collection, fact, [sentence]) == ""


def test_a_sentence_in_the_words_of_its_fact_asks_for_no_names(neo4j_graph, collection, reads):
    tell(neo4j_graph, collection, "one", [STATED])
    tell(neo4j_graph, collection, "two", [STOLE])
    reads.clear()
    assert answer(neo4j_graph, collection, STOLE, [STOLE[0]])
    assert "merged_names" not in reads
