"""Flow of the tools strategy: normalise, then rounds of choose, run and check, then score and write.

Rounds are phases: first the tools of all open sub-questions concurrently, then the answer critic together
with the fact critics. So findings are scored while the next round is still being decided.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopline.errors import InvalidInput, Permanent
from hopline.events.questions import ToolFinished
from hopline.models.jobs import JobState, Json
from workers.core.answers.evidence import final_facts
from workers.core.jobs.flow import Flow, Results, Step, done_of, only_item
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import End, Item, Job, Outcome, Phase, as_json
from workers.core.models.tool_calls import ToolCall
from workers.core.models.tools import FoundBy, ToolFact
from workers.core.ports import Ports
from workers.core.prompts import prompt_versions
from workers.core.records import GraphPlace, QuotedFact
from workers.critic.check_answer import CheckInput, CheckResult, check_answer
from workers.critic.score import ScoreInput, ScoreResult, score_fact
from workers.critic.synthesize import WritingInput, WritingResult, synthesize
from workers.traverse.plan import PlanInput
from workers.traverse.question import (
    DELIVERED,
    KIND,
    SCORE,
    TAIL_CALLS,
    budget_of,
    build_answer_end,
    params_of,
    planning,
    scores_afforded,
    scoring,
    timeout_of,
    unwritten,
    written_in,
)
from workers.traverse.tools.normalise import normalise_question
from workers.traverse.tools.records import CallInput, CallResult, NormaliseResult, RouteInput, RouteResult
from workers.traverse.tools.results import (
    CHECK,
    ROUTE,
    answers_so_far,
    check_id,
    checks_of,
    collect_results,
    describe_calls,
    list_calls,
    lost_parts,
    missing_after,
    normalised,
    open_parts,
    read_direct_answer,
    report_calls,
    report_failures,
    round_of,
    routes_failed,
    scored_tool_facts,
    sub_questions,
    to_score,
    tool_facts,
    tried,
    writing_input,
)
from workers.traverse.tools.route import RUN_TOOL, choose_tools

_NOTE = 200  # characters in events


def run_tool(call: CallInput, ports: Ports) -> Outcome:
    """Run one tool call.

    If the graph refuses the call, or it takes too long, it has no findings and says why; if the database is
    unavailable, the item is deferred.

    Args:
        call: the call; its id is the item's own.
        ports: the tools of the graph.
    """
    result = _result(call, ports)
    finished = ToolFinished(
        tool=call.tool, arguments=call.arguments, facts=len(result.facts), note=result.note[:_NOTE]
    )
    return Outcome(result=result, events=(finished,))


def _result(call: CallInput, ports: Ports) -> CallResult:
    try:
        answer = ports.tools.run(ToolCall(name=call.tool, arguments=call.arguments), call.question)
    except Permanent as error:
        why = (error.for_model if isinstance(error, InvalidInput) else str(error))[:300]
        return CallResult(
            question=call.question,
            by=FoundBy(tool=call.tool, arguments=call.arguments),
            facts=(),
            left_out=0,
            markdown="",
            note=why,
            failed=why,
        )
    return CallResult(
        question=call.question,
        by=answer.by,
        facts=tuple(_quoted(call.id, nth, fact, answer.by.tool) for nth, fact in enumerate(answer.facts)),
        left_out=answer.left_out,
        markdown=answer.markdown,
        note=answer.note,
        exact=answer.exact,
    )


def _quoted(item_id: str, nth: int, fact: ToolFact, tool: str) -> QuotedFact:
    found_in_graph = bool(fact.row or fact.nodes or fact.relationships)
    place = GraphPlace(
        call=item_id,
        nth=nth,
        said=fact.said,
        row=fact.row,
        nodes=fact.nodes,
        relationships=fact.relationships,
    )
    return QuotedFact(
        fact_text=fact.text,
        source_node_id=next(iter(fact.nodes), ""),
        source_fact_id=fact.fact_id,
        source_qdrant_chunk_id=fact.chunk_id,
        extracted_from_depth=0,
        place=place if found_in_graph else None,
        title=fact.title or tool,
        quote=fact.said,
    )


NORMALISE, WRITE = "traverse.normalise", "critic.answer_from_tools"
_CALLS_A_QUESTION = 4  # of the model: one choice, and three drafts of a statement at most


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    steps = {done.step for done in results.get(phase, ())}
    if phase == 0:
        whole_question = normalised(results, job)
        return _round(1, whole_question.sub_questions, results, job)
    if WRITE in steps:
        return _after_writing(results, job)
    # Odd phases run tools, even ones look at what they found; a phase whose items were all dropped still
    # counts as a round.
    number = (phase + 1) // 2
    return _after_tools(number, results, job) if phase % 2 else _after_check(number, results, job)


def _round(number: int, questions: Sequence[str], results: Results, job: Job) -> Phase:
    """Return the phase that chooses tools for all sub-questions in parallel."""
    whole_question, answers = normalised(results, job), answers_so_far(results)
    most = max(1, _calls_left(results, job) // _CALLS_A_QUESTION)
    items = [
        Item(
            id=f"choose:{number}:{nth}",
            step=ROUTE,
            input=RouteInput(
                question=question,
                whole=whole_question.question,
                history=whole_question.history,
                answers=answers,
                round=number,
            ),
        )
        for nth, question in enumerate(questions[:most])
    ]
    return Phase(items=tuple(items))


def _after_tools(number: int, results: Results, job: Job) -> Phase | End:
    """Return the phase of the critics: is it answered, beside how far each fact helps."""
    if not tool_facts(results, job) and read_direct_answer(results):
        return _end_without_graph(results, job)
    rounds_left = params_of(job).max_rounds - number
    tool_results = collect_results(results)
    check = Item(
        id=check_id(number),
        step=CHECK,
        input=CheckInput(
            question=normalised(results, job).question,
            rounds_left=rounds_left,
            asked=tuple(tool_results),
            history=normalised(results, job).history,
        ),
    )
    # Behind the last round, too: what is open then is named beside the answer.
    checks = [check] if tool_results and _calls_left(results, job) > _CALLS_A_QUESTION else []
    per_critic = params_of(job).facts_per_critic
    most = scores_afforded(_calls_left(results, job) + TAIL_CALLS, len(checks), per_critic)
    facts = to_score(results, job)[:most]
    scores = scoring(facts, normalised(results, job).question, sub_questions(results, job), per_critic)
    if not checks and not scores:
        return _write(results, job)
    return Phase(items=(*scores, *checks), subjects=len(facts))


def _end_without_graph(results: Results, job: Job) -> End:
    """Return the end of a question that nothing of the graph was needed for."""
    text = read_direct_answer(results)
    lost = lost_parts(results, job)
    if not lost:
        return _end(unwritten(JobState.DONE, None, text=text), results, job)
    why = f"No tool could be chosen for a part of the question: {lost[0]}"
    return _end(unwritten(JobState.PARTIAL, why, text=text), results, job)


def _after_check(number: int, results: Results, job: Job) -> Phase | End:
    missing = missing_after(number, results)
    if missing and number < params_of(job).max_rounds:
        return _round(number + 1, missing, results, job)
    return _write(results, job)


def _write(results: Results, job: Job) -> Phase | End:
    if not tool_facts(results, job):
        return _nothing_found(results, job)
    writing = writing_input(results, job, open_parts(results, job))
    return Phase(items=(Item(id=only_item(WRITE), step=WRITE, input=writing, delay=DELIVERED),))


def _nothing_found(results: Results, job: Job) -> End:
    """Return the end if no tool found a fact; it differs if tools could not be chosen or run."""
    calls = list_calls(results)
    refused = routes_failed(results)
    failed = [why for call in calls if (why := call.error or (call.result and call.result.failed))]
    ran = [call for call in calls if call.result and not call.result.failed]
    if not ran:
        is_over = bool(refused or failed) and len(failed) == len(calls)
        state = JobState.FAILED if is_over else JobState.PARTIAL
        why = f"No tool could be run to its end: {tried(results)}"
        if refused and not calls:
            why = f"No tool could be chosen: {refused[0]}"
        return _end(unwritten(state, why), results, job)
    if refused or failed:
        first = (failed or refused)[0].rstrip(".")
        why = f"Nothing was found, but not everything could be asked: {first}. Hopline {tried(results)}"
        return _end(unwritten(JobState.PARTIAL, why), results, job)
    why = f"The graph does not contain what the question asks for: {tried(results)}"
    return _end(unwritten(JobState.ABSTAINED, why), results, job)


def _after_writing(results: Results, job: Job) -> End:
    return _end(written_in(done_of(results, WRITE)), results, job)


def _end(written: WritingResult, results: Results, job: Job) -> End:
    facts, params = scored_tool_facts(results, job), params_of(job)
    whole_question, parts = normalised(results, job), open_parts(results, job)
    details: Json = {
        "facts": len(facts),
        "question": whole_question.question,
        "sub_questions": sub_questions(results, job),
        "rounds": round_of(results),
        "tools": report_calls(results),
        **({"looked_up": exact} if (exact := sum(fact.looked_up for fact in facts)) else {}),
        "checks": [as_json(check) for _id, check in checks_of(results)],
        **({"parts_not_asked": lost} if (lost := lost_parts(results, job)) else {}),
        **({"parts_not_found": parts} if parts else {}),
        **report_failures(results, facts),
    }
    if written.state in {JobState.PARTIAL, JobState.ABSTAINED}:
        written = written.model_copy(update={"missing": written.missing or tuple(parts)})
    calls = describe_calls(results, job, written.cited_calls)
    return build_answer_end(
        written,
        walk=[],
        details=details,
        prompts=prompt_versions("workers.traverse.tools", "workers.text2cypher", "workers.critic"),
        final=final_facts(facts, params.decay_rate, params.score_threshold),
        calls={name: by.model_dump(exclude_none=True) for name, by in calls.items()},
    )


def calls_spent(results: Results) -> int:
    """Return an upper bound on the model calls of the phases so far."""
    spent = 1 + len(done_of(results, ROUTE)) + len(done_of(results, CHECK)) + len(done_of(results, SCORE))
    return spent + (_CALLS_A_QUESTION - 1) * len(done_of(results, RUN_TOOL)) + len(done_of(results, WRITE))


def _calls_left(results: Results, job: Job) -> int:
    """Return how many model calls are left before those of the writing."""
    return params_of(job).max_model_calls - calls_spent(results) - TAIL_CALLS


TOOLS = Flow(
    kind=KIND,
    params=QueryParams,
    steps={
        NORMALISE: Step(normalise_question, PlanInput, NormaliseResult, activity="taking the question apart"),
        ROUTE: Step(choose_tools, RouteInput, RouteResult, activity="choosing tools"),
        RUN_TOOL: Step(run_tool, CallInput, CallResult, activity="asking the graph"),
        CHECK: Step(check_answer, CheckInput, CheckResult, activity="checking whether it is answered"),
        SCORE: Step(score_fact, ScoreInput, ScoreResult, activity="scoring facts"),
        WRITE: Step(synthesize, WritingInput, WritingResult, activity="writing the answer"),
    },
    first=lambda job: planning(NORMALISE, job),
    advance=_advance,
    cut_short=lambda results, job, reason: _end(unwritten(JobState.PARTIAL, reason), results, job),
    budget=budget_of,
    timeout=timeout_of,
    writes=frozenset((WRITE,)),
    chord=(SCORE, WRITE),
)
