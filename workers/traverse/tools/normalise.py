"""First step of the tools strategy: makes the question self-contained and splits it into parts."""

from __future__ import annotations

from collections.abc import Iterable

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
from workers.traverse.tools.records import NormaliseResult
from workers.traverse.tools.schema import AtomicQuestions

_REPLY_TOKENS = 600
_PARTS = 8
_EARLIER = 600  # characters of an earlier question that the choice of tools sees


def normalise_question(question: PlanInput, ports: Ports) -> Outcome:
    """Make a question self-contained, and take it apart.

    Args:
        question: to be answered.
        ports: the fast model is asked once, and sees the schema; not where the choice of the strategy has
            prepared the question.
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
    """Return the sub-questions of a model's reply that are asked, each once."""
    return tuple(distinct_lines(replied)[:_PARTS])
