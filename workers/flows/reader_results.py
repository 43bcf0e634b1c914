"""Derives a reader query's notebooks, actions and facts from the results of its phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from workers.core.answers.evidence import collected, fact_key, final_facts, fitting
from workers.core.answers.lexical_rank import question_terms
from workers.core.answers.plan import AnswerPlan
from workers.core.jobs.flow import Results
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, Job, Json
from workers.core.model import FinalFact, ScoredFact
from workers.critic.reason import PathNote, PathNotes, ReasoningInput
from workers.flows.graph_results import (
    PLANNING,
    SEEDING,
    VISITING,
    failed_steps,
    unsure_scores,
    with_scores,
)
from workers.traverse.reader.path import path_of
from workers.traverse.reader.rational_plan import rational_plan_without_model

_FACTS = 150  # that go on at most, best first
# Of JSON that the reasoning is given: together less than an item's input may have, whatever the texts are.
_FACTS_BYTES = 128 * 1024
_NOTEBOOKS_BYTES = 64 * 1024
_PLAN = ("asked", "steps", "key_information")
_TOLD = (
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
)


class ReadingPlan(TypedDict):
    """What the paths are for."""

    question: str
    sub_questions: list[str]
    plan: Json  # {asked, steps, key_information}


class Notebook(TypedDict):
    """What one path noted, in order."""

    path: int
    start: str
    entries: list[Json]  # {text, rests_on, facts, chunks}


def planned_reading(results: Results, job: Job) -> ReadingPlan:
    """Return the plan; without one the question itself."""
    plan = whole_plan(results, job)
    return {
        "question": plan["question"],
        "sub_questions": plan["sub_questions"],
        "plan": {name: plan[name] for name in _PLAN},
    }


def whole_plan(results: Results, job: Job) -> Json:
    """Return the plan with its entities, as the starts are chosen by it."""
    done = results.get(PLANNING, ())
    plan = done[0].result if done and not done[0].error else {}
    return plan or rational_plan_without_model(QueryParams.read_stored(job.params).question)


def starts_of(results: Results) -> list[Json]:
    """Return the start nodes, that of path 1 first."""
    done = results.get(SEEDING, ())
    found: list[Json] = done[0].result.get("starts", []) if done else []
    return found


def actions_of(results: Results) -> list[Done]:
    """Return the paths' actions that have a result, in order of path and action."""
    done = [one for one in results.get(VISITING, ()) if not one.error]
    return sorted(done, key=lambda one: (one.result["path"], one.result["action"]))


def open_paths(results: Results) -> set[int]:
    """Return the paths that were begun and are neither finished nor dead letters."""
    begun = {path_of(done.item_id) for done in results.get(VISITING, ())}
    ended = {
        path_of(done.item_id) for done in results.get(VISITING, ()) if done.error or "why" in done.result
    }
    return begun - ended


def notebooks_of(results: Results) -> list[Notebook]:
    """Return each path's notebook; a path that noted nothing has none."""
    books: dict[int, Notebook] = {}
    names = {path: start["name"] for path, start in enumerate(starts_of(results), 1)}
    for done in actions_of(results):
        path = done.result["path"]
        if done.result["entries"]:
            book = books.setdefault(path, {"path": path, "start": names.get(path, ""), "entries": []})
            book["entries"] += done.result["entries"]
    return list(books.values())


def surviving(books: Sequence[Notebook], final: Sequence[FinalFact]) -> list[Notebook]:
    """Return the notebooks without the entries that rest on nothing but facts that fell."""
    kept = {fact_key({"fact_text": fact.fact_text}) for fact in final}
    left: list[Notebook] = []
    for book in books:
        entries = [entry for entry in book["entries"] if kept.intersection(entry["rests_on"])]
        if entries:
            left.append({**book, "entries": entries})
    return left


def noted_facts(results: Results, job: Job) -> list[Json]:
    """Return the facts behind the notebooks, each once with its smallest depth, best first, at most 150."""
    plan = planned_reading(results, job)
    wanted = question_terms(plan["question"], tuple(plan["sub_questions"]))
    return collected(actions_of(results), {}, wanted)[:_FACTS]


def scored_notes(results: Results, job: Job) -> list[ScoredFact]:
    """Return the facts behind the notebooks with their scores."""
    return with_scores(noted_facts(results, job), results, job)


def final_notes(results: Results, job: Job) -> list[FinalFact]:
    """Return those that stay above the threshold after decay."""
    params = QueryParams.read_stored(job.params)
    return final_facts(scored_notes(results, job), params.decay_rate, params.score_threshold)


def reasoning_input(results: Results, job: Job) -> ReasoningInput:
    """Return what the answer is reasoned from, within its item's bytes.

    Facts that stay above the threshold come first, best first; of notebooks that are too long together, each
    has the same room and keeps its first entries.
    """
    final = final_notes(results, job)
    scored = {fact_key({"fact_text": fact.fact_text}): fact for fact in scored_notes(results, job)}
    best = dict.fromkeys([*(fact_key({"fact_text": fact.fact_text}) for fact in final), *scored])
    books = surviving(notebooks_of(results), final)
    plan = planned_reading(results, job)
    return ReasoningInput(
        question=plan["question"],
        sub_questions=tuple(plan["sub_questions"]),
        plan=AnswerPlan.read_stored(plan["plan"]),
        facts=tuple(fitting([scored[key] for key in best], _FACTS_BYTES)),
        notebooks=tuple(_shortened(book, _NOTEBOOKS_BYTES // len(books)) for book in books),
    )


def _shortened(book: Notebook, room: int) -> PathNotes:
    """Return a notebook with the first entries that fit into so many bytes."""
    notes = [PathNote.read_stored(entry) for entry in book["entries"]]
    return PathNotes(path=book["path"], start=book["start"], entries=tuple(fitting(notes, room)))


def calls_of(results: Results) -> int:
    """Return how many calls of model and embedder the paths took."""
    results_of = [done.result for done in actions_of(results)]
    return sum(result["calls"] + result.get("embedded", 0) for result in results_of)


def read_nodes(results: Results) -> list[Json]:
    """Return {node_id, name, depth, parent} of each node read, in order of depth and id."""
    nodes = [node for done in actions_of(results) for node in done.result["nodes"]]
    nodes.sort(key=lambda node: (node["depth"], node["id"]))
    once = {node["id"]: node for node in reversed(nodes)}
    return [
        {"node_id": node["id"], "name": node["name"], "depth": node["depth"], "parent": node["parent"]}
        for node in nodes
        if once[node["id"]] is node
    ]


def told_actions(results: Results) -> list[Json]:
    """Return what every action did, without texts of facts."""
    told = []
    for done in actions_of(results):
        line = {name: done.result[name] for name in _TOLD if name in done.result}
        told.append({**line, "noted": len(done.result["entries"])})
    return told


def reading_failures(results: Results, facts: Sequence[ScoredFact]) -> Json:
    """Return what went wrong on the way, with reasons and counts."""
    told = failed_steps(results, "actions_failed")
    starts = results.get(SEEDING, ())
    refused = sum(done.result.get("refused", 0) for done in (*starts, *actions_of(results)))
    dropped = sum(done.result.get("dropped", 0) for done in actions_of(results))
    counts = {"refused_choices": refused, "notes_dropped": dropped}
    return told | {name: count for name, count in counts.items() if count} | unsure_scores(facts)
