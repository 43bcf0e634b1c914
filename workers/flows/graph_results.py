"""Derives a graph query's state from the results of its phases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hopline.models.answers import WalkStep
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.answers.evidence import collected, fact_key, fitting, scored
from workers.core.answers.lexical_rank import question_terms
from workers.core.answers.walk import VISIT, NextNode, rebuild_walk
from workers.core.jobs.flow import Results, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, Item, Job
from workers.core.models.tools import FoundBy
from workers.core.records import QuotedFact, RankedFact, ScoredFact
from workers.critic.score import FactRelevance, ScorableFact, ScoreInput, ScoreResult
from workers.traverse.plan import PlannedQuestion, plan_without_model
from workers.traverse.seed import SeedResult
from workers.traverse.visit import VisitResult

PLANNING, SEEDING, VISITING, SCORING, WRITING = range(5)
SCORE: Final = "critic.score_fact"
TAIL_CALLS: Final = 2  # one summary, one answer
_SCORE, _BETWEEN = "score:", "+"
_SCORED = 200  # facts at most that critics see
_ASKED_AGAIN = 10  # one call in so many may need a second one, which must not cost the answer
_FACTS = 300  # that go on at most, best first
_CALLS_BYTES = 50 * 1024  # of JSON: together with the facts less than an item's input may have
_LISTED = 20  # failures that are named one by one


class _Failure(Frozen):
    """What results of all steps have in common."""

    failed: str | None = None  # why there is none, or only a part


def planned(results: Results, job: Job) -> PlannedQuestion:
    """Return the plan; without one the question itself, with nothing named in it."""
    done = results.get(PLANNING, ())
    plan = result_of(done[0], PlannedQuestion) if done else None
    return plan or plan_without_model(QueryParams.read_stored(job.params).question)


def seeding_of(results: Results) -> SeedResult | None:
    """Return the start of the walk; None where it could not be found, or was not looked for."""
    done = results.get(SEEDING, ())
    return result_of(done[0], SeedResult) if done else None


def visits_of(results: Results) -> dict[str, VisitResult]:
    """Return the visits by node id; one that was given up found nothing."""
    return {
        done.item_id.removeprefix(VISIT): result_of(done, VisitResult)
        or VisitResult(name="", next=(), facts=())
        for done in results.get(VISITING, ())
    }


def walk_of(results: Results) -> list[WalkStep]:
    """Return the visited nodes, in order of depth and id."""
    seeding = seeding_of(results)
    seeds = [NextNode(seed.id, seed.name) for seed in seeding.seeds] if seeding else []
    return rebuild_walk(seeds, visits_of(results))


def collect_facts(results: Results, job: Job) -> list[RankedFact]:
    """Return what the visits found, each fact once with its smallest depth, best first, at most 300."""
    depths = {step.node_id: step.depth for step in walk_of(results)}
    plan = planned(results, job)
    wanted = question_terms(plan.question, plan.sub_questions)
    readings = [(node, visit.facts) for node, visit in visits_of(results).items()]
    return collected(readings, depths, wanted)[:_FACTS]


def property_calls(results: Results, facts: Iterable[ScoredFact]) -> dict[str, FoundBy]:
    """Return the tool calls that find the cited node properties again, by name."""
    known = {name: by for visit in visits_of(results).values() for name, by in visit.calls.items()}
    needed = dict.fromkeys(fact.place.call for fact in facts if fact.place)
    return dict(fitting([(name, known[name]) for name in needed if name in known], _CALLS_BYTES))


def score_id(texts: Iterable[str]) -> str:
    """Return the id of the item that scores facts; see `scored_keys`."""
    return _SCORE + _BETWEEN.join(map(fact_key, texts))


def scored_keys(item_id: str) -> list[str]:
    """Return the keys of the facts that an item scores, in its order."""
    return item_id.removeprefix(_SCORE).split(_BETWEEN)


def scoring(
    facts: Sequence[QuotedFact], question: str, sub_questions: Sequence[str], per_critic: int
) -> list[Item]:
    """Return the items that score facts, each up to so many, and as evenly as can be.

    Facts of one document stand together: what one that is hostile says to the critic, it says beside its own.
    """
    if not facts:
        return []
    facts = sorted(facts, key=lambda fact: fact.title)
    size = math.ceil(len(facts) / math.ceil(len(facts) / per_critic))
    return [
        _score_of(facts[start : start + size], question, sub_questions)
        for start in range(0, len(facts), size)
    ]


def _score_of(facts: Sequence[QuotedFact], question: str, sub_questions: Sequence[str]) -> Item:
    first, *others = [ScorableFact(fact=fact.fact_text, title=fact.title, quote=fact.quote) for fact in facts]
    score = ScoreInput(
        **dict(first), question=question, sub_questions=tuple(sub_questions), others=tuple(others)
    )
    return Item(id=score_id(fact.fact_text for fact in facts), step=SCORE, input=score)


def scores_afforded(most_calls: int, spent: int, per_critic: int) -> int:
    """Return how many facts critics may see; the calls that the writing takes are left."""
    left = most_calls - spent - TAIL_CALLS
    return max(1, min(_SCORED, (left - (left + spent) // _ASKED_AGAIN) * per_critic))


def scored_facts(results: Results, job: Job) -> list[ScoredFact]:
    """Return all facts with their scores.

    Where a critic was given up the fact has the default score; where none has seen it, its search rank.
    """
    return with_scores(collect_facts(results, job), results, job)


def with_scores(facts: Sequence[RankedFact], results: Results, job: Job) -> list[ScoredFact]:
    """Return raw facts with what the critics gave them, the default, or their search rank."""
    default = QueryParams.read_stored(job.params).default_score
    relevances: dict[str, FactRelevance | None] = {}
    for phase in results.values():
        for done in phase:
            if done.step == SCORE:
                relevances |= _relevance_by_key(done)
    return [_scored(fact, relevances, default) for fact in facts]


def _relevance_by_key(done: Done) -> dict[str, FactRelevance | None]:
    """Return what a critic gave its facts, by key; None where it was given up.

    A worker that knows one fact a critic has scored the first alone: the others are not among them.
    """
    keys, result = scored_keys(done.item_id), result_of(done, ScoreResult)
    return dict(zip(keys, (result, *result.others), strict=False)) if result else dict.fromkeys(keys)


def _scored(fact: RankedFact, relevances: Mapping[str, FactRelevance | None], default: float) -> ScoredFact:
    key = fact_key(fact.fact_text)
    relevance = relevances.get(key)
    if key not in relevances or (relevance and relevance.score is None):
        return scored(fact, fact.search_score, fact.title, "unscored")
    if relevance is None or relevance.score is None:
        return scored(fact, default, fact.title, "default")
    return scored(fact, relevance.score, relevance.source_description, relevance.scored_by)


def failures(results: Results, facts: Sequence[ScoredFact]) -> Json:
    """Return what went wrong on the way, with reasons: counts, and the first of each kind by name."""
    visits = visits_of(results).values()
    counts = {
        "invented_dropped": sum(visit.invented for visit in visits),
        "ungrounded_dropped": sum(visit.ungrounded for visit in visits),
    }
    dropped = {name: count for name, count in counts.items() if count}
    return failed_steps(results, "visits_failed") | dropped | unsure_scores(facts)


def failed_steps(results: Results, walking: str) -> Json:
    """Return why plan and search failed, and items of the walk (under that name) and of the critics."""
    failed: Json = {}
    for name, phase in (("plan_failed", PLANNING), ("search_failed", SEEDING)):
        reasons = [reason for done in results.get(phase, ())[:1] if (reason := failure_of(done))]
        if reasons:
            failed[name] = reasons[0]
    for name, phase in ((walking, VISITING), ("scores_failed", SCORING)):
        listed = [
            {"item": done.item_id, "reason": reason}
            for done in results.get(phase, ())
            if (reason := failure_of(done))
        ]
        if listed:
            failed[name] = {"count": len(listed), "items": listed[:_LISTED]}
    return failed


def unsure_scores(facts: Sequence[ScoredFact]) -> Json:
    """Return how many facts have a score that no critic gave."""
    unsure: Json = {}
    for kind in ("default", "unscored"):
        count = sum(fact.scored_by == kind and not fact.looked_up for fact in facts)
        if count:
            unsure[f"{kind}_scores"] = count
    return unsure


def failure_of(done: Done) -> str | None:
    """Return why an item was given up, or what in its step failed; None where nothing did."""
    return done.error or _Failure.read_stored(done.result).failed
