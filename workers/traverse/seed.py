"""The second step of a query: at which nodes does the walk begin? Searches only, no chat model."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import structlog

from workers.core.elements import element_spellings
from workers.core.errors import BudgetExceeded, EmbedderMismatch, Permanent
from workers.core.model import KeyElement
from workers.core.params import QueryParams
from workers.core.ports import Kind, Ports
from workers.core.ranking import fused
from workers.core.work import Event, Json, Outcome

_LOG = structlog.get_logger()
_HITS = 10  # of each search
_NEAR_CHUNKS = 12  # the question's nearest chunks, handed on to the visits
_FACTS = 5  # the question's nearest facts, whose elements are seeds too
Seeds = dict[str, Json]


def choose_seeds(given: Json, ports: Ports) -> Outcome:
    """Return {seeds: [{id, name, score, how}], near: [chunk ids], failed?}, best seeds first.

    By name first, one round trip. Only where the names leave room, and so never in the usual case of a
    well-named question with many entities, texts are embedded (one call) and searched (side by side).

    Args:
        given: {question, entities, sub_questions} as planned.
        ports: graph, vectors and the embedder.
    """
    limit = QueryParams.model_validate(ports.job.params).max_seeds
    entities: list[str] = given["entities"]
    seeds = _seeds_by_name(ports, entities) if entities else {}
    result: Json = {"near": []}
    if len(seeds) < limit:
        found, result = _search(ports, given)
        for hit in _named_hits(ports, found, limit):
            seeds.setdefault(hit["id"], hit)
    result["seeds"] = list(seeds.values())[:limit]
    names = [seed["name"] for seed in result["seeds"]]
    return Outcome(result=result, events=(Event(name="seed.finished", data={"seeds": names}),))


def _seeds_by_name(ports: Ports, entities: Sequence[str]) -> Seeds:
    """Return the elements that bear an entity's name, exact before alias, every entity's first one first."""
    spellings = {entity: element_spellings(entity) for entity in entities}
    named = ports.graph.elements_named(ports.job.collection, entities)
    ranked: list[tuple[int, int, int, KeyElement]] = []
    for place, entity in enumerate(entities):
        wanted = spellings[entity]
        ordered = sorted(named.get(entity, ()), key=lambda e: (e.name not in wanted, e.name, e.id))
        ranked += [(int(e.name not in wanted), nth, place, e) for nth, e in enumerate(ordered)]
    seeds: Seeds = {}
    for alias, _nth, _place, element in sorted(ranked, key=lambda entry: entry[:3]):
        how, score = ("alias", 0.9) if alias else ("exact", 1.0)
        seeds.setdefault(element.id, {"id": element.id, "name": element.name, "score": score, "how": how})
    return seeds


def _search(ports: Ports, given: Json) -> tuple[dict[str, float], Json]:
    """Return element ids with their fused score, and the result's `near` and `failed`."""
    graph, collection = ports.graph, ports.job.collection
    words = " ".join(given["entities"]) or given["question"]
    near = _Near()
    failed: Json = {}
    with ThreadPoolExecutor(1, "seed") as pool:
        by_words = pool.submit(graph.elements_like, collection, words, _HITS)
        try:
            near = _search_vectors(ports, given)
        except EmbedderMismatch:
            raise  # the operator must reindex: searching without vectors would only hide it
        except (Permanent, BudgetExceeded) as error:
            _LOG.warning("seed.vectors_failed", job_id=ports.job.id, error=str(error))
            failed = {"failed": str(error)[:300]}
        by_facts = _elements_of_facts(ports, given["question"], near.facts)
        rankings = [*near.elements, [hit.id for hit in by_words.result()], by_facts]
    return fused(rankings), {"near": near.chunks, **failed}


@dataclass(frozen=True)
class _Near:
    """Ids near the question, best first; elements as one ranking per embedded text."""

    elements: list[list[str]] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)


def _search_vectors(ports: Ports, given: Json) -> _Near:
    """Embed in one call, then search the three kinds side by side."""
    ports.vectors.check(ports.job.collection, ports.model.embedder)
    questions = [given["question"], *given["sub_questions"]]
    embedded = ports.model.embed([*questions, *given["entities"]])

    def search(kind: Kind, vectors: list[list[float]]) -> list[list[str]]:
        hits = ports.vectors.search(ports.job.collection, vectors, kind, _HITS)
        return [[hit.id for hit in found] for found in hits]

    with ThreadPoolExecutor(2, "seed") as pool:
        chunks = pool.submit(search, "chunk", embedded[: len(questions)])
        facts = pool.submit(search, "fact", embedded[: len(questions)])
        elements = search("element", embedded)
        return _Near(
            elements, _best(fused(chunks.result()), _NEAR_CHUNKS), _best(fused(facts.result()), _FACTS)
        )


def _best(scores: dict[str, float], limit: int) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))[:limit]


def _elements_of_facts(ports: Ports, question: str, near: list[str]) -> list[str]:
    """Return elements named in the facts nearest to the question: it may use other words for them."""
    graph, collection = ports.graph, ports.job.collection
    if near:
        texts = dict.fromkeys(source.fact for source in graph.fact_sources(collection, near))
    else:
        texts = dict.fromkeys(hit.text for hit in graph.facts_like(collection, question, _FACTS))
    return [hit.id for hit in graph.elements_like(collection, " ".join(texts), _HITS)] if texts else []


def _named_hits(ports: Ports, scores: dict[str, float], limit: int) -> list[Json]:
    """Return the best elements that the graph still holds; the vector store may lag behind it."""
    best = _best(scores, 2 * limit)
    if not best:
        return []
    names = {e.id: e.name for e in ports.graph.elements(ports.job.collection, best)}
    return [
        {"id": name, "name": names[name], "score": round(scores[name], 4), "how": "search"}
        for name in best
        if name in names
    ]
