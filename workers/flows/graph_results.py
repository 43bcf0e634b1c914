"""Derives a graph query's state from the results of its phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypedDict

from workers.core.answers.evidence import collected, fact_key, fitting, scored
from workers.core.answers.lexical_rank import question_terms
from workers.core.answers.walk import VISIT, told_walk
from workers.core.jobs.flow import Results, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, Item, Job, Json
from workers.core.model import QuotedFact, RankedFact, ScoredFact
from workers.core.models.tools import FoundBy
from workers.critic.score import ScoreInput, ScoreResult
from workers.traverse.plan import plan_without_model

PLANNING, SEEDING, VISITING, SCORING, WRITING = range(5)
SCORE: Final = "critic.score_fact"
TAIL_CALLS: Final = 2  # one summary, one answer
_SCORED = 200  # facts at most that critics see
_ASKED_AGAIN = 10  # one call in so many may need a second one, which must not cost the answer
_FACTS = 300  # that go on at most, best first
_CALLS_BYTES = 50 * 1024  # of JSON: together with the facts less than an item's input may have
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
    plan = plan or plan_without_model(QueryParams.read_stored(job.params).question)
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


def found_facts(results: Results, job: Job) -> list[RankedFact]:
    """Return what the visits found, each fact once with its smallest depth, best first, at most 300."""
    visits = results.get(VISITING, ())
    depths = {step["node_id"]: step["depth"] for step in told_walk(seeds_of(results), visits)}
    question = planned(results, job)
    wanted = question_terms(question["question"], tuple(question["sub_questions"]))
    readings = [
        (done.item_id.removeprefix(VISIT), [QuotedFact.read_stored(fact) for fact in facts])
        for done in visits
        if (facts := done.result.get("facts"))
    ]
    return collected(readings, depths, wanted)[:_FACTS]


def property_calls(results: Results, facts: Iterable[ScoredFact]) -> dict[str, FoundBy]:
    """Return the tool calls that find the cited node properties again, by name."""
    known = {
        name: FoundBy.read_stored(by)
        for done in results.get(VISITING, ())
        for name, by in done.result.get("calls", {}).items()
    }
    needed = dict.fromkeys(fact.place.call for fact in facts if fact.place)
    return dict(fitting([(name, known[name]) for name in needed if name in known], _CALLS_BYTES))


def score_id(text: str) -> str:
    """Return the item id of a fact's score."""
    return "score:" + fact_key(text)


def score_of(fact: QuotedFact, question: str, sub_questions: Sequence[str]) -> Item:
    """Return the item that scores a fact."""
    given = ScoreInput(
        question=question,
        sub_questions=tuple(sub_questions),
        fact=fact.fact_text,
        title=fact.title,
        quote=fact.quote,
    )
    return Item(id=score_id(fact.fact_text), step=SCORE, input=given)


def scores_afforded(most_calls: int, spent: int) -> int:
    """Return how many facts critics may see; the calls that the writing takes are left."""
    left = most_calls - spent - TAIL_CALLS
    return max(1, min(_SCORED, left - (left + spent) // _ASKED_AGAIN))


def scored_facts(results: Results, job: Job) -> list[ScoredFact]:
    """Return all facts with their scores.

    Where a critic was given up the fact has the default score; where none has seen it, its search rank.
    """
    return with_scores(found_facts(results, job), results, job)


def with_scores(facts: Sequence[RankedFact], results: Results, job: Job) -> list[ScoredFact]:
    """Return raw facts with what the critics gave them, the default, or their search rank."""
    default = QueryParams.read_stored(job.params).default_score
    scores = {done.item_id: done for phase in results.values() for done in phase if done.step == SCORE}
    return [_scored(fact, scores, default) for fact in facts]


def _scored(fact: RankedFact, scores: Mapping[str, Done], default: float) -> ScoredFact:
    done = scores.get(score_id(fact.fact_text))
    result = result_of(done, ScoreResult) if done else None
    if done is None or (result and result.score is None):
        return scored(fact, fact.search_score, fact.title, "unscored")
    if result is None or result.score is None:
        return scored(fact, default, fact.title, "default")
    return scored(fact, result.score, result.source_description, result.scored_by)


def failures(results: Results, facts: Sequence[ScoredFact]) -> Json:
    """Return what went wrong on the way, with reasons: counts, and the first of each kind by name."""
    visits = results.get(VISITING, ())
    told = failed_steps(results, "visits_failed")
    for name in ("invented", "ungrounded"):
        count = sum(done.result.get(name, 0) for done in visits)
        if count:
            told[f"{name}_dropped"] = count
    return told | unsure_scores(facts)


def failed_steps(results: Results, walking: str) -> Json:
    """Return why plan and search failed, and items of the walk (under that name) and of the critics."""
    told: Json = {}
    plan, seed = results.get(PLANNING, ()), results.get(SEEDING, ())
    for name, head in (("plan_failed", plan), ("search_failed", seed)):
        why = _why(head[0]) if head else None
        if why:
            told[name] = why
    for name, phase in ((walking, VISITING), ("scores_failed", SCORING)):
        done = results.get(phase, ())
        listed = [{"item": one.item_id, "reason": _why(one)} for one in done if _why(one)]
        if listed:
            told[name] = {"count": len(listed), "items": listed[:_LISTED]}
    return told


def unsure_scores(facts: Sequence[ScoredFact]) -> Json:
    """Return how many facts have a score that no critic gave."""
    told: Json = {}
    for kind in ("default", "unscored"):
        count = sum(fact.scored_by == kind for fact in facts)
        if count:
            told[f"{kind}_scores"] = count
    return told


def _why(done: Done) -> str | None:
    return done.error or done.result.get("failed")
