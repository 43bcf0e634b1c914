"""First step of the reader strategy: plans the steps to the answer and the key information needed."""

from __future__ import annotations

from hopline.errors import Permanent
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import PlanInput, ask_plan, distinct_lines, other_languages, planned, translated_of
from workers.traverse.reader.records import RationalPlanResult
from workers.traverse.reader.schema import RationalPlan, TranslatedRationalPlan

_ENTITIES = 12
_STEPS = 6
_KEY_INFORMATION = 10
_ASKED = 300  # characters
_REPLY_TOKENS = 800


def make_rational_plan(question: PlanInput, ports: Ports) -> Outcome:
    """Plan the way a person would answer the question.

    If the model fails for good, the plan is the question itself, and `failed` says why.

    Args:
        question: the question to answer.
        ports: the fast model is called once.
    """
    try:
        standing, plan = ask_plan(
            question,
            ports,
            load_prompt("workers.traverse.reader", "rational_plan"),
            RationalPlan,
            _REPLY_TOKENS,
            translated=TranslatedRationalPlan,
            languages=other_languages(question.question, ports),
        )
    except Permanent as error:
        return planned(rational_plan_without_model(question.question, failed=str(error)[:300]))
    names, translations = translated_of(plan)
    return planned(
        RationalPlanResult(
            question=standing,
            asked=" ".join(plan.asked.split())[:_ASKED],
            steps=tuple(distinct_lines(plan.steps)[:_STEPS]),
            key_information=tuple(distinct_lines(plan.key_information)[:_KEY_INFORMATION]),
            entities=(*distinct_lines(plan.entities)[:_ENTITIES], *names),
            sub_questions=tuple(distinct_lines(plan.sub_questions)),
            translations=translations,
        )
    )


def rational_plan_without_model(question: str, failed: str | None = None) -> RationalPlanResult:
    """Return the plan of last resort: look for the question itself."""
    return RationalPlanResult(
        question=question,
        asked="",
        steps=(),
        key_information=(),
        entities=(),
        sub_questions=(),
        failed=failed,
    )
