"""Derives a graph query's state from the results of its phases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopline.models.answers import WalkStep
from hopline.models.jobs import Json
from workers.core.answers.evidence import collected, fitting
from workers.core.answers.lexical_rank import question_terms
from workers.core.answers.walk import VISIT, NextNode, rebuild_walk
from workers.core.jobs.flow import Results, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Job
from workers.core.models.tools import FoundBy
from workers.core.records import RankedFact, ScoredFact
from workers.traverse.graph.seed import SeedResult
from workers.traverse.graph.visit import VisitResult
from workers.traverse.plan import PlannedQuestion, plan_without_model
from workers.traverse.question import PLANNING, SEEDING, VISITING, failed_steps, unsure_scores, with_scores

_FACTS = 300  # that go on at most, best first
_CALLS_BYTES = 50 * 1024  # of JSON: together with the facts less than an item's input may have


def planned(results: Results, job: Job) -> PlannedQuestion:
    """Return the plan; if there is none, one with just the question and no entities."""
    done = results.get(PLANNING, ())
    plan = result_of(done[0], PlannedQuestion) if done else None
    return plan or plan_without_model(QueryParams.read_stored(job.params).question)


def seeding_of(results: Results) -> SeedResult | None:
    """Return the start of the walk; None if none could be found, or none was looked for."""
    done = results.get(SEEDING, ())
    return result_of(done[0], SeedResult) if done else None


def visits_of(results: Results) -> dict[str, VisitResult]:
    """Return the visits by node id; a visit that was given up has no facts."""
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
    """Return the facts that visits found, each once with its smallest depth, best first, at most 300."""
    depths = {step.node_id: step.depth for step in walk_of(results)}
    plan = planned(results, job)
    wanted = question_terms(plan.question, plan.sub_questions)
    readings = [(node, visit.facts) for node, visit in visits_of(results).items()]
    return collected(readings, depths, wanted)[:_FACTS]


def property_calls(results: Results, facts: Iterable[ScoredFact]) -> dict[str, FoundBy]:
    """Return the tool calls that would find the cited node properties again, by name."""
    known = {name: by for visit in visits_of(results).values() for name, by in visit.calls.items()}
    needed = dict.fromkeys(fact.place.call for fact in facts if fact.place)
    return dict(fitting([(name, known[name]) for name in needed if name in known], _CALLS_BYTES))


def scored_facts(results: Results, job: Job) -> list[ScoredFact]:
    """Return all facts with their scores.

    A fact whose critic was given up has the default score; one that no critic has seen, its search rank.
    """
    return with_scores(collect_facts(results, job), results, job)


def failures(results: Results, facts: Sequence[ScoredFact]) -> Json:
    """Return errors on the way, with reasons: counts, and the first one of each kind by name."""
    visits = visits_of(results).values()
    counts = {
        "invented_dropped": sum(visit.invented for visit in visits),
        "ungrounded_dropped": sum(visit.ungrounded for visit in visits),
    }
    dropped = {name: count for name, count in counts.items() if count}
    return failed_steps(results, "visits_failed") | dropped | unsure_scores(facts)
