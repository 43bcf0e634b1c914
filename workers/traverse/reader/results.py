"""Derives a reader query's notebooks, actions and facts from the results of its phases."""

from __future__ import annotations

from collections.abc import Sequence

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.answers.evidence import collected, fact_key, final_facts, fitting
from workers.core.answers.lexical_rank import question_terms
from workers.core.jobs.flow import Results, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, Job
from workers.core.records import FinalFact, RankedFact, ScoredFact
from workers.critic.reason import PathNote, PathNotes, ReasoningInput
from workers.traverse.question import PLANNING, SEEDING, VISITING, failed_steps, unsure_scores, with_scores
from workers.traverse.reader.notebook import Entry
from workers.traverse.reader.rational_plan import rational_plan_without_model
from workers.traverse.reader.records import (
    ActionResult,
    RationalPlanResult,
    Start,
    StartsResult,
    path_id,
    path_of,
)

_FACTS = 150  # that go on at most, best first
# Limits of the JSON given to the reasoning: together less than an item's input may have, for any texts.
_FACTS_BYTES = 128 * 1024
_NOTEBOOKS_BYTES = 64 * 1024
# Of an action, that an answer's details tell.
_TOLD = {
    "path",
    "action",
    "step",
    "at",
    "decision",
    "reason",
    "need",
    "refused",
    "dropped",
    "error",
    "failed",
    "why",
}


class Notebook(Frozen):
    """The notes of one path, in order."""

    path: int
    start: str  # the name of the node that it started from
    entries: tuple[Entry, ...]


def plan_of(results: Results, job: Job) -> RationalPlanResult:
    """Return the plan; if there is none, the question itself."""
    done = results.get(PLANNING, ())
    plan = result_of(done[0], RationalPlanResult) if done else None
    return plan or rational_plan_without_model(QueryParams.read_stored(job.params).question)


def start_result(results: Results) -> StartsResult | None:
    """Return the result of choosing start nodes; None if that was not done."""
    done = results.get(SEEDING, ())
    return result_of(done[0], StartsResult) if done else None


def starts_of(results: Results) -> tuple[Start, ...]:
    """Return the start nodes, that of path 1 first."""
    chosen = start_result(results)
    return chosen.starts if chosen else ()


def actions_of(results: Results) -> list[ActionResult]:
    """Return the paths' actions that have a result, in order of path and action."""
    read = (result_of(done, ActionResult) for done in results.get(VISITING, ()))
    return sorted(filter(None, read), key=lambda action: (action.path, action.action))


def action_failed(done: Done) -> str | None:
    """Return why an action of a path failed; None if it did not."""
    action = result_of(done, ActionResult)
    return (action.failed or None) if action else done.error


def open_paths(results: Results) -> set[int]:
    """Return the paths that were started and are neither finished nor dead letters."""
    actions = results.get(VISITING, ())
    begun = {path_of(done.item_id) for done in actions}
    dead = {path_of(done.item_id) for done in actions if done.error}
    return begun - dead - {action.path for action in actions_of(results) if action.why}


def notebooks_of(results: Results) -> list[Notebook]:
    """Return each path's notebook; a path without notes has none."""
    entries: dict[int, list[Entry]] = {}
    for action in actions_of(results):
        if action.entries:
            entries.setdefault(action.path, []).extend(action.entries)
    names = {path: start.name for path, start in enumerate(starts_of(results), 1)}
    return [
        Notebook(path=path, start=names.get(path, ""), entries=tuple(noted))
        for path, noted in entries.items()
    ]


def surviving(books: Sequence[Notebook], final: Sequence[FinalFact]) -> list[Notebook]:
    """Return the notebooks without entries that are based only on dropped facts."""
    kept = {fact_key(fact.fact_text) for fact in final}
    left: list[Notebook] = []
    for book in books:
        entries = tuple(entry for entry in book.entries if kept.intersection(entry.rests_on))
        if entries:
            left.append(book.model_copy(update={"entries": entries}))
    return left


def noted_facts(results: Results, job: Job) -> list[RankedFact]:
    """Return the facts behind the notebooks, each once with its smallest depth, best first, at most 150."""
    plan = plan_of(results, job)
    readings = [(path_id(action.path, action.action), action.facts) for action in actions_of(results)]
    return collected(readings, {}, question_terms(plan.question, plan.sub_questions))[:_FACTS]


def scored_notes(results: Results, job: Job) -> list[ScoredFact]:
    """Return the facts behind the notebooks with their scores."""
    return with_scores(noted_facts(results, job), results, job)


def final_notes(results: Results, job: Job) -> list[FinalFact]:
    """Return the facts behind the notebooks that stay above the threshold after decay."""
    params = QueryParams.read_stored(job.params)
    return final_facts(scored_notes(results, job), params.decay_rate, params.score_threshold)


def reasoning_input(results: Results, job: Job) -> ReasoningInput:
    """Return the input of the reasoning step, within the size limit of an item.

    Facts above the threshold come first, best first; if the notebooks are too long together, each gets the
    same space and keeps its first entries.
    """
    final = final_notes(results, job)
    scored = {fact_key(fact.fact_text): fact for fact in scored_notes(results, job)}
    best = dict.fromkeys([*(fact_key(fact.fact_text) for fact in final), *scored])
    books = surviving(notebooks_of(results), final)
    plan = plan_of(results, job)
    return ReasoningInput(
        question=plan.question,
        sub_questions=plan.sub_questions,
        plan=plan.outline,
        facts=tuple(fitting([scored[key] for key in best], _FACTS_BYTES)),
        notebooks=tuple(_shortened(book, _NOTEBOOKS_BYTES // len(books)) for book in books),
    )


def _shortened(book: Notebook, room: int) -> PathNotes:
    """Return a notebook cut to the first entries that fit into `room` bytes."""
    notes = [PathNote(text=entry.text, rests_on=entry.rests_on, cut=entry.cut) for entry in book.entries]
    return PathNotes(path=book.path, start=book.start, entries=tuple(fitting(notes, room)))


def calls_of(results: Results) -> int:
    """Return how many calls of model and embedder the paths made."""
    return sum(action.calls + action.embedded for action in actions_of(results))


def read_nodes(results: Results) -> list[Json]:
    """Return {node_id, name, depth, parent} of each node read, in order of depth and id."""
    nodes = [node for action in actions_of(results) for node in action.nodes]
    nodes.sort(key=lambda node: (node.depth, node.id))
    once = {node.id: node for node in reversed(nodes)}
    return [
        {"node_id": node.id, "name": node.shown, "depth": node.depth, "parent": node.parent}
        for node in nodes
        if once[node.id] is node
    ]


def report_actions(results: Results) -> list[Json]:
    """Return a report of every action, without texts of facts."""
    return [
        {**action.model_dump(mode="json", include=_TOLD, exclude_defaults=True), "noted": len(action.entries)}
        for action in actions_of(results)
    ]


def reading_failures(results: Results, facts: Sequence[ScoredFact]) -> Json:
    """Return errors on the way, with reasons and counts."""
    failures = failed_steps(results, "actions_failed")
    starts, actions = start_result(results), actions_of(results)
    refused = (starts.refused if starts else 0) + sum(action.refused for action in actions)
    dropped = sum(action.dropped for action in actions)
    counts = {"refused_choices": refused, "notes_dropped": dropped}
    return failures | {name: count for name, count in counts.items() if count} | unsure_scores(facts)
