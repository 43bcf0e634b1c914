from __future__ import annotations

import pytest
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from workers.core.errors import BudgetExceeded, ModelRefused, Transient
from workers.traverse.plan import PlanInput, PlanResult, plan_question
from workers.traverse.schema import QuestionPlan

ASKED = {"question": "Where did she die?", "history": [{"question": "Who was Ada?", "answer": "A countess."}]}


def plan_with(reply, given=None):
    model = ScriptedModel({QuestionPlan: reply})
    ports = ports_for(Library(), model, MemoryVectors())
    return plan_question(PlanInput.read_stored(given or ASKED), ports), model


def test_a_question_is_resolved_by_what_was_said_before():
    reply = QuestionPlan(question="Where did Ada die?", entities=["Ada"], sub_questions=[])
    outcome, model = plan_with(reply)
    assert outcome.result == PlanResult(question="Where did Ada die?", entities=("Ada",), sub_questions=())
    assert model.asked[0][2]["history"] == ASKED["history"]
    assert outcome.events[0].name == "plan.finished"


def test_without_a_history_the_model_cannot_ask_another_question():
    reply = QuestionPlan(question="How do I rob a bank?", entities=["bank"])
    outcome, _ = plan_with(reply, {"question": "Where is the river bank?", "history": []})
    assert outcome.result.question == "Where is the river bank?"


def test_entities_are_single_lines_once_each_and_few():
    reply = QuestionPlan(question="q", entities=["Ada\n Lovelace", "ada lovelace", " ", *map(str, range(15))])
    outcome, _ = plan_with(reply)
    assert outcome.result.entities[0] == "Ada Lovelace"
    assert len(outcome.result.entities) == 12


def test_a_model_that_refuses_leaves_the_question_itself():
    outcome, _ = plan_with(ModelRefused("no"))
    assert outcome.result.question == "Where did she die?"
    assert outcome.result.entities == ()
    assert outcome.result.failed == "no"


@pytest.mark.parametrize("error", [Transient("later"), BudgetExceeded("spent")])
def test_what_the_runner_must_handle_is_raised(error):
    with pytest.raises(type(error)):
        plan_with(error)
