"""Flow of the graph strategy: plan, seed, visit, score, synthesize."""

from __future__ import annotations

from hopline.models.jobs import JobState
from workers.core.answers.evidence import final_facts
from workers.core.answers.walk import visit_id
from workers.core.jobs.flow import Flow, Results, Step, only_item, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, End, Item, Job, Phase
from workers.core.prompts import prompt_versions
from workers.critic.score import ScoreInput, ScoreResult, score_fact
from workers.critic.synthesize import WritingInput, WritingResult, synthesize
from workers.traverse.graph.results import (
    collect_facts,
    failures,
    planned,
    property_calls,
    scored_facts,
    seeding_of,
    walk_of,
)
from workers.traverse.graph.seed import Seed, SeedResult, choose_seeds
from workers.traverse.graph.visit import VisitInput, VisitResult, visit_node
from workers.traverse.plan import PlanInput, PlannedQuestion, PlanResult, plan_question
from workers.traverse.question import (
    DELIVERED,
    KIND,
    SCORE,
    SEEDING,
    TAIL_CALLS,
    VISITING,
    WRITING,
    budget_of,
    build_answer_end,
    failure_of,
    nothing_found,
    params_of,
    planning,
    scores_afforded,
    scoring,
    timeout_of,
    unwritten,
    written_of,
)

PLAN, SEED, VISIT = "traverse.plan", "traverse.seed", "traverse.visit"
SYNTHESIZE = "critic.synthesize"
_HEAD_CALLS = 2  # one plan, one embedding


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    following = (_after_plan, _after_seed, _after_visits, _after_scores, _after_writing)
    return following[phase](results, job)


def _after_plan(results: Results, job: Job) -> Phase | End:
    plan = planned(results, job)
    return Phase(items=(Item(id=only_item(SEED), step=SEED, input=plan, delay=DELIVERED),))


def _after_seed(results: Results, job: Job) -> Phase | End:
    done = results.get(SEEDING, ())
    if done and done[0].error:
        why = f"No place to start in the graph could be found: {done[0].error}"
        return _end(unwritten(JobState.FAILED, why), results, job)
    seeding = seeding_of(results)
    if seeding is None:
        why = "Ended before a place to start in the graph was found."
        return _end(unwritten(JobState.PARTIAL, why, rests_on=()), results, job)
    if not seeding.seeds:
        why = "Nothing in the collection resembles what is asked about."
        return _end(unwritten(JobState.ABSTAINED, why, rests_on=()), results, job)
    plan = planned(results, job)
    visits = [_visit_of(seed, plan, seeding.guide) for seed in seeding.seeds]
    params = params_of(job)
    most = min(params.max_visits, params.max_model_calls - _HEAD_CALLS - TAIL_CALLS)
    return Phase(items=tuple(visits[: max(1, most)]), caps={VISIT: max(1, most)})


def _visit_of(seed: Seed, plan: PlannedQuestion, guide: str) -> Item:
    visit = VisitInput(
        node_id=seed.id,
        name=seed.name,
        depth=0,
        parent=None,
        path=(),
        question=plan.question,
        sub_questions=plan.sub_questions,
        guide=guide,
        read=(),
    )
    return Item(id=visit_id(seed.id), step=VISIT, input=visit)


def _after_visits(results: Results, job: Job) -> Phase | End:
    facts = collect_facts(results, job)
    if not facts:
        return _end(_nothing_found(results), results, job)
    params = params_of(job)
    spent = _HEAD_CALLS + len(results.get(VISITING, ()))
    facts = facts[: scores_afforded(params.max_model_calls, spent, params.facts_per_critic)]
    plan = planned(results, job)
    items = scoring(facts, plan.question, plan.sub_questions, params.facts_per_critic)
    return Phase(items=tuple(items), subjects=len(facts))


def _nothing_found(results: Results) -> WritingResult:
    """Return the result if no visit found a fact; it differs if nodes could not be read."""
    visits = results.get(VISITING, ())
    unread = [reason for done in visits if (reason := failure_of(done))]
    started, seeding = {done.item_id for done in visits}, seeding_of(results)
    if not unread and seeding and any(visit_id(seed.id) not in started for seed in seeding.seeds):
        why = "Ended before the start nodes were read; nothing was found until then."
        return unwritten(JobState.PARTIAL, why, rests_on=())
    absent = "The collection does not contain what the question asks for: no fact was found."
    read = [done for done in visits if not failure_of(done) and not _is_passed_by(done)]
    return nothing_found(absent, unread, read=len(read), parts="nodes")


def _is_passed_by(done: Done) -> bool:
    """Return whether a visit made no model call because another visit reads the same facts."""
    visit = result_of(done, VisitResult)
    return visit is not None and visit.passed_by


def _after_scores(results: Results, job: Job) -> Phase | End:
    plan = planned(results, job)
    facts = scored_facts(results, job)
    writing = WritingInput(
        question=plan.question,
        sub_questions=plan.sub_questions,
        facts=tuple(facts),
        calls=property_calls(results, facts),
    )
    return Phase(items=(Item(id=only_item(SYNTHESIZE), step=SYNTHESIZE, input=writing, delay=DELIVERED),))


def _after_writing(results: Results, job: Job) -> End:
    return _end(written_of(results), results, job)


def _end(written: WritingResult, results: Results, job: Job) -> End:
    facts = scored_facts(results, job)
    params = params_of(job)
    calls = property_calls(results, facts)
    return build_answer_end(
        written,
        walk=[step.model_dump() for step in walk_of(results)],
        details={"facts": len(facts), **failures(results, facts)},
        prompts=prompt_versions("workers.traverse", "workers.traverse.graph", "workers.critic"),
        final=final_facts(facts, params.decay_rate, params.score_threshold),
        calls={name: by.model_dump() for name, by in calls.items() if name in written.cited_calls},
    )


QUERY = Flow(
    kind=KIND,
    params=QueryParams,
    steps={
        PLAN: Step(plan_question, PlanInput, PlanResult, activity="planning"),
        SEED: Step(choose_seeds, PlannedQuestion, SeedResult, activity="choosing where to start"),
        VISIT: Step(visit_node, VisitInput, VisitResult, activity="reading nodes of the graph"),
        SCORE: Step(score_fact, ScoreInput, ScoreResult, activity="scoring facts"),
        SYNTHESIZE: Step(synthesize, WritingInput, WritingResult, activity="writing the answer"),
    },
    first=lambda job: planning(PLAN, job),
    advance=_advance,
    cut_short=lambda results, job, reason: _end(unwritten(JobState.PARTIAL, reason), results, job),
    budget=budget_of,
    timeout=timeout_of,
    last=WRITING,
    chain=(PLAN, SEED),
    chord=(SCORE, SYNTHESIZE),
)
