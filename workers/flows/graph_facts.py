"""What the phases of a query have brought so far, told from their results alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from workers.core.evidence import collected, fact_key, scored
from workers.core.model import ScoredFact
from workers.core.params import QueryParams
from workers.core.ranking import question_terms
from workers.core.walk import told_walk
from workers.core.work import Done, Job, Json
from workers.flows.flow import Results
from workers.traverse.plan import plan_without_model

PLANNING, SEEDING, VISITING, SCORING, WRITING = range(5)
_FACTS = 300  # that go on at most, best first
_LISTED = 20  # failures that are named one by one


class Question(TypedDict):
    """What the walk is for."""

    question: str
    entities: list[str]
    sub_questions: list[str]


def planned(results: Results, job: Job) -> Question:
    """Return the plan; without one the question itself, with nothing named in it."""
    done = results.get(PLANNING, ())
    plan = done[0].result if done and not done[0].error else {}
    plan = plan or plan_without_model(QueryParams.model_validate(job.params).question)
    return {
        "question": plan["question"],
        "entities": plan["entities"],
        "sub_questions": plan["sub_questions"],
    }


def seeds_of(results: Results) -> list[Json]:
    """Return the seeds, best first."""
    done = results.get(SEEDING, ())
    found: list[Json] = done[0].result.get("seeds", []) if done else []
    return found


def found_facts(results: Results, job: Job) -> list[Json]:
    """Return what the visits found, each fact once with its smallest depth, best first, at most 300."""
    visits = results.get(VISITING, ())
    depths = {step["node_id"]: step["depth"] for step in told_walk(seeds_of(results), visits)}
    question = planned(results, job)
    wanted = question_terms(question["question"], tuple(question["sub_questions"]))
    return collected(visits, depths, wanted)[:_FACTS]


def score_id(fact: Json) -> str:
    """Return the item id of a fact's score."""
    return "score:" + fact_key(fact)


def scored_facts(results: Results, job: Job) -> list[ScoredFact]:
    """Return all facts with their scores.

    Where a critic was given up the fact has the default score; where none has seen it, its search rank.
    """
    default = QueryParams.model_validate(job.params).default_score
    scores = {done.item_id: done for done in results.get(SCORING, ())}
    return [_scored(fact, scores, default) for fact in found_facts(results, job)]


def _scored(fact: Json, scores: Mapping[str, Done], default: float) -> ScoredFact:
    title = fact.get("title", "")
    done = scores.get(score_id(fact))
    if done is None or done.result.get("scored_by") == "unscored":
        return scored(fact, fact["search_score"], title, "unscored")
    if done.error or "score" not in done.result:
        return scored(fact, default, title, "default")
    result = done.result
    return scored(fact, result["score"], result["source_description"], result["scored_by"])


def failures(results: Results, facts: Sequence[ScoredFact]) -> Json:
    """Return what went wrong on the way, with reasons: counts, and the first of each kind by name."""
    told: Json = {}
    plan, seed = results.get(PLANNING, ()), results.get(SEEDING, ())
    for name, head in (("plan_failed", plan), ("search_failed", seed)):
        why = _why(head[0]) if head else None
        if why:
            told[name] = why
    visits, scores = results.get(VISITING, ()), results.get(SCORING, ())
    for name, done in (("visits_failed", visits), ("scores_failed", scores)):
        listed = [{"item": one.item_id, "reason": _why(one)} for one in done if _why(one)]
        if listed:
            told[name] = {"count": len(listed), "items": listed[:_LISTED]}
    for name in ("invented", "ungrounded"):
        count = sum(done.result.get(name, 0) for done in visits)
        if count:
            told[f"{name}_dropped"] = count
    for kind in ("default", "unscored"):
        count = sum(fact.scored_by == kind for fact in facts)
        if count:
            told[f"{kind}_scores"] = count
    return told


def _why(done: Done) -> str | None:
    return done.error or done.result.get("failed")
