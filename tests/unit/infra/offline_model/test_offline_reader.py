"""How the rule-based reader plans, chooses its starts, takes the steps of a path, and reasons."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from infra.offline_model.parser.paths import check_facts, choose_neighbour, read_chunk
from infra.offline_model.parser.rational_plan import rational_plan
from infra.offline_model.parser.reasoned_answer import reason
from infra.offline_model.parser.start_scores import score_starts
from infra.offline_model.replies import content_of
from workers.critic.schema import ReasonedAnswer
from workers.traverse.reader.schema import ChunkNotes, FactNotes, NeighbourChoice, RationalPlan, StartScores

BRIDGE = "Where was the designer of the Alda Bridge born?"
PARTS = ["Who or what is the designer of the Alda Bridge?", "Where was that designer born?"]
DESIGNED = "The Alda Bridge was designed by Maren Holt."
BORN = "Maren Holt was born in Vestby."


def common(question: str, notes: tuple[str, ...], parts: list[str]) -> dict[str, Any]:
    return {
        "question": question,
        "sub_questions": parts,
        "plan": {"asked": question, "steps": parts, "key_information": []},
        "notebook": [{"id": f"e{n}", "text": note} for n, note in enumerate(notes, 1)],
        "actions": [],
        "calls_left": 5,
        "error": "",
    }


def facts_given(*facts: str, title: str = "", notes: tuple[str, ...] = (), question: str = BRIDGE) -> Any:
    entries = [{"id": f"f{n}", "text": fact} for n, fact in enumerate(facts, 1)]
    chunks = [{"id": "c1", "title": title, "facts": entries}]
    return common(question, notes, PARTS if question == BRIDGE else []) | {"nodes": [], "chunks": chunks}


def chunk_given(*sentences: str, notes: tuple[str, ...] = (), question: str, **chunk: Any) -> dict[str, Any]:
    entries = [{"id": f"s{n}", "text": sentence} for n, sentence in enumerate(sentences, 1)]
    around = {"title": "", "previous": True, "subsequent": True}
    return common(question, notes, []) | {"chunk": around | chunk | {"sentences": entries}, "queued": 0}


def checked(*facts: str, **fields: Any) -> FactNotes:
    return FactNotes.model_validate(check_facts(facts_given(*facts, **fields)))


def read(*sentences: str, **fields: Any) -> ChunkNotes:
    return ChunkNotes.model_validate(read_chunk(chunk_given(*sentences, **fields)))


def chosen(*neighbours: tuple[str, str], notes: tuple[str, ...] = (), nodes: tuple[str, ...] = ()) -> Any:
    offered = [{"name": name, "shared": 1, "context": context} for name, context in neighbours]
    material = common(BRIDGE, notes, PARTS) | {"nodes": list(nodes), "need": "", "neighbours": offered}
    return NeighbourChoice.model_validate(choose_neighbour(material))


def test_a_plan_tells_what_is_asked_its_steps_and_what_must_be_known():
    plan = RationalPlan.model_validate(rational_plan({"question": BRIDGE, "history": []}))
    assert plan.asked == f"a place: {BRIDGE}"
    assert plan.steps == [f"Find out: {part}" for part in PARTS]
    assert plan.key_information == ["Alda Bridge", *PARTS]
    assert plan.entities[0] == "Alda Bridge"
    assert plan.sub_questions == PARTS


def test_a_question_that_is_one_step_is_its_own_plan():
    question = "When was the Alda Bridge opened?"
    plan = RationalPlan.model_validate(rational_plan({"question": question, "history": []}))
    assert plan.steps == [f"Find out: {question}"]
    assert plan.key_information == ["Alda Bridge", "open of Alda Bridge"]


def test_names_of_the_question_score_best_and_strangers_nothing():
    candidates = [
        {"name": "1893", "context": "The Alda Bridge was opened in 1893."},
        {"name": "karsund", "context": "Karsund is a town."},
        {"name": "maren holt", "context": DESIGNED},
        {"name": "alda bridge", "context": DESIGNED},
    ]
    material = {"question": BRIDGE, "plan": {"steps": PARTS}, "candidates": candidates}
    scores = {start.name: start.score for start in StartScores.model_validate(score_starts(material)).scores}
    assert scores["alda bridge"] > scores["maren holt"] > scores["1893"] > scores["karsund"] == 0


def test_helpful_facts_are_noted_and_their_chunk_is_read():
    notes = checked(DESIGNED, "The Skerne is a river.")
    assert [(note.text, note.rests_on) for note in notes.notes] == [(DESIGNED, ["f1"])]
    assert (notes.action, notes.chunks) == ("read_chunk", ["c1"])
    assert notes.need == "Where was that designer born? (Maren Holt)"


def test_every_decision_names_the_rule_that_it_was_made_by():
    decisions = [
        (checked(DESIGNED), f"This fact comes nearest to what is asked: {DESIGNED}"),
        (checked(BORN, notes=(DESIGNED,)), "The notes hold all that is asked."),
        (
            checked(DESIGNED, question=HALF),
            "The notes answer a part of what is asked; the rest is left open.",
        ),
        (checked("Rain fell.", "Snow fell."), "No fact here speaks of what is asked."),
        (read("The Alda Bridge was opened in 1893.", question=OPENED), "The notes hold all that is asked."),
        (read("The Alda Bridge is", question=OPENED), "The chunk's last sentence goes on behind it."),
        (
            read("Its opening was late.", "Rain fell.", question=OPENED),
            "The chunk refers to what stands before it.",
        ),
        (read("Rain fell.", "Snow fell.", question=OPENED), "Neither end of the chunk leads on."),
        (chosen(("maren holt", DESIGNED), notes=(DESIGNED,)), "The notes lead to maren holt."),
        (chosen(("alda bridge", "")), "The question names alda bridge."),
        (chosen(("rain", "Rain fell.")), "No neighbour's name or fact speaks of what is asked."),
    ]
    assert [reply.reason for reply, _reason in decisions] == [reason for _reply, reason in decisions]


def test_nothing_is_noted_twice():
    assert checked(DESIGNED, notes=(DESIGNED,)).notes == []


def test_facts_that_answer_leave_nothing_to_be_read():
    notes = checked(BORN, notes=(DESIGNED,))
    assert [note.text for note in notes.notes] == [BORN]
    assert (notes.action, notes.chunks, notes.need, notes.complete) == ("termination", [], "", True)


def test_facts_of_another_matter_lead_to_a_neighbour():
    notes = checked("The Skerne is a river.", "Karsund has a harbour.")
    assert (notes.notes, notes.action) == ([], "stop_and_read_neighbor")
    assert "designer of the Alda Bridge" in notes.need


def test_a_fact_that_does_not_name_its_subject_is_noted_under_its_title():
    notes = checked("The span was designed by Maren Holt.", title="Alda Bridge")
    assert [note.text for note in notes.notes] == ["Alda Bridge: The span was designed by Maren Holt."]


HALF = "Who designed the Alda Bridge, and who painted it?"
OPENED = "When was the Alda Bridge opened?"


def test_a_chunk_that_answers_ends_the_path():
    notes = read(
        "The Alda Bridge is long.",
        "It was opened in 1893.",
        question=OPENED,
        title="Alda Bridge",
    )
    assert (notes.action, notes.complete, notes.need) == ("termination", True, "")
    assert [(note.text, note.rests_on) for note in notes.notes] == [
        ("Alda Bridge was opened in 1893.", ["s2"])
    ]


@pytest.mark.parametrize(
    "last",
    [
        "The opening of the Alda Bridge was delayed by floods.",
        "The history of the Alda Bridge is continued there.",
        "These are the dates of the Alda Bridge:",
        "After many delays the Alda Bridge was",
    ],
)
def test_what_the_end_of_a_chunk_announces_is_read_next(last: str):
    sentences = ("The Alda Bridge crosses the Skerne.", last)
    assert read(*sentences, question=OPENED).action == "read_subsequent_chunk"
    assert read(*sentences, question=OPENED, subsequent=False).action != "read_subsequent_chunk"


@pytest.mark.parametrize(
    "first",
    ["Its opening in front of a large crowd was cheered.", "(continued) the opening was cheered."],
)
def test_what_the_beginning_of_a_chunk_refers_to_is_read_next(first: str):
    sentences = (first, "Nothing else was done.")
    assert read(*sentences, question=OPENED).action == "read_previous_chunk"
    assert read(*sentences, question=OPENED, previous=False).action == "search_more"


def test_what_a_text_names_as_said_before_is_read_next():
    sentences = ("The harbour has a crane.", "The Alda Bridge, named above, is painted red.", "It rains.")
    assert read(*sentences, question=OPENED).action == "read_previous_chunk"


def test_a_chunk_of_another_matter_leads_on_to_the_queue():
    notes = read("Karsund has a harbour.", "Ships come in summer.", question=OPENED)
    assert (notes.notes, notes.action, notes.complete) == ([], "search_more", False)
    assert notes.need == OPENED


def test_a_path_goes_on_where_its_notes_lead():
    offered = (("karsund", "Karsund is a town."), ("maren holt", DESIGNED), ("skerne", "The Skerne is long."))
    choice = chosen(*offered, notes=(DESIGNED,), nodes=("alda bridge",))
    assert (choice.action, choice.name) == ("read_neighbor_node", "maren holt")


def test_a_path_ends_where_no_neighbour_promises_anything():
    choice = chosen(("karsund", "Karsund is a town."), nodes=("alda bridge",))
    assert (choice.action, choice.complete) == ("termination", False)


def test_a_full_notebook_ends_the_path_as_complete():
    choice = chosen(("vestby", BORN), notes=(DESIGNED, BORN))
    assert (choice.action, choice.complete) == ("termination", True)


def reasoned(question: str, *facts: str) -> ReasonedAnswer:
    evidence = [{"n": n, "fact": fact, "quote": fact, "source": ""} for n, fact in enumerate(facts, 1)]
    entries = [{"text": fact, "evidence": [n]} for n, fact in enumerate(facts, 1)]
    notebooks = [{"path": n, "start": f"node {n}", "entries": [entry]} for n, entry in enumerate(entries, 1)]
    material = {"question": question, "sub_questions": [], "notebooks": notebooks, "evidence": evidence}
    return ReasonedAnswer.model_validate(reason(material))


def test_an_answer_is_put_together_from_several_notebooks():
    answer = reasoned(BRIDGE, DESIGNED, BORN, "Karsund has a harbour.")
    assert [sentence.citations for sentence in answer.sentences] == [[1], [2]]
    assert f"Path 2, begun at node 2: {BORN}" in answer.analysis
    assert "Path 3, begun at node 3: of 1 entries none carries the answer." in answer.analysis


def test_contradictions_between_notebooks_are_named_in_the_analysis():
    answer = reasoned(OPENED, "The Alda Bridge was opened in 1893.", "The Alda Bridge was opened in 1895.")
    assert answer.conflicts == [[1, 2]]
    assert "contradict" in answer.analysis


def test_what_no_notebook_holds_is_not_answered():
    answer = reasoned(BRIDGE, DESIGNED)
    assert not answer.answerable
    assert answer.missing in answer.analysis


def test_a_part_that_the_notebooks_hold_is_not_told_as_the_whole():
    answer = reasoned(HALF, DESIGNED)
    assert "painted" in answer.missing
    assert "Together they hold a part of what is asked" in answer.analysis


SCHEMAS = {
    RationalPlan: {"question": BRIDGE, "history": []},
    StartScores: {"question": BRIDGE, "plan": {}, "candidates": [{"name": "alda bridge", "context": ""}]},
    FactNotes: facts_given(DESIGNED),
    ChunkNotes: chunk_given(DESIGNED, question=BRIDGE),
    NeighbourChoice: common(BRIDGE, (), PARTS) | {"nodes": [], "need": "", "neighbours": []},
    ReasonedAnswer: {"question": BRIDGE, "sub_questions": [], "notebooks": [], "evidence": []},
}


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.__name__)
def test_invented_replies_are_of_the_right_form_and_name_what_was_not_offered(schema: Any):
    content = content_of(schema.__name__, SCHEMAS[schema], "invented")
    schema.model_validate_json(content)
    assert any(sign in content.casefold() for sign in ("atlantis", "green cheese"))


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.__name__)
def test_an_input_without_any_field_is_answered_in_the_right_form(schema: Any):
    schema.model_validate(orjson.loads(content_of(schema.__name__, {}, None)))
