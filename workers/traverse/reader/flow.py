"""Flow of the reader strategy (GraphReader): plan, starts, paths with notebooks, score, reason."""

from __future__ import annotations

from hopline.models.jobs import JobState, Json
from workers.core.jobs.flow import Flow, Results, Step, only_item
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import End, Item, Job, Phase
from workers.core.prompts import prompt_versions
from workers.critic.reason import ReasoningInput, reason_over_notebooks
from workers.critic.score import ScoreInput, ScoreResult, score_fact
from workers.critic.synthesize import WritingResult
from workers.traverse.plan import PlanInput
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
    nothing_found,
    params_of,
    planning,
    scores_afforded,
    scoring,
    timeout_of,
    unwritten,
    written_of,
)
from workers.traverse.reader.check_facts import check_facts
from workers.traverse.reader.choose_starts import choose_starts
from workers.traverse.reader.neighbours import select_neighbour
from workers.traverse.reader.path import CHECK_FACTS, READ_CHUNK, SELECT_NEIGHBOUR
from workers.traverse.reader.rational_plan import make_rational_plan
from workers.traverse.reader.read_chunk import read_chunk
from workers.traverse.reader.records import ActionResult, PathState, RationalPlanResult, StartsResult
from workers.traverse.reader.results import (
    action_failed,
    actions_of,
    calls_of,
    final_notes,
    notebooks_of,
    noted_facts,
    open_paths,
    plan_of,
    read_nodes,
    reading_failures,
    reasoning_input,
    report_actions,
    scored_notes,
    start_result,
    starts_of,
    surviving,
)

PLAN, STARTS, REASON = "traverse.rational_plan", "traverse.choose_starts", "critic.reason"
_HEAD_CALLS = 4  # plan, scores of the starts, two embeddings
_PATHS_SHARE = 2 / 3  # of the calls; the rest is for the critics
_CALLS_AN_ACTION = 1.5  # every other action of a path may embed what it needs, too
_SHORTEST = 3  # calls of a path worth beginning


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    following = (_after_plan, _after_starts, _after_paths, _after_scores, _after_reasoning)
    return following[phase](results, job)


def _after_plan(results: Results, job: Job) -> Phase | End:
    plan = plan_of(results, job)
    return Phase(items=(Item(id=only_item(STARTS), step=STARTS, input=plan, delay=DELIVERED),))


def _after_starts(results: Results, job: Job) -> Phase | End:
    done = results.get(SEEDING, ())
    if done and done[0].error:
        why = f"The nodes to start from could not be found: {done[0].error}"
        return _end(unwritten(JobState.FAILED, why), results, job)
    starts = start_result(results)
    if starts is None:
        why = "Ended before the nodes to start from were found."
        return _end(unwritten(JobState.PARTIAL, why, rests_on=()), results, job)
    if not starts.starts:
        why = "Nothing in the collection resembles what is asked about."
        return _end(unwritten(JobState.ABSTAINED, why, rests_on=()), results, job)
    paths, calls = _afforded(len(starts.starts), params_of(job))
    plan = plan_of(results, job)
    states = [
        PathState.first(path, start, plan=plan, starts=starts, max_calls=calls)
        for path, start in enumerate(starts.starts[:paths], 1)
    ]
    return Phase(items=tuple(Item(id=state.item_id, step=CHECK_FACTS, input=state) for state in states))


def _afforded(starts: int, params: QueryParams) -> tuple[int, int]:
    """Return how many paths may begin, and the model calls of each: few paths that get somewhere."""
    left = (params.max_model_calls - _HEAD_CALLS - TAIL_CALLS) * _PATHS_SHARE / _CALLS_AN_ACTION
    paths = max(1, min(starts, int(left / min(_SHORTEST, params.max_path_calls))))
    return paths, max(1, min(params.max_path_calls, int(left / paths)))


def _after_paths(results: Results, job: Job) -> Phase | End:
    facts = noted_facts(results, job)
    if not facts:
        return _end(_nothing_noted(results), results, job)
    params, spent = params_of(job), _HEAD_CALLS + calls_of(results)
    facts = facts[: scores_afforded(params.max_model_calls, spent, params.facts_per_critic)]
    plan = plan_of(results, job)
    items = scoring(facts, plan.question, plan.sub_questions, params.facts_per_critic)
    return Phase(items=tuple(items), subjects=len(facts))


def _nothing_noted(results: Results) -> WritingResult:
    """Return the reason for empty notebooks: nothing found, a failed model, or no reading at all."""
    actions = results.get(VISITING, ())
    failed = [why for done in actions if (why := action_failed(done))]
    if not actions or (any(open_paths(results)) and not failed):
        why = "Ended before the paths were read; nothing was found until then."
        if actions:
            why = "Ended before the paths were read to their end; nothing was found until then."
        return unwritten(JobState.PARTIAL, why, rests_on=())
    absent = "The collection does not contain what the question asks for: no path found anything to note."
    asked = [action for action in actions_of(results) if action.calls and not action.failed]
    return nothing_found(absent, failed, read=len(asked), parts="readings")


def _after_scores(results: Results, job: Job) -> Phase | End:
    reading = reasoning_input(results, job)
    return Phase(items=(Item(id=only_item(REASON), step=REASON, input=reading, delay=DELIVERED),))


def _after_reasoning(results: Results, job: Job) -> End:
    return _end(written_of(results), results, job)


def _end(written: WritingResult, results: Results, job: Job) -> End:
    facts, final = scored_notes(results, job), final_notes(results, job)
    books = notebooks_of(results)
    left = surviving(books, final)
    fallen = sum(len(book.entries) for book in books) - sum(len(book.entries) for book in left)
    details: Json = {
        "facts": len(facts),
        "plan": plan_of(results, job).outline.model_dump(mode="json"),
        "starts": [
            {"id": start.id, "name": start.spelled or start.name, "score": start.score}
            for start in starts_of(results)
        ],
        "notebooks": [book.model_dump(mode="json") for book in left],
        "actions": report_actions(results),
        **({"entries_fallen": fallen} if fallen else {}),
        **reading_failures(results, facts),
    }
    return build_answer_end(
        written,
        walk=read_nodes(results),
        details=details,
        final=final,
        prompts=prompt_versions("workers.traverse.reader", "workers.critic"),
    )


READER = Flow(
    kind=KIND,
    params=QueryParams,
    steps={
        PLAN: Step(make_rational_plan, PlanInput, RationalPlanResult, activity="planning"),
        STARTS: Step(choose_starts, RationalPlanResult, StartsResult, activity="choosing where to start"),
        CHECK_FACTS: Step(check_facts, PathState, ActionResult, activity="reading facts"),
        READ_CHUNK: Step(read_chunk, PathState, ActionResult, activity="reading chunks"),
        SELECT_NEIGHBOUR: Step(select_neighbour, PathState, ActionResult, activity="going on to a neighbour"),
        SCORE: Step(score_fact, ScoreInput, ScoreResult, activity="scoring facts"),
        REASON: Step(
            reason_over_notebooks, ReasoningInput, WritingResult, activity="reasoning over the notebooks"
        ),
    },
    first=lambda job: planning(PLAN, job),
    advance=_advance,
    cut_short=lambda results, job, reason: _end(unwritten(JobState.PARTIAL, reason), results, job),
    budget=budget_of,
    timeout=timeout_of,
    last=WRITING,
    chain=(PLAN, STARTS),
    chord=(SCORE, REASON),
)
