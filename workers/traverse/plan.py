"""The first step of a query: what does the question need?"""

from __future__ import annotations

from collections.abc import Iterable

from workers.core.errors import Permanent
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.core.work import Event, Json, Outcome
from workers.traverse.schema import QuestionPlan

_HISTORY = 5  # earlier questions of the session that are shown
_ANSWER = 600  # characters of each earlier answer
_ENTITIES = 12
_LINE = 400  # characters of an entity or sub-question; a longer one is no such thing
_REPLY_TOKENS = 600


def plan_question(given: Json, ports: Ports) -> Outcome:
    """Return {question, entities, sub_questions}; `failed` says why where the model gave no plan.

    Args:
        given: {question, history: [{question, answer}]}; without a history the question stays as asked.
        ports: the fast model is asked once.
    """
    question: str = given["question"]
    history = shown_history(given)
    try:
        reply = ports.model.ask(
            load_prompt("workers.traverse", "plan"),
            {"question": question, "history": history},
            QuestionPlan,
            max_tokens=_REPLY_TOKENS,
        ).value
    except Permanent as error:
        return _planned(plan_without_model(question) | {"failed": str(error)[:300]})
    standing = reply.question.strip() if history else question
    return _planned(
        {
            "question": standing or question,
            "entities": distinct_lines(reply.entities)[:_ENTITIES],
            "sub_questions": distinct_lines(reply.sub_questions),
        }
    )


def plan_without_model(question: str) -> Json:
    """Return the plan of last resort: search for the question itself."""
    return {"question": question, "entities": [], "sub_questions": []}


def _planned(plan: Json) -> Outcome:
    shown = {"entities": plan["entities"], "sub_questions": plan["sub_questions"]}
    return Outcome(result=plan, events=(Event(name="plan.finished", data=shown),))


def _turn(turn: Json) -> Json:
    return {"question": str(turn.get("question", "")), "answer": str(turn.get("answer", ""))[:_ANSWER]}


def shown_history(given: Json) -> list[Json]:
    """Return the latest exchanges of the session as the model sees them."""
    return [_turn(turn) for turn in given.get("history", ())][-_HISTORY:]


def distinct_lines(texts: Iterable[str]) -> list[str]:
    """Return the texts once each, in one line, without empty and overlong ones."""
    lines = (" ".join(text.split()) for text in texts)
    kept: dict[str, str] = {}
    for line in lines:
        if 0 < len(line) <= _LINE:
            kept.setdefault(line.casefold(), line)
    return list(kept.values())
