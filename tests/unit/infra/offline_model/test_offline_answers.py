"""How the rule-based reader plans, visits, scores and writes."""

from __future__ import annotations

from typing import Any

import pytest

from infra.offline_model.parser.answer_draft import draft_answer
from infra.offline_model.parser.evidence_summary import summarise
from infra.offline_model.parser.fact_score import score_fact
from infra.offline_model.parser.node_notes import read_node
from infra.offline_model.parser.question.parts import separate_questions
from infra.offline_model.parser.question_plan import plan_question
from infra.offline_model.parser.survey import ANYTHING_HELPS, make_claims
from workers.critic.schema import AnswerDraft, EvidenceSummary, FactScore
from workers.traverse.schema import NodeNotes, QuestionPlan

TWO_HOPS = "In which country was the composer of Finlandia born?"
EVIDENCE = (
    "Finlandia is a tone poem that was composed by Jean Sibelius.",
    "Jean Sibelius was born in Hämeenlinna in Finland on 8 December 1865.",
    "Aino Järnefelt, whom Jean Sibelius married in 1892, was born in Helsinki.",
    "Jean Sibelius's father died in 1868.",
    "Finlandia was first played in Helsinki on 2 July 1900.",
)


def plan(question: str, *history: tuple[str, str]) -> QuestionPlan:
    earlier = [{"question": earlier_question, "answer": answer} for earlier_question, answer in history]
    return QuestionPlan.model_validate(plan_question({"question": question, "history": earlier}))


def draft(question: str, *facts: str) -> AnswerDraft:
    evidence = [{"n": n, "fact": fact, "quote": fact, "source": ""} for n, fact in enumerate(facts, 1)]
    return AnswerDraft.model_validate(draft_answer({"question": question, "evidence": evidence}))


def cited(answer: AnswerDraft) -> list[int]:
    return [n for sentence in answer.sentences for n in sentence.citations]


def visit(question: str, **fields: Any) -> NodeNotes:
    node = {"id": "k0", "name": "Finlandia", "properties": {}}
    material = {
        "question": question,
        "sub_questions": [],
        "depth": 0,
        "max_depth": 3,
        "visited": [],
        "node": node,
    }
    return NodeNotes.model_validate(read_node(material | fields))


def test_entities_are_the_names_without_the_question_word():
    assert plan("Who designed the Forth Bridge in 1882?").entities == ["Forth Bridge", "1882"]


def test_nouns_that_are_no_relation_are_entities_too():
    assert plan("Who discovered radium?").entities == ["radium"]


def test_a_question_over_two_hops_is_split():
    assert plan(TWO_HOPS).sub_questions == [
        "Who or what is the composer of Finlandia?",
        "In which country was that composer born?",
    ]
    assert plan("When was Jean Sibelius born?").sub_questions == []


def test_he_is_whom_the_last_answer_named():
    history = ("Who composed Finlandia?", "Finlandia was composed by Jean Sibelius. [1]")
    assert plan("Where was he born?", history).question == "Where was Jean Sibelius born?"
    assert (
        plan("What was his first symphony?", history).question == "What was Jean Sibelius's first symphony?"
    )


def test_it_is_what_the_last_question_was_about():
    history = ("When was Tower Bridge opened?", "Tower Bridge was opened on 30 June 1894. [1]")
    assert plan("Who designed it?", history).question == "Who designed Tower Bridge?"


def test_a_question_that_stands_alone_is_kept_word_for_word():
    question = "When was Tower Bridge opened?"
    assert plan(question, ("Who composed Finlandia?", "Jean Sibelius.")).question == question


def test_a_visit_notes_what_is_asked_with_its_ids_and_follows_the_bridge():
    facts = [{"id": "f1", "text": EVIDENCE[0]}, {"id": "f5", "text": EVIDENCE[4]}]
    neighbours = [
        {"id": "k1", "name": "Helsinki", "relationship": "SHARES_FACT", "shared": 1, "context": EVIDENCE[4]},
        {
            "id": "k2",
            "name": "Jean Sibelius",
            "relationship": "SHARES_FACT",
            "shared": 1,
            "context": EVIDENCE[0],
        },
    ]
    notes = visit(TWO_HOPS, facts=facts, neighbours=neighbours)
    assert [fact.source_ids for fact in notes.facts] == [["f1"]]
    assert notes.next == ["k2"]
    assert not notes.stop


def test_a_visit_stops_where_one_fact_holds_all_that_is_asked():
    facts = [{"id": "f2", "text": EVIDENCE[1]}]
    neighbours = [
        {"id": "k3", "name": "Finland", "relationship": "SHARES_FACT", "shared": 1, "context": EVIDENCE[1]}
    ]
    notes = visit("When was Jean Sibelius born?", facts=facts, neighbours=neighbours)
    assert notes.stop
    assert notes.next == []


def test_a_visited_neighbour_and_one_that_fits_nothing_are_not_next():
    neighbours = [
        {
            "id": "k2",
            "name": "Jean Sibelius",
            "relationship": "SHARES_FACT",
            "shared": 1,
            "context": EVIDENCE[0],
        },
        {
            "id": "k9",
            "name": "Tampere",
            "relationship": "SHARES_FACT",
            "shared": 9,
            "context": "Tampere has a zoo.",
        },
    ]
    reply = visit(TWO_HOPS, neighbours=neighbours, visited=["Jean Sibelius"])
    assert (reply.next, reply.stop) == ([], False)  # nothing here is no answer


def test_a_property_and_a_sentence_of_a_chunk_can_be_noted():
    node = {"id": "m1", "name": "The Matrix", "properties": {"released": 1999, "tagline": "Welcome"}}
    chunk = {"id": "c1", "text": "It rained. Keanu Reeves was born in Beirut."}
    notes = visit("When was The Matrix released?", node=node)
    assert [(fact.text, fact.source_ids) for fact in notes.facts] == [
        ("The Matrix: released = 1999", ["property:released"])
    ]
    notes = visit("Where was Keanu Reeves born?", chunks=[chunk])
    assert [(fact.text, fact.source_ids) for fact in notes.facts] == [
        ("Keanu Reeves was born in Beirut.", ["c1"])
    ]


def test_a_fact_that_helps_scores_higher_than_one_that_does_not():
    def score(fact: str) -> FactScore:
        sources = [{"title": "Jean Sibelius", "quote": fact}]
        material = {
            "question": "When was Jean Sibelius born?",
            "sub_questions": [],
            "fact": fact,
            "sources": sources,
        }
        return FactScore.model_validate(score_fact(material))

    assert score(EVIDENCE[1]).relevance == 1.0
    assert score(EVIDENCE[1]).relevance > score(EVIDENCE[3]).relevance > score("Tampere has a zoo.").relevance
    assert score(EVIDENCE[3]).source_description == "Jean Sibelius: Jean Sibelius's father died in 1868."


def test_an_answer_over_two_hops_copies_both_facts_in_order():
    answer = draft(TWO_HOPS, *reversed(EVIDENCE))
    assert answer.answerable
    assert [sentence.text for sentence in answer.sentences] == [EVIDENCE[0], EVIDENCE[1]]
    assert cited(answer) == [5, 4]


@pytest.mark.parametrize(
    "question",
    [
        "When did Jean Sibelius die?",  # his father did, and that has a year
        "How tall was Jean Sibelius?",
        "What was the favourite food of Jean Sibelius?",
        "Who was the wife of the composer of Valse triste?",
        "When was Aulis Sallinen born?",
        "In which city was the sister of Jean Sibelius buried?",
        "How much did Finlandia cost?",
    ],
)
def test_what_the_evidence_does_not_hold_is_declined_with_what_is_missing(question: str):
    answer = draft(question, *EVIDENCE)
    assert not answer.answerable
    assert answer.sentences == []
    assert answer.missing


def test_what_is_said_of_a_relative_is_an_answer_about_the_relative_only():
    assert cited(draft("When did the father of Jean Sibelius die?", *EVIDENCE)) == [4]


def test_of_a_question_of_two_parts_one_is_answered_and_the_other_is_missing():
    answer = draft("When was Jean Sibelius born, and who taught him?", *EVIDENCE)
    assert (answer.answerable, cited(answer)) == (True, [2])
    assert answer.missing == "The evidence does not answer: Who taught Jean Sibelius?"
    both = draft("When was Jean Sibelius born and where was Finlandia first played?", *EVIDENCE)
    assert (both.answerable, both.missing, sorted(cited(both))) == (True, "", [2, 5])


@pytest.mark.parametrize(
    "question",
    [
        "In the country where Finlandia was composed, where was Jean Sibelius born?",
        "Jean Sibelius was a composer, and was born where?",
        "Who was honoured at the Black and White Ball?",
    ],
)
def test_a_clause_is_no_question_of_its_own(question: str):
    assert separate_questions(question) == [question]


def test_a_comparison_is_not_answered_by_one_of_its_sides():
    answer = draft("Who was born first, Jean Sibelius or Edvard Grieg?", *EVIDENCE)
    assert not answer.answerable


def test_no_evidence_is_declined():
    assert not draft(TWO_HOPS).answerable


def test_the_document_of_a_fact_counts_as_mentioned():
    evidence = [{"n": 1, "fact": "Joseph Strauss was its chief engineer.", "source": "Golden Gate Bridge"}]
    reply = draft_answer(
        {"question": "Who was chief engineer of the Golden Gate Bridge?", "evidence": evidence}
    )
    assert reply["answerable"]


def test_a_possible_contradiction_that_the_answer_touches_is_listed_as_a_conflict():
    facts = ("The Tay Bridge has 85 spans.", "The Tay Bridge has 72 spans.", "The Forth Bridge has 3 spans.")
    material = {
        "question": "How many spans has the Tay Bridge?",
        "evidence": [{"n": n, "fact": fact, "source": "Bridges"} for n, fact in enumerate(facts, 1)],
        "possible_contradictions": [[{"n": 2}, {"n": 1}], [{"n": 3}, {"n": 4}]],
    }
    reply = draft_answer(material)
    assert [sentence["citations"] for sentence in reply["sentences"]] == [[2]]
    assert reply["conflicts"] == [[2, 1]]


def test_statements_that_contradict_each_other_are_named_with_both_sources():
    answer = draft(
        "When was the Tay Bridge opened?",
        "The Tay Bridge was opened on 1 June 1878.",
        "The Tay Bridge was opened in May 1877.",
        "The Forth Bridge was opened on 4 March 1890.",
    )
    assert answer.conflicts == [[1, 2]]
    assert sorted(cited(answer)) == [1, 2]


def test_a_question_in_a_script_without_spaces_finds_the_nearest_fact():
    answer = draft("日本の首都はどこですか。", "富士山は日本で最も高い山である。", "東京は日本の首都である。")
    assert cited(answer) == [2]


def test_a_summary_keeps_the_fitting_facts_short_with_their_numbers():
    long = "Jean Sibelius was born in Hämeenlinna, " + "where it often rained, " * 12 + "as they say"
    evidence = [{"n": 7, "fact": long}, {"n": 8, "fact": "Tampere has a zoo."}]
    reply = EvidenceSummary.model_validate(
        summarise({"question": "Where was Jean Sibelius born?", "evidence": evidence})
    )
    assert [sentence.citations for sentence in reply.sentences] == [[7]]
    assert len(reply.sentences[0].text) <= 161


def test_any_statement_helps_with_a_question_about_nothing_but_the_whole():
    fact = {"fact": "The Forth Bridge was opened in 1890.", "n": 1}
    whole = "What are the main themes of these texts?"
    assert score_fact({"question": whole, **fact})["relevance"] == ANYTHING_HELPS
    assert make_claims({"question": whole, "facts": [fact]})["claims"] == [
        {"text": fact["fact"], "facts": [1]}
    ]
    of_something = "What are the main themes about harbours?"
    assert score_fact({"question": of_something, **fact})["relevance"] < ANYTHING_HELPS
    assert make_claims({"question": of_something, "facts": [fact]})["claims"] == []
