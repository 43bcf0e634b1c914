"""First step of the tools strategy: makes the question self-contained and splits it into parts."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from hopline.errors import Permanent
from hopline.events.questions import QuestionNormalised
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import (
    PlanInput,
    PreparedQuestion,
    ask_plan,
    distinct_lines,
    shown_history,
    spoken_of,
)
from workers.traverse.schema import Plan
from workers.traverse.tools.records import NormaliseResult

_REPLY_TOKENS = 600
_PARTS = 8
_EARLIER = 600  # characters of an earlier question that the choice of tools sees


class AtomicQuestions(Plan):
    """A question in parts that can be asked of a graph one by one, and side by side.

    Input: {question, history: [{question, answer}], schema: text}. A part that cannot be asked before another
    is answered is left out: the check of the answers asks for it in the next round.
    """

    sub_questions: list[str] = Field(default=[], max_length=10)  # none: the question itself is atomic


def normalise_question(question: PlanInput, ports: Ports) -> Outcome:
    """Make a question self-contained, and split it into parts.

    Args:
        question: the question to answer.
        ports: the fast model is called once, and sees the schema; it is not called if the choice of the
            strategy has already prepared the question.
    """
    failed = None
    try:
        prepared = question.prepared or _prepared(question, ports)
    except Permanent as error:
        prepared, failed = PreparedQuestion(question=question.question, sub_questions=()), str(error)[:300]
    result = NormaliseResult(
        question=prepared.question,
        sub_questions=prepared.sub_questions or (prepared.question,),
        history=tuple(
            turn.model_copy(update={"question": turn.question[:_EARLIER]})
            for turn in shown_history(question.history)
        ),
        failed=failed,
    )
    normalised = QuestionNormalised(question=result.question, sub_questions=result.sub_questions)
    return Outcome(result=result, events=(normalised,))


def _prepared(question: PlanInput, ports: Ports) -> PreparedQuestion:
    prompt = load_prompt("workers.traverse.tools", "normalise")
    standing, parts = ask_plan(
        question,
        ports,
        prompt,
        AtomicQuestions,
        _REPLY_TOKENS,
        schema=ports.tools.schema(spoken_of(question)),
    )
    return PreparedQuestion(question=standing, sub_questions=kept_parts(parts.sub_questions))


def kept_parts(replied: Iterable[str]) -> tuple[str, ...]:
    """Return the sub-questions of a model's reply that will be asked, each once."""
    return tuple(distinct_lines(replied)[:_PARTS])
