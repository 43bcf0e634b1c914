"""Second step of a graph query: search chooses the nodes where the walk starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from hopline.events.questions import SeedFinished
from hopline.models.base import Frozen
from hopline.models.documents import KeyElement
from workers.core.answers.lexical_rank import question_terms
from workers.core.graph.elements import element_spellings, spelled
from workers.core.graph.surroundings import NamedElement
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.search.mentions import looked_at
from workers.traverse.plan import PlannedQuestion
from workers.traverse.start_nodes import judged_already, known_starts, worth_starting
from workers.traverse.start_search import StartSearch, get_search, search_starts

_BEARERS = 3  # of one name, that come before what the ranker found
# Words of names that are searched for beside the question: a search looks at the last 120 words, and these
# stand last.
_ROOM = 30


class Seed(Frozen):
    """A node where the walk starts."""

    id: str
    name: str  # as documents spell it
    score: float  # 0 to 1
    how: Literal["exact", "alias", "asked", "walk"]  # by an entity's name, in the question, by the ranker


class SeedResult(Frozen):
    """The start nodes of the walk."""

    seeds: tuple[Seed, ...]  # best first
    guide: str  # reference of the ranker's scores, for all visits
    failed: str | None = None  # what of the search failed, and why


def choose_seeds(plan: PlannedQuestion, ports: Ports) -> Outcome:
    """Choose the nodes where the walk starts.

    Nodes with an entity's name come first, then those that the ranker finds around the question, then further
    ones with a name that many share. The ranker's scores guide the visits. Searches already made while the
    question was planned are not repeated.

    Args:
        plan: plan of the question.
        ports: graph, vectors, the embedder and the blob store.

    Raises:
        EmbedderMismatch: the operator must reindex: searching without vectors would only hide it.
    """
    limit = QueryParams.read_stored(ports.job.params).max_seeds
    first, others = _seeds_by_name(ports, plan.entities) if plan.entities else ([], [])
    start_search = _searched(plan, ports)
    seeds: dict[str, Seed] = {}
    for seed in (*first, *_worth_starting(_seeds_found(start_search), first, start_search, plan), *others):
        seeds.setdefault(seed.id, seed)
    near = list(seeds)[: 2 * limit]
    known = known_starts(list(seeds)[: 3 * limit], ports)  # the chosen ones, however many are judged
    judged = judged_already(near, start_search.facts, known) - {seed.id for seed in first}
    chosen = [seed for seed in seeds.values() if seed.id not in judged][:limit]
    result = SeedResult(
        seeds=_as_spelled(chosen, known),
        guide=start_search.guide,
        failed=start_search.failed,
    )
    finished = SeedFinished(seeds=tuple(seed.name for seed in result.seeds))
    return Outcome(result=result, events=(finished,))


def _as_spelled(seeds: Sequence[Seed], known: Mapping[str, NamedElement]) -> tuple[Seed, ...]:
    """Return seeds that are called as documents spell them; until here their names are in normal form."""
    names = {name: spelled(element.name, element.aliases) for name, element in known.items()}
    return tuple(seed.model_copy(update={"name": names.get(seed.id, seed.name)}) for seed in seeds)


def _searched(plan: PlannedQuestion, ports: Ports) -> StartSearch:
    """Return the search for the plan: the one made ahead if it was for the same text."""
    text = _searched_text(plan)
    alone = text == plan.question and not plan.translations
    ahead = get_search(ports.blobs, plan.search) if alone else None
    return ahead or search_starts(text, ports, plan.translations)


def _worth_starting(
    reached: Sequence[Seed], named: Sequence[Seed], start_search: StartSearch, plan: PlannedQuestion
) -> list[Seed]:
    """Return the ranker's seeds worth starting from; all of them if there is none and no node was named."""
    wanted = question_terms(plan.question, (*plan.sub_questions, *plan.entities, *plan.translations))
    kept = worth_starting(
        {seed.id: seed.name for seed in (*named, *reached)},
        start_search.facts,
        wanted,
        named=[seed.id for seed in named],
    )
    return [seed for seed in reached if seed.id in kept]


def _searched_text(plan: PlannedQuestion) -> str:
    """Return what to search for: the question, with entities that the plan names otherwise than it does."""
    added, room = [], _ROOM
    said = "\n".join((plan.question, *plan.translations))
    for entity in plan.entities:
        if entity not in said and looked_at(entity) <= room:
            added.append(entity)
            room -= looked_at(entity)
    return " ".join([plan.question, *added])


def _seeds_by_name(ports: Ports, entities: Sequence[str]) -> tuple[list[Seed], list[Seed]]:
    """Return the elements that bear an entity's name, exact before alias, every entity's first one first.

    Those beyond the first few of a name come apart.
    """
    spellings = {entity: element_spellings(entity) for entity in entities}
    named = ports.graph.nodes.elements_named(ports.job.collection, entities)
    ranked: list[tuple[int, int, int, KeyElement]] = []
    for place, entity in enumerate(entities):
        wanted = spellings[entity]
        ordered = sorted(named.get(entity, ()), key=lambda e: (e.name not in wanted, e.name, e.id))
        ranked += [(int(e.name not in wanted), nth, place, e) for nth, e in enumerate(ordered)]
    first: list[Seed] = []
    others: list[Seed] = []
    for alias, nth, _place, element in sorted(ranked, key=lambda entry: entry[:3]):
        seed = Seed(
            id=element.id,
            name=element.name,
            score=0.9 if alias else 1.0,
            how="alias" if alias else "exact",
        )
        (first if nth < _BEARERS else others).append(seed)
    return first, others


def _seeds_found(start_search: StartSearch) -> list[Seed]:
    """Return the ranker's results as seeds, those named in the question first."""
    ordered = sorted(start_search.elements, key=lambda element: not element.asked)
    return [
        Seed(
            id=element.id,
            name=element.name,
            score=round(element.score, 4),
            how="asked" if element.asked else "walk",
        )
        for element in ordered
        if element.asked or element.score > 0
    ]
