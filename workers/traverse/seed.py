"""Second step of a graph query: search chooses the nodes where the walk begins."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.graph.elements import element_spellings
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.model import KeyElement
from workers.core.ports import Ports
from workers.search.mentions import looked_at
from workers.search.models import Found
from workers.search.search import search
from workers.traverse.guide import guide_from, put_guide

_CHUNKS = 12  # the best ones, handed on to the visits
_ELEMENTS = 100  # the same
_BEARERS = 3  # of one name, that come before what the ranker found
# Words of names that are searched for beside the question: a search looks at the last 120 words, and these
# stand last.
_ROOM = 30


def choose_seeds(given: Json, ports: Ports) -> Outcome:
    """Return {seeds: [{id, name, score, how}], guide: reference, failed?}, best seeds first.

    What bears the name of an entity comes first, then what the ranker finds around the question, then what
    else bears a name that many bear. The ranker's scores go to the visits as their guide.

    Args:
        given: {question, entities, sub_questions} as planned.
        ports: graph, vectors, the embedder and the blob store.

    Raises:
        EmbedderMismatch: the operator must reindex: searching without vectors would only hide it.
    """
    limit = QueryParams.read_stored(ports.job.params).max_seeds
    first, others = _seeds_by_name(ports, given["entities"]) if given["entities"] else ([], [])
    found = search(_asked(given), ports.job.collection, ports, limit=_CHUNKS, elements=_ELEMENTS)
    seeds: dict[str, Json] = {}
    for seed in (*first, *_seeds_found(found), *others):
        seeds.setdefault(seed["id"], seed)
    result: Json = {
        "seeds": list(seeds.values())[:limit],
        "guide": put_guide(ports.blobs, guide_from(found)),
    }
    if found.failed:
        result["failed"] = "; ".join(found.failed.values())
    names = [seed["name"] for seed in result["seeds"]]
    return Outcome(result=result, events=(Event(name="seed.finished", data={"seeds": names}),))


def _asked(given: Json) -> str:
    """Return what to search for: the question, with entities that the plan names otherwise than it does."""
    question: str = given["question"]
    added, room = [], _ROOM
    for entity in given["entities"]:
        if entity not in question and looked_at(entity) <= room:
            added.append(entity)
            room -= looked_at(entity)
    return " ".join([question, *added])


def _seeds_by_name(ports: Ports, entities: Sequence[str]) -> tuple[list[Json], list[Json]]:
    """Return the elements that bear an entity's name, exact before alias, every entity's first one first.

    Those beyond the first few of a name come apart.
    """
    spellings = {entity: element_spellings(entity) for entity in entities}
    named = ports.graph.elements_named(ports.job.collection, entities)
    ranked: list[tuple[int, int, int, KeyElement]] = []
    for place, entity in enumerate(entities):
        wanted = spellings[entity]
        ordered = sorted(named.get(entity, ()), key=lambda e: (e.name not in wanted, e.name, e.id))
        ranked += [(int(e.name not in wanted), nth, place, e) for nth, e in enumerate(ordered)]
    first: list[Json] = []
    others: list[Json] = []
    for alias, nth, _place, element in sorted(ranked, key=lambda entry: entry[:3]):
        how, score = ("alias", 0.9) if alias else ("exact", 1.0)
        seed: Json = {"id": element.id, "name": element.name, "score": score, "how": how}
        (first if nth < _BEARERS else others).append(seed)
    return first, others


def _seeds_found(found: Found) -> list[Json]:
    """Return what the ranker found, named in the question first."""
    ordered = sorted(found.elements, key=lambda one: not one.asked)
    return [
        {
            "id": one.id,
            "name": one.name,
            "score": round(one.score, 4),
            "how": "asked" if one.asked else "walk",
        }
        for one in ordered
        if one.asked or one.score > 0
    ]
