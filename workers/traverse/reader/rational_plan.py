"""First step of the reader strategy: plans the steps to the answer and the key information needed."""

from __future__ import annotations

from workers.core.errors import Permanent
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import ask_plan, distinct_lines
from workers.traverse.reader.schema import RationalPlan

_ENTITIES = 12
_STEPS = 6
_KEY_INFORMATION = 10
_ASKED = 300  # characters
_REPLY_TOKENS = 800


def make_rational_plan(given: Json, ports: Ports) -> Outcome:
    """Return {question, asked, steps, key_information, entities, sub_questions, failed?}.

    A model that fails for good leaves the question itself as the plan, and `failed` says why.

    Args:
        given: {question, history: [{question, answer}]}; without a history the question stays as asked.
        ports: the fast model is asked once.
    """
    try:
        question, plan = ask_plan(
            given, ports, load_prompt("workers.traverse.reader", "rational_plan"), RationalPlan, _REPLY_TOKENS
        )
    except Permanent as error:
        return _planned(rational_plan_without_model(given["question"]) | {"failed": str(error)[:300]})
    return _planned(
        {
            "question": question,
            "asked": " ".join(plan.asked.split())[:_ASKED],
            "steps": distinct_lines(plan.steps)[:_STEPS],
            "key_information": distinct_lines(plan.key_information)[:_KEY_INFORMATION],
            "entities": distinct_lines(plan.entities)[:_ENTITIES],
            "sub_questions": distinct_lines(plan.sub_questions),
        }
    )


def rational_plan_without_model(question: str) -> Json:
    """Return the plan of last resort: look for the question itself."""
    return {
        "question": question,
        "asked": "",
        "steps": [],
        "key_information": [],
        "entities": [],
        "sub_questions": [],
    }


def _planned(plan: Json) -> Outcome:
    shown = {name: plan[name] for name in ("asked", "steps", "key_information", "entities", "sub_questions")}
    return Outcome(result=plan, events=(Event(name="plan.finished", data=shown),))
