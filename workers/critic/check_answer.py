"""The answer critic: decides whether a question is answered or given up, or what to ask next."""

from __future__ import annotations

from hopline.errors import Permanent
from hopline.events.questions import AnswerChecked
from hopline.models.base import Frozen
from workers.core.answers.turn import Turn
from workers.core.errors import BudgetExceeded
from workers.core.jobs.work import Outcome, as_json
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.critic.schema import AnswerCheck

_REPLY_TOKENS = 500
_ASKED = 8  # new sub-questions of a round
_LINE = 400  # characters of one


class ToolResult(Frozen):
    """The result of a tool call, in the form that the answer critic reads."""

    question: str  # that it was called for, cut
    tool: str
    arguments: str  # in words, cut
    found: str  # Markdown, cut; or why nothing was found


class CheckInput(Frozen):
    """A question and the results of its tool calls."""

    question: str
    rounds_left: int
    asked: tuple[ToolResult, ...]  # oldest first
    history: tuple[Turn, ...] = ()  # of the session, cut, oldest first


class CheckResult(Frozen):
    """Whether the question is answered."""

    complete: bool  # nothing more is to be asked
    missing: tuple[str, ...]  # what to ask next
    why: str
    failed: str | None = None  # why no critic checked it: the evidence so far has to suffice
    given_up: tuple[str, ...] = ()  # parts that are open, and that asking on would not answer


def check_answer(results: CheckInput, ports: Ports) -> Outcome:
    """Decide whether tool results answer the question, or what to ask next.

    Args:
        results: results of all tool calls so far.
        ports: the fast model is called once.
    """
    result = _checked(results, ports)
    return Outcome(result=result, events=(AnswerChecked(**dict(result)),))


def _checked(results: CheckInput, ports: Ports) -> CheckResult:
    prompt = load_prompt("workers.critic", "check_answer")
    material = {"history": [], **as_json(results)}
    try:
        check = ports.model.ask(prompt, material, AnswerCheck, max_tokens=_REPLY_TOKENS).value
    except (Permanent, BudgetExceeded) as error:
        return CheckResult(complete=True, missing=(), why="", failed=str(error)[:300])
    lines = [line for text in check.missing if 0 < len(line := " ".join(text.split())) <= _LINE]
    before = {call.question.casefold() for call in results.asked}
    missing = [line for line in lines if line.casefold() not in before]
    ended = check.complete or check.gave_up or not missing
    return CheckResult(
        complete=ended,
        missing=() if ended else tuple(missing[:_ASKED]),
        why=" ".join(check.why.split()),
        given_up=tuple(lines[:_ASKED]) if check.gave_up and not check.complete else (),
    )
