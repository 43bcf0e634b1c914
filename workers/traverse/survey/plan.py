"""First step of the survey strategy: plans the sub-questions and the kind of answer."""

from __future__ import annotations

from hopline.errors import Permanent
from hopline.events.questions import PlanFinished
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.plan import PlanInput, ask_plan, distinct_lines, other_languages, translated_of
from workers.traverse.survey.records import SurveyPlanResult
from workers.traverse.survey.schema import SurveyPlan, TranslatedSurveyPlan

_SUB_QUESTIONS = 5
_REPLY_TOKENS = 600


def plan_survey(question: PlanInput, ports: Ports) -> Outcome:
    """Plan what to search for, and the kind of answer wanted.

    If the model fails for good, the plan is the question itself, and `failed` says why.

    Args:
        question: the question to answer.
        ports: the fast model is called once.
    """
    prompt = load_prompt("workers.traverse.survey", "survey_plan")
    try:
        standing, plan = ask_plan(
            question,
            ports,
            prompt,
            SurveyPlan,
            _REPLY_TOKENS,
            translated=TranslatedSurveyPlan,
            languages=other_languages(question.question, ports),
        )
    except Permanent as error:
        return _planned(survey_without_model(question.question, failed=str(error)[:300]))
    return _planned(
        SurveyPlanResult(
            question=standing,
            kind=plan.kind,
            sub_questions=tuple(distinct_lines(plan.sub_questions)[:_SUB_QUESTIONS]),
            translations=translated_of(plan)[1],
        )
    )


def survey_without_model(question: str, failed: str | None = None) -> SurveyPlanResult:
    """Return the plan of last resort: search for the question itself."""
    return SurveyPlanResult(question=question, kind="themes", sub_questions=(), failed=failed)


def _planned(plan: SurveyPlanResult) -> Outcome:
    return Outcome(result=plan, events=(PlanFinished(entities=(), sub_questions=plan.sub_questions),))
