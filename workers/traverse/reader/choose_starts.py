"""Chooses the reader's start nodes: candidates from search and vectors, scored against the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import structlog

from hopline.errors import Permanent
from hopline.events.questions import StartChosen, StartsChosen
from hopline.models.documents import KeyElement
from hopline.models.search import Found
from workers.core.answers.lexical_rank import by_reciprocal_rank, question_terms, terms
from workers.core.errors import BudgetExceeded, EmbedderMismatch
from workers.core.graph.elements import element_spellings, normalise_element, spelled
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.search.search import search
from workers.traverse.reader.records import RationalPlanResult, Start, StartsResult
from workers.traverse.reader.schema import StartScores
from workers.traverse.start_nodes import judged_already, known_starts, worth_starting

_LOG = structlog.get_logger()
_CHUNKS = 10  # that the search ranks; its facts tell which of a node's to read first
_NEAR = 20  # of its facts, handed on to the paths
_RANKED = 50  # of its elements, too: neighbours are ranked by them where a path states no need of its own
_HITS = 10  # vectors near each text of the plan
_BEARERS = 3  # of one name, that come before what the ranker found
_REPLY_TOKENS = 2048
Candidates = dict[str, str]  # id -> name, best first


@dataclass(frozen=True)
class _Scores:
    """The model's scores of candidates by id."""

    scores: Mapping[str, float] = field(default_factory=dict)
    refused: int = 0  # names that were not offered
    failed: str | None = None


def choose_starts(plan: RationalPlanResult, ports: Ports) -> Outcome:
    """Choose the start nodes, best first, and store the guide of the paths.

    Names that were not offered are refused. If the model fails for good, or scores no offered name above
    zero, the ranker's order is used, with a score of None.

    Args:
        plan: plan of the question.
        ports: graph, vectors, the embedder (at most two calls) and the fast model (one).
    """
    params = QueryParams.read_stored(ports.job.params)
    search_result = search(
        plan.question,
        ports.job.collection,
        ports,
        limit=_CHUNKS,
        elements=params.start_candidates,
        translations=plan.translations,
    )
    near_plan, unsearched = _near_plan(plan, ports)
    candidates = _candidates(plan, search_result, near_plan, params.start_candidates, ports)
    scored = _scored(plan, candidates, search_result, ports) if candidates else _Scores()
    starts = _different(candidates, scored.scores, search_result, params.max_seeds, ports)
    result = StartsResult(
        starts=starts,
        near=tuple(fact.id for fact in search_result.facts[:_NEAR]),
        ranked=tuple(element.id for element in search_result.elements[:_RANKED]),
        offered=len(candidates),
        refused=scored.refused,
        failed=scored.failed or unsearched,
    )
    chosen = StartsChosen(
        starts=tuple(
            StartChosen(path=path, name=start.spelled or start.name, score=start.score)
            for path, start in enumerate(starts, 1)
        ),
        offered=result.offered,
        refused=result.refused,
    )
    return Outcome(result=result, events=(chosen,))


def _candidates(
    plan: RationalPlanResult, search_result: Found, near_plan: Sequence[list[str]], limit: int, ports: Ports
) -> Candidates:
    """Return what bears a name of the question first, then the ranker's and the vectors' elements, fused.

    Of a name that many bear the likeliest few come first, and the others last: they leave room for the rest.
    """
    collection = ports.job.collection
    entities = plan.entities
    named = ports.graph.nodes.elements_named(collection, entities) if entities else {}
    names = {element.id: element.name for entity in entities for element in named.get(entity, ())}
    names.update((element.id, element.name) for element in search_result.elements)
    rankings = [[element.id for element in search_result.elements], *near_plan]
    scores = by_reciprocal_rank(rankings)
    best = sorted(scores, key=lambda name: (-scores[name], name))
    unnamed = [name for name in best if name not in names][:limit]
    names.update((element.id, element.name) for element in ports.graph.nodes.elements(collection, unnamed))
    bearing = [_bearers(entity, named.get(entity, ()), scores) for entity in entities]
    first, others = ([ids[:_BEARERS] for ids in bearing], [ids[_BEARERS:] for ids in bearing])
    ordered = dict.fromkeys((*_in_turn(first), *best, *_in_turn(others)))
    bearers = {name for ids in bearing for name in ids}
    known = {name: names[name] for name in ordered if name in names}
    told = (*plan.sub_questions, *plan.key_information, *entities, *plan.translations)
    wanted = question_terms(plan.question, told)
    return {
        name: names[name]
        for name in worth_starting(known, search_result.facts, wanted, named=bearers)[:limit]
    }


def _bearers(entity: str, named: Iterable[KeyElement], scores: Mapping[str, float]) -> list[str]:
    """Return the elements of a name, exact before alias, of these the ranker's best first."""
    spellings = element_spellings(entity)
    ordered = sorted(
        named, key=lambda element: (element.name not in spellings, -scores.get(element.id, 0.0), element.id)
    )
    return [element.id for element in ordered]


def _in_turn(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the first of every row, then the second of every row, and so on."""
    return [name for column in zip_longest(*rows) for name in column if name is not None]


def _near_plan(plan: RationalPlanResult, ports: Ports) -> tuple[list[list[str]], str | None]:
    """Return the elements nearest to the plan, one ranking per text, and the reason if there are none."""
    texts = [*plan.entities, *plan.key_information, *plan.sub_questions, *plan.translations]
    if not texts:
        return [], None
    try:
        ports.vectors.check(ports.job.collection, ports.model.embedder)
        vectors = ports.model.embed(texts)
        rankings = ports.vectors.search(ports.job.collection, vectors, "element", _HITS)
    except EmbedderMismatch:
        raise  # the operator must reindex: searching without vectors would only hide it
    except (Permanent, BudgetExceeded) as error:
        _LOG.warning("starts.vectors_failed", job_id=ports.job.id, error=str(error))
        return [], str(error)[:300]
    return [[hit.id for hit in hits] for hits in rankings], None


def _scored(plan: RationalPlanResult, candidates: Candidates, search_result: Found, ports: Ports) -> _Scores:
    """Return the model's scores; names that were not offered are counted as refused."""
    contexts = {name: fact.text for fact in reversed(search_result.facts) for name in fact.elements}
    material = {
        "question": plan.question,
        "plan": plan.outline.model_dump(mode="json"),
        "candidates": [
            {"name": name, "context": contexts.get(element, "")} for element, name in candidates.items()
        ],
    }
    prompt = load_prompt("workers.traverse.reader", "score_starts")
    try:
        reply = ports.model.ask(prompt, material, StartScores, max_tokens=_REPLY_TOKENS).value
    except (Permanent, BudgetExceeded) as error:
        return _Scores(failed=str(error)[:300])
    by_name = {name: element for element, name in candidates.items()}
    scores: dict[str, float] = {}
    refused = 0
    for entry in reply.scores:
        element = by_name.get(entry.name) or by_name.get(normalise_element(entry.name))
        if element is None:
            refused += 1
        else:
            scores.setdefault(element, entry.score)
    return _Scores(scores, refused)


def _different(
    candidates: Candidates, scores: Mapping[str, float], search_result: Found, limit: int, ports: Ports
) -> tuple[Start, ...]:
    """Return the best candidates whose names differ in more than their endings, and whose facts differ."""
    useful = [name for name in candidates if scores.get(name, 0.0) > 0]
    useful.sort(key=lambda name: -scores[name])  # of equals the ranker's first
    starts: list[Start] = []
    chosen: set[frozenset[str]] = set()
    ordered: Sequence[str] = useful or list(candidates)
    for name in ordered:
        words = terms(candidates[name]) or frozenset((candidates[name],))
        if words not in chosen:
            chosen.add(words)
            score = scores[name] if useful else None
            starts.append(Start(id=name, name=candidates[name], score=score))
    starts = starts[: 2 * limit]
    ids = [start.id for start in starts]
    known = known_starts(ids, ports)
    judged = judged_already(ids, search_result.facts, known)
    kept = [start for start in starts if start.id not in judged][:limit]
    names = {name: spelled(element.name, element.aliases) for name, element in known.items()}
    return tuple(start.model_copy(update={"spelled": names.get(start.id, "")}) for start in kept)
