"""A question whose first step chooses between the other strategies; the one chosen goes on from there."""

from __future__ import annotations

from workers.core.work import End, Item, Job, JobState, Json, Phase
from workers.flows.flow import Flow, Results, Step
from workers.flows.graph import QUERY
from workers.flows.question import planning
from workers.flows.reader import READER
from workers.flows.tools import TOOLS
from workers.traverse.tools.choose_strategy import choose_strategy

CHOOSE = "traverse.choose_strategy"
_FLOWS = {"graph": QUERY, "reader": READER, "tools": TOOLS}


def _first(job: Job) -> Phase:
    return planning(CHOOSE, job)


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    if phase == 0:
        return _begun(_choice(results)["strategy"], results, job)
    name, first = _running(results, phase, job)
    following = _FLOWS[name].advance(phase - first, _since(results, first), job)
    if not isinstance(following, End):
        return following
    if name == "tools" and _choice(results)["documents"] and _found_nothing(following):
        return _begun("graph", results, job)
    return _told(following, results, name)


def _begun(name: str, results: Results, job: Job) -> Phase:
    """Return the first phase of a strategy, with the conversation so far."""
    history = _choice(results)["history"]
    opened = _FLOWS[name].first(job)
    items = tuple(
        Item(id=item.id, step=item.step, input={**item.input, "history": history}) for item in opened.items
    )
    return opened.model_copy(update={"items": items})


def _found_nothing(end: End) -> bool:
    return end.state is JobState.ABSTAINED and not end.outcome["details"].get("facts")


def _choice(results: Results) -> Json:
    """Return {strategy, why, documents, history}; where none could be made, the graph is walked."""
    done = results.get(0, ())
    if done and not done[0].error:
        return done[0].result
    why = f"No choice could be made: {done[0].error if done else 'it was not begun'}."
    return {"strategy": "graph", "why": why, "documents": True, "history": []}


def _running(results: Results, phase: int, job: Job) -> tuple[str, int]:
    """Return the strategy that a phase belongs to, and the number of that strategy's first phase."""
    choice = _choice(results)
    if choice["strategy"] == "tools" and choice["documents"]:
        for number in range(1, phase):
            so_far = {before - 1: done for before, done in results.items() if 1 <= before <= number}
            following = TOOLS.advance(number - 1, so_far, job)
            if isinstance(following, End) and _found_nothing(following):
                return "graph", number + 1
    return choice["strategy"], 1


def _since(results: Results, first: int) -> Results:
    return {phase - first: done for phase, done in results.items() if phase >= first}


def _chosen(results: Results, phase: int, job: Job) -> Flow | None:
    return _FLOWS[_running(results, phase, job)[0]] if phase else None


def _cut_short(results: Results, job: Job, reason: str) -> End:
    name, first = _running(results, max(results, default=0), job)
    return _told(_FLOWS[name].cut_short(_since(results, first), job, reason), results, name)


def _told(end: End, results: Results, ran: str) -> End:
    """Return an end whose details say which strategy was chosen, why, and which one it fell back to."""
    choice = _choice(results)
    told: Json = {name: choice[name] for name in ("strategy", "why", "failed") if name in choice}
    if ran != choice["strategy"]:
        told |= {"fell_back_to": ran, "because": "The tools found nothing."}
    details = {"chosen": told, **end.outcome["details"]}
    return end.model_copy(update={"outcome": {**end.outcome, "details": details}})


AUTO = Flow(
    kind=QUERY.kind,
    params=QUERY.params,
    steps={CHOOSE: Step(choose_strategy), **TOOLS.steps, **READER.steps, **QUERY.steps},
    first=_first,
    advance=_advance,
    cut_short=_cut_short,
    budget=QUERY.budget,
    timeout=QUERY.timeout,
    writes=frozenset(flow.chord[1] for flow in _FLOWS.values() if flow.chord),
    chosen=_chosen,
)
