"""The answer critic: decides whether tool results answer the question, or what to ask next."""

from __future__ import annotations

from workers.core.errors import BudgetExceeded, Permanent
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.critic.schema import AnswerCheck

_REPLY_TOKENS = 500
_ASKED = 8  # new sub-questions of a round
_LINE = 400  # characters of one


def check_answer(given: Json, ports: Ports) -> Outcome:
    """Return {complete, missing, why, failed?}; if the critic fails, the evidence so far has to suffice.

    Args:
        given: {question, rounds_left, asked: [{question, tool, arguments, found}]}.
        ports: the fast model is asked once.
    """
    prompt = load_prompt("workers.critic", "check_answer")
    try:
        check = ports.model.ask(prompt, given, AnswerCheck, max_tokens=_REPLY_TOKENS).value
    except (Permanent, BudgetExceeded) as error:
        result: Json = {"complete": True, "missing": [], "why": "", "failed": str(error)[:300]}
    else:
        before = {one["question"].casefold() for one in given["asked"]}
        lines = (" ".join(line.split()) for line in check.missing)
        missing = [line for line in lines if 0 < len(line) <= _LINE and line.casefold() not in before]
        result = {
            "complete": check.complete or not missing,
            "missing": [] if check.complete else missing[:_ASKED],
            "why": " ".join(check.why.split()),
        }
    return Outcome(result=result, events=(Event(name="answer.checked", data=result),))
