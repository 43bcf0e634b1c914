"""First step of the tools strategy: makes the question self-contained and splits it into parts."""

from __future__ import annotations

from workers.core.errors import Permanent
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import ask_plan, distinct_lines, shown_history
from workers.traverse.tools.schema import AtomicQuestions

_REPLY_TOKENS = 600
_PARTS = 8
_EARLIER = 600  # characters of an earlier question that the choice of tools sees


def normalise_question(given: Json, ports: Ports) -> Outcome:
    """Return {question, sub_questions, history}; `failed` is the reason if the model gave no parts.

    Args:
        given: {question, history: [{question, answer}]}; without a history the question stays as asked.
        ports: the fast model is asked once, and sees the graph's schema.
    """
    question: str = given["question"]
    prompt = load_prompt("workers.traverse.tools", "normalise")
    turns = [{**turn, "question": turn["question"][:_EARLIER]} for turn in shown_history(given)]
    result: Json = {"history": turns}
    try:
        question, parts = ask_plan(
            given, ports, prompt, AtomicQuestions, _REPLY_TOKENS, schema=ports.tools.schema()
        )
        asked = distinct_lines(parts.sub_questions)[:_PARTS]
    except Permanent as error:
        asked = []
        result["failed"] = str(error)[:300]
    result |= {"question": question, "sub_questions": asked or [question]}
    shown = {"question": question, "sub_questions": result["sub_questions"]}
    return Outcome(result=result, events=(Event(name="question.normalised", data=shown),))
