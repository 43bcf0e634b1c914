"""First step of the tools strategy: makes the question self-contained and splits it into parts."""

from __future__ import annotations

from workers.core.errors import Permanent
from workers.core.events.questions import QuestionNormalised
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import PlanInput, ask_plan, distinct_lines, shown_history
from workers.traverse.tools.records import NormaliseResult
from workers.traverse.tools.schema import AtomicQuestions

_REPLY_TOKENS = 600
_PARTS = 8
_EARLIER = 600  # characters of an earlier question that the choice of tools sees


def normalise_question(question: PlanInput, ports: Ports) -> Outcome:
    """Make a question self-contained, and take it apart.

    Args:
        question: to be answered.
        ports: the fast model is asked once, and sees the graph's schema.
    """
    prompt = load_prompt("workers.traverse.tools", "normalise")
    standing, lines, failed = question.question, [], None
    try:
        standing, parts = ask_plan(
            question, ports, prompt, AtomicQuestions, _REPLY_TOKENS, schema=ports.tools.schema()
        )
        lines = distinct_lines(parts.sub_questions)[:_PARTS]
    except Permanent as error:
        failed = str(error)[:300]
    result = NormaliseResult(
        question=standing,
        sub_questions=tuple(lines) or (standing,),
        history=tuple(
            turn.model_copy(update={"question": turn.question[:_EARLIER]})
            for turn in shown_history(question.history)
        ),
        failed=failed,
    )
    normalised = QuestionNormalised(question=standing, sub_questions=result.sub_questions)
    return Outcome(result=result, events=(normalised,))
