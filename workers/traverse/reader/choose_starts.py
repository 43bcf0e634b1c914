"""Chooses the reader's start nodes: candidates from search and vectors, scored against the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

import structlog

from workers.core.answers.lexical_rank import by_reciprocal_rank, terms
from workers.core.errors import BudgetExceeded, EmbedderMismatch, Permanent
from workers.core.graph.elements import element_spellings, normalise_element
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.model import KeyElement
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.search.models import Found
from workers.search.search import search
from workers.traverse.reader.schema import StartScores

_LOG = structlog.get_logger()
_CHUNKS = 10  # that the search ranks; its facts tell which of a node's to read first
_NEAR = 20  # of its facts, handed on to the paths
_RANKED = 50  # of its elements, too: neighbours are ranked by them where a path states no need of its own
_HITS = 10  # vectors near each text of the plan
_BEARERS = 3  # of one name, that come before what the ranker found
_REPLY_TOKENS = 2048
Candidates = dict[str, str]  # id -> name, best first


def choose_starts(given: Json, ports: Ports) -> Outcome:
    """Return {starts: [{id, name, score}], near, ranked, offered, refused, failed?}, best start first.

    near and ranked are the ids of the facts and of the elements that the question leads to, best first: paths
    are guided by them.

    Names that were not offered are refused. A model that fails for good, or gives no offered name more than
    nothing, leaves the ranker's order, with a score of None.

    Args:
        given: the rational plan.
        ports: graph, vectors, the embedder (two calls at most) and the fast model (one).
    """
    params = QueryParams.read_stored(ports.job.params)
    found = search(
        given["question"], ports.job.collection, ports, limit=_CHUNKS, elements=params.start_candidates
    )
    result: Json = {
        "near": [fact.id for fact in found.facts[:_NEAR]],
        "ranked": [element.id for element in found.elements[:_RANKED]],
        "refused": 0,
    }
    candidates = _candidates(given, found, params.start_candidates, ports, result)
    scores = _scored(given, candidates, found, ports, result) if candidates else {}
    result["offered"] = len(candidates)
    result["starts"] = _different(candidates, scores, params.max_seeds)
    shown = {
        "starts": [
            {"path": path, "name": start["name"], "score": start["score"]}
            for path, start in enumerate(result["starts"], 1)
        ],
        "offered": result["offered"],
        "refused": result["refused"],
    }
    return Outcome(result=result, events=(Event(name="starts.chosen", data=shown),))


def _candidates(given: Json, found: Found, limit: int, ports: Ports, result: Json) -> Candidates:
    """Return what bears a name of the question first, then the ranker's and the vectors' elements, fused.

    Of a name that many bear the likeliest few come first, and the others last: they leave room for the rest.
    """
    collection = ports.job.collection
    entities: list[str] = given["entities"]
    named = ports.graph.elements_named(collection, entities) if entities else {}
    names = {element.id: element.name for entity in entities for element in named.get(entity, ())}
    names.update((element.id, element.name) for element in found.elements)
    rankings = [[element.id for element in found.elements], *_near_plan(given, ports, result)]
    scores = by_reciprocal_rank(rankings)
    best = sorted(scores, key=lambda name: (-scores[name], name))
    unnamed = [name for name in best if name not in names][:limit]
    names.update((element.id, element.name) for element in ports.graph.elements(collection, unnamed))
    bearing = [_bearers(entity, named.get(entity, ()), scores) for entity in entities]
    first, others = ([ids[:_BEARERS] for ids in bearing], [ids[_BEARERS:] for ids in bearing])
    ordered = dict.fromkeys((*_in_turn(first), *best, *_in_turn(others)))
    return {name: names[name] for name in [name for name in ordered if name in names][:limit]}


def _bearers(entity: str, named: Iterable[KeyElement], scores: Mapping[str, float]) -> list[str]:
    """Return the elements of a name, exact before alias, of these the ranker's best first."""
    spellings = element_spellings(entity)
    ordered = sorted(named, key=lambda one: (one.name not in spellings, -scores.get(one.id, 0.0), one.id))
    return [one.id for one in ordered]


def _in_turn(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the first of every row, then the second of every row, and so on."""
    return [name for column in zip_longest(*rows) for name in column if name is not None]


def _near_plan(given: Json, ports: Ports, result: Json) -> list[list[str]]:
    """Return the elements nearest to what the plan needs, one ranking per text."""
    texts = [*given["entities"], *given["key_information"], *given["sub_questions"]]
    if not texts:
        return []
    try:
        ports.vectors.check(ports.job.collection, ports.model.embedder)
        vectors = ports.model.embed(texts)
        found = ports.vectors.search(ports.job.collection, vectors, "element", _HITS)
    except EmbedderMismatch:
        raise  # the operator must reindex: searching without vectors would only hide it
    except (Permanent, BudgetExceeded) as error:
        _LOG.warning("starts.vectors_failed", job_id=ports.job.id, error=str(error))
        result["failed"] = str(error)[:300]
        return []
    return [[hit.id for hit in hits] for hits in found]


def _scored(
    given: Json, candidates: Candidates, found: Found, ports: Ports, result: Json
) -> dict[str, float]:
    """Return the model's scores by id; what it names and was not offered is counted as refused."""
    contexts = {name: fact.text for fact in reversed(found.facts) for name in fact.elements}
    material = {
        "question": given["question"],
        "plan": {name: given[name] for name in ("asked", "steps", "key_information")},
        "candidates": [{"name": name, "context": contexts.get(one, "")} for one, name in candidates.items()],
    }
    prompt = load_prompt("workers.traverse.reader", "score_starts")
    try:
        reply = ports.model.ask(prompt, material, StartScores, max_tokens=_REPLY_TOKENS).value
    except (Permanent, BudgetExceeded) as error:
        result["failed"] = str(error)[:300]
        return {}
    by_name = {name: one for one, name in candidates.items()}
    scores: dict[str, float] = {}
    for said in reply.scores:
        one = by_name.get(said.name) or by_name.get(normalise_element(said.name))
        if one is None:
            result["refused"] += 1
        else:
            scores.setdefault(one, said.score)
    return scores


def _different(candidates: Candidates, scores: Mapping[str, float], limit: int) -> list[Json]:
    """Return the best candidates whose names differ in more than their endings."""
    useful = [name for name in candidates if scores.get(name, 0.0) > 0]
    useful.sort(key=lambda name: -scores[name])  # of equals the ranker's first
    starts: list[Json] = []
    said: set[frozenset[str]] = set()
    ordered: Sequence[str] = useful or list(candidates)
    for name in ordered:
        words = terms(candidates[name]) or frozenset((candidates[name],))
        if words not in said and len(starts) < limit:
            said.add(words)
            score = scores[name] if useful else None
            starts.append({"id": name, "name": candidates[name], "score": score})
    return starts
