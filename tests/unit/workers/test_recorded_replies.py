"""What a large language model really replied on 22 November 2026, against the schemas and the code of now."""

import json
from pathlib import Path
from typing import Any

import pytest
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from hopline.models.documents import Chunk, Document
from workers.core.answers.check_numbers import missing_numbers
from workers.core.graph.elements import normalise_element
from workers.core.graph.paths import ChunkReading
from workers.core.records import FactSource, Neighbour, NodeReading
from workers.critic.schema import AnswerDraft, FactScore, FactScores, NumberedScore, ReasonedAnswer
from workers.critic.score import ScorableFact, ScoreInput, score_fact
from workers.ingest.schema import ExtractedFacts
from workers.traverse.graph.notes import Shown, believed
from workers.traverse.reader.neighbours import chosen_neighbour
from workers.traverse.reader.schema import ChunkNotes, FactNotes, NeighbourChoice, RationalPlan, StartScores
from workers.traverse.schema import NodeNotes, QuestionPlan

RECORDED = Path(__file__).resolve().parents[4] / "shared" / "eval" / "llm_replies_musique.jsonl"
CRITICS = (AnswerDraft, FactScore, ReasonedAnswer)
PATHS = (ChunkNotes, FactNotes, NeighbourChoice, RationalPlan, StartScores)
SCHEMAS = {kind.__name__: kind for kind in (*CRITICS, *PATHS, ExtractedFacts, NodeNotes, QuestionPlan)}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def recorded() -> list[Row]:
    if not RECORDED.is_file():
        pytest.skip(f"there is no {RECORDED.name}")
    return [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]


def of(recorded: list[Row], schema: str) -> list[tuple[Row, Any]]:
    rows = [row for row in recorded if row["schema"] == schema]
    return [(row["input"], SCHEMAS[schema].model_validate(row["reply"])) for row in rows]


def test_every_recorded_reply_still_fits_its_schema(recorded):
    assert len(recorded) == 312
    for row in recorded:
        SCHEMAS[row["schema"]].model_validate(row["reply"])


def shown_node(material: Row) -> Shown:
    """Return a visit's view of a node as the recorded prompt tells it."""
    document = Document(id="d", collection="c", uri="d", title="", content_hash="h")

    def fact_of(fact: Row) -> FactSource:
        place = {"chunk_id": "", "document_id": "d", "title": "", "uri": "d", "start": 0, "match": 1.0}
        said = {"fact_id": fact["id"], "fact": fact["text"], "quote": fact["text"], "end": len(fact["text"])}
        return FactSource(**place, **said, grounded=True)

    def chunk_of(chunk: Row) -> ChunkReading:
        where = {"index": 0, "start": 0, "end": len(chunk["text"]), "tokens": 1, "content_hash": "h"}
        return ChunkReading(chunk=Chunk(id=chunk["id"], text=chunk["text"], **where), document=document)

    facts = {fact["id"]: fact_of(fact) for fact in material["facts"]}
    chunks = {chunk["id"]: chunk_of(chunk) for chunk in material["chunks"]}
    neighbours = {neighbour["id"]: Neighbour(degree=1, **neighbour) for neighbour in material["neighbours"]}
    name = material["node"]["name"]
    node = NodeReading(id="node", name=name, labels=(), facts=tuple(facts.values()), neighbours=())
    return Shown(node=node, depth=material["depth"], facts=facts, chunks=chunks, neighbours=neighbours)


def test_what_a_visit_chose_is_taken_and_nothing_of_it_was_invented(recorded):
    for material, reply in of(recorded, "NodeNotes"):
        shown = shown_node(material)
        noted = believed(reply, shown, 0.5)
        assert (noted.invented, noted.ungrounded) == (0, 0), material["node"]["name"]
        cited = {name for fact in reply.facts for name in fact.source_ids}
        held = {fact.source_fact_id for fact in noted.facts if fact.source_fact_id}
        assert held == cited & set(shown.facts)
        following = [] if reply.stop else [shown.neighbours[name].name for name in reply.next]
        assert [near.name for near in noted.next] == following


def test_every_neighbour_that_a_path_chose_is_the_offered_one(recorded):
    chosen = 0
    for material, reply in of(recorded, "NeighbourChoice"):
        shared = {"relationship": "SHARES_FACT", "degree": 1}
        offered = {
            near["name"]: Neighbour(id=near["name"], **shared, **near) for near in material["neighbours"]
        }
        near = chosen_neighbour(reply.name, offered) if reply.name else None
        assert (near is not None) == (reply.action == "read_neighbor_node")
        chosen += near is not None
    assert chosen > 60


def test_every_start_that_was_scored_was_offered(recorded):
    for material, reply in of(recorded, "StartScores"):
        offered = {candidate["name"] for candidate in material["candidates"]}
        named = offered | {normalise_element(name) for name in offered}
        assert {normalise_element(score.name) for score in reply.scores} <= named


def test_scores_given_one_by_one_are_the_same_where_five_facts_share_a_call(recorded):
    rows = of(recorded, "FactScore")
    question = rows[0][0]["question"]
    some = [(material, reply) for material, reply in rows if material["question"] == question][:5]
    facts = [ScorableFact(fact=material["fact"], **material["sources"][0]) for material, _reply in some]
    scores = [NumberedScore(n=n, **dict(reply)) for n, (_material, reply) in enumerate(some, 1)]
    model = ScriptedModel({FactScores: FactScores(scores=scores[::-1])})
    scoring = ScoreInput(question=question, sub_questions=(), others=tuple(facts[1:]), **dict(facts[0]))
    result = score_fact(scoring, ports_for(Library(), model, MemoryVectors())).result
    expected = [reply.relevance for _material, reply in some]
    assert [fact_score.score for fact_score in (result, *result.others)] == expected


@pytest.mark.parametrize("schema", ["AnswerDraft", "ReasonedAnswer"])
def test_written_sentences_cite_evidence_that_was_given_and_hold_its_numbers(recorded, schema):
    for material, reply in of(recorded, schema):
        evidence = {
            fact["n"]: f"{fact['fact']}\n{fact['quote']}\n{fact['source']}" for fact in material["evidence"]
        }
        for sentence in reply.sentences:
            assert set(sentence.citations) <= set(evidence)
            stands = "\n".join(evidence[n] for n in sentence.citations)
            assert not missing_numbers(sentence.text, f"{material['question']}\n{stands}")
