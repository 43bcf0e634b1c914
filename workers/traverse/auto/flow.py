"""Flow of the `auto` strategy: a first step chooses another strategy, which continues the job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hopline.models.strategies import names_to_choose
from workers.core.jobs.flow import Flow, Results, Step, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, End, Item, Job, Phase
from workers.traverse.auto.choose_strategy import (
    StrategyResult,
    choice_prompt,
    choose_strategy,
)
from workers.traverse.plan import PlanInput
from workers.traverse.question import KIND, SCORE, budget_of, params_of, planning, timeout_of
from workers.traverse.strategies import FLOW_OF
from workers.traverse.tools.flow import TOOLS, calls_spent

CHOOSE = "traverse.choose_strategy"
_USUAL: Final = "graph"

CHOICES = {name: FLOW_OF[name] for name in names_to_choose()}


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    if phase == 0:
        return _begun(_choice(results).strategy, results, job)
    name, first = _running(results, phase, job)
    following = CHOICES[name].advance(phase - first, _since(results, first), _left(results, first, job))
    if not isinstance(following, End):
        return following
    if name == "tools" and _choice(results).documents and _unanswered(following):
        return _begun(_USUAL, results, job)
    return _add_choice(following, results, job, first)


def _begun(name: str, results: Results, job: Job) -> Phase:
    """Return the first phase of a strategy, with the conversation so far and the prepared question."""
    (item,) = CHOICES[name].first(job).items
    question, choice = PlanInput.read_stored(item.input), _choice(results)
    prepared = choice.prepared if name == choice.strategy else None
    followed = question.model_copy(update={"history": choice.history, "prepared": prepared})
    return Phase(items=(Item(id=item.id, step=item.step, input=followed),))


def _unanswered(end: End) -> bool:
    """Return whether tools gave neither an answer nor evidence, so that documents should be tried."""
    return not end.outcome["text"] and not end.outcome["citations"]


def _choice(results: Results) -> StrategyResult:
    """Return the choice; the graph strategy if none could be made."""
    done = results.get(0, ())
    if done and (choice := result_of(done[0], StrategyResult)):
        return choice
    why = f"No choice could be made: {done[0].error if done else 'it was not begun'}."
    return StrategyResult(strategy=_USUAL, why=why, documents=True, history=())


def _running(results: Results, phase: int, job: Job) -> tuple[str, int]:
    """Return the strategy that a phase belongs to, and the number of that strategy's first phase."""
    choice = _choice(results)
    if choice.strategy == "tools" and choice.documents:
        for number in range(1, phase):
            if (end := _end_of_tools(results, number, job)) and _unanswered(end):
                return _USUAL, number + 1
    return choice.strategy, 1


def _end_of_tools(results: Results, phase: int, job: Job) -> End | None:
    """Return how tools ended with a phase; None if they went on."""
    so_far = {number - 1: done for number, done in results.items() if 1 <= number <= phase}
    following = TOOLS.advance(phase - 1, so_far, _left(results, 1, job))
    return following if isinstance(following, End) else None


def _since(results: Results, first: int) -> Results:
    """Return a strategy's phases, counted from its first; what critics scored before stays known."""
    own: dict[int, Sequence[Done]] = {
        number - first: done for number, done in results.items() if number >= first
    }
    earlier = [done for number in sorted(results) if number < first for done in results[number]]
    scored = [done for done in earlier if done.step == SCORE]
    return {-1: scored, **own} if scored else own


def _left(results: Results, first: int, job: Job) -> Job:
    """Return the job as a strategy sees it: with the model calls that those before it left."""
    before = {number - 1: done for number, done in results.items() if 1 <= number < first}
    spent = 1 + (calls_spent(before) if before else 0)
    calls = max(1, params_of(job).max_model_calls - spent)
    return job.model_copy(update={"params": {**job.params, "max_model_calls": calls}})


def _chosen_flow(results: Results, phase: int, job: Job) -> Flow | None:
    return CHOICES[_running(results, phase, job)[0]] if phase else None


def _cut_short(results: Results, job: Job, reason: str) -> End:
    name, first = _running(results, max(results, default=0), job)
    end = CHOICES[name].cut_short(_since(results, first), _left(results, first, job), reason)
    return _add_choice(end, results, job, first)


def _add_choice(end: End, results: Results, job: Job, first: int) -> End:
    """Return an end whose details name the chosen strategy, why, the fallback, and the choice's prompt."""
    chosen = _choice(results).model_dump(include={"strategy", "why", "failed"}, exclude_none=True)
    if first > 1 and (before := _end_of_tools(results, first - 1, job)):
        chosen |= {"fell_back_to": _USUAL, "because": before.outcome["reason"] or "tools found nothing"}
    details = {"chosen": chosen, **end.outcome["details"]}
    if "prompts" in details:  # an answer's, of the strategy
        details["prompts"] = {**details["prompts"], "choose_strategy": choice_prompt().version}
    return end.model_copy(update={"outcome": {**end.outcome, "details": details}})


AUTO = Flow(
    kind=KIND,
    params=QueryParams,
    steps={
        CHOOSE: Step(choose_strategy, PlanInput, StrategyResult, activity="choosing a strategy"),
        **{name: step for flow in reversed(CHOICES.values()) for name, step in flow.steps.items()},
    },
    first=lambda job: planning(CHOOSE, job),
    advance=_advance,
    cut_short=_cut_short,
    budget=budget_of,
    timeout=timeout_of,
    writes=frozenset(flow.chord[1] for flow in CHOICES.values() if flow.chord),
    chosen=_chosen_flow,
)
