"""The reader's first step: what is asked, which steps lead there, and what must be known."""

from __future__ import annotations

from workers.core.errors import Permanent
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.core.work import Event, Json, Outcome
from workers.traverse.plan import distinct_lines, shown_history
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
    question: str = given["question"]
    history = shown_history(given)
    try:
        reply = ports.model.ask(
            load_prompt("workers.traverse.reader", "rational_plan"),
            {"question": question, "history": history},
            RationalPlan,
            max_tokens=_REPLY_TOKENS,
        ).value
    except Permanent as error:
        return _planned(rational_plan_without_model(question) | {"failed": str(error)[:300]})
    standing = reply.question.strip() if history else question
    return _planned(
        {
            "question": standing or question,
            "asked": " ".join(reply.asked.split())[:_ASKED],
            "steps": distinct_lines(reply.steps)[:_STEPS],
            "key_information": distinct_lines(reply.key_information)[:_KEY_INFORMATION],
            "entities": distinct_lines(reply.entities)[:_ENTITIES],
            "sub_questions": distinct_lines(reply.sub_questions),
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
