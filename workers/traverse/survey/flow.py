"""Flow of the survey strategy: plan, topics, rounds of scoring, claims, and the answer from claims.

Rounds are phases: each scores facts of the best topics concurrently, and the choice for the next one depends
on which facts helped.
"""

from __future__ import annotations

from hopline.models.jobs import JobState, Json
from workers.core.answers.evidence import final_facts
from workers.core.jobs.flow import Flow, Results, Step, done_of, only_item
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import End, Item, Job, Phase, as_json
from workers.core.prompts import prompt_versions
from workers.critic.synthesize import WritingResult
from workers.traverse.plan import PlanInput
from workers.traverse.question import (
    DELIVERED,
    KIND,
    SCORE,
    budget_of,
    build_answer_end,
    planning,
    timeout_of,
    unwritten,
    written_in,
)
from workers.traverse.survey.answer import SurveyWriting, write_survey
from workers.traverse.survey.claims import ClaimsInput, ClaimsResult, make_claims
from workers.traverse.survey.plan import plan_survey
from workers.traverse.survey.records import SurveyedQuestion, SurveyPlanResult, TopicsResult
from workers.traverse.survey.results import CLAIMS, PLANNING, TOPICS, Survey
from workers.traverse.survey.score import SurveyScoreInput, SurveyScoreResult, score_of_survey
from workers.traverse.survey.topics import choose_topics

PLAN, CHOOSE = "traverse.survey_plan", "traverse.survey_topics"
ANSWER = "critic.survey_answer"
_BUILDING = 900.0  # seconds: where a collection has no topics yet, they are built first


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    survey = Survey(results, job, phase)
    if phase == PLANNING:
        return Phase(items=(Item(id=only_item(CHOOSE), step=CHOOSE, input=survey.plan, delay=DELIVERED),))
    if phase == TOPICS and (end := _not_begun(survey, results)):
        return end
    if survey.next_batches:
        return Phase(items=tuple(survey.scoring()), subjects=sum(map(len, survey.next_batches)))
    if phase < survey.claims_phase:
        return _after_rounds(survey)
    answered = done_of(results, ANSWER)
    if phase == survey.claims_phase and not answered:
        return _write(survey)
    return _end(written_in(answered), survey)


def _not_begun(survey: Survey, results: Results) -> End | None:
    """Return the end of a survey that has nothing to look at; None if it has."""
    done = results.get(TOPICS, ())
    if done and done[0].error:
        why = f"The topics to look at could not be found: {done[0].error}"
        return _end(unwritten(JobState.FAILED, why), survey)
    if survey.topics_result is None:
        why = "Ended before the topics to look at were found."
        return _end(unwritten(JobState.PARTIAL, why, rests_on=()), survey)
    if not survey.topics_result.facts:
        why = "The collection holds no fact that could be looked at."
        return _end(unwritten(JobState.ABSTAINED, why, rests_on=()), survey)
    return None


def _after_rounds(survey: Survey) -> Phase | End:
    if not survey.relevant:
        return _end(_none_helps(survey), survey)
    items = survey.claims_items()
    return Phase(items=tuple(items)) if items else _write(survey)


def _none_helps(survey: Survey) -> WritingResult:
    chosen, scored = len(survey.exploration.looked_for), len(survey.exploration.scores)
    if scored < chosen:
        why = f"Only {scored:,} of {chosen:,} facts could be scored, and none of them helps to answer."
        cause = survey.first_failure
        return unwritten(
            JobState.PARTIAL,
            f"{why} The first failure: {cause}" if cause else why,
            rests_on=None if cause else (),
        )
    why = "Nothing that was looked at helps to answer the question."
    return unwritten(JobState.ABSTAINED, why, rests_on=())


def _write(survey: Survey) -> Phase | End:
    writing = survey.writing()
    if not writing.claims:
        why = "No claim could be made of the facts that were looked at."
        if cause := survey.first_failure:
            return _end(unwritten(JobState.PARTIAL, f"{why} The first failure: {cause}"), survey)
        return _end(unwritten(JobState.ABSTAINED, why, rests_on=()), survey)
    return Phase(items=(Item(id=only_item(ANSWER), step=ANSWER, input=writing, delay=DELIVERED),))


def _cut_short(results: Results, job: Job, reason: str) -> End:
    return _end(unwritten(JobState.PARTIAL, reason), Survey(results, job))


def _end(written: WritingResult, survey: Survey) -> End:
    coverage = survey.coverage()
    line = coverage.line(survey.plan.question)
    details: Json = {
        "facts": len(survey.exploration.scores),
        "question": survey.plan.question,
        "kind": survey.plan.kind,
        "sub_questions": list(survey.plan.sub_questions),
        "rounds": survey.rounds,
        "coverage": {**as_json(coverage), "line": line},
        "claims": [as_json(claim) for claim in survey.claims()] if survey.topics_result else [],
        **survey.failures(),
    }
    if survey.topics_result and survey.topics_result.facts and not survey.is_limited:
        fields = {"text": f"{written.text}\n\n{line}"} if written.text else {}
        if not written.text:
            fields = {"reason": f"{written.reason.removesuffix('.')}. {line}" if written.reason else line}
        written = written.model_copy(update=fields)
    params = survey.params
    return build_answer_end(
        written,
        walk=[],
        details=details,
        prompts=prompt_versions("workers.traverse.survey", "workers.traverse.survey", "workers.critic"),
        final=final_facts(survey.scored(), params.decay_rate, params.score_threshold),
    )


SURVEY = Flow(
    kind=KIND,
    params=QueryParams,
    steps={
        PLAN: Step(plan_survey, PlanInput, SurveyPlanResult, activity="taking the question apart"),
        CHOOSE: Step(
            choose_topics, SurveyedQuestion, TopicsResult, activity="finding topics", time_limit=_BUILDING
        ),
        SCORE: Step(score_of_survey, SurveyScoreInput, SurveyScoreResult, activity="scoring facts"),
        CLAIMS: Step(make_claims, ClaimsInput, ClaimsResult, activity="making claims of what was found"),
        ANSWER: Step(write_survey, SurveyWriting, WritingResult, activity="writing the answer"),
    },
    first=lambda job: planning(PLAN, job),
    advance=_advance,
    cut_short=_cut_short,
    budget=budget_of,
    timeout=timeout_of,
    writes=frozenset((ANSWER,)),
    chain=(PLAN, CHOOSE),
    chord=(CLAIMS, ANSWER),
)
