"""Builds the displayed graph of a concept map: the core, its strongest relations, and their links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from workers.core.concepts.maps import SHOWN, Concept, ConceptMap, ConceptRelation, ConceptStore, by_strength
from workers.core.jobs.work import Json


def graph_of(
    held: ConceptMap, store: ConceptStore, *, unchecked: Collection[str] = (), most: int | None = SHOWN
) -> Json:
    """Return {nodes, links} of a map, as `told_graph`, with the links that other maps know between its nodes.

    Args:
        held: the map.
        store: where other maps are.
        unchecked: ids of relations that come after the others: nobody could say whether they are right.
        most: relations at most; None is all of them.
    """
    ranked = sorted(held.relations, key=lambda one: (one.id in unchecked, by_strength(one)))
    shown = ranked[:most]
    ids = [held.concept.id, *(one.target for one in shown)]
    own = {one.id for one in held.relations}
    others = [one for one in store.links_among(held.concept.collection, ids) if one.id not in own]
    return told_graph(held.concept, shown, sorted(others, key=by_strength))


def told_graph(
    core: Concept, shown: Sequence[ConceptRelation], others: Iterable[ConceptRelation] = ()
) -> Json:
    """Return {nodes: [{id, name, domain, definition, core}], links: [{source, target, relation, strength}]}.

    A link also tells its id and version, when it was created and updated, and who changed it last by hand.

    Args:
        core: where all relations shown begin.
        shown: relations, strongest first.
        others: relations between what they lead to; of two concepts that are linked already, none.
    """
    nodes = [_node(core.id, core), *(_node(one.target, one) for one in shown)]
    links: dict[frozenset[str], Json] = {}
    for one in (*shown, *others):
        link: Json = {"source": one.source, "target": one.target}
        link |= {"relation": one.relation, "strength": one.strength, "version": one.version}
        link |= {"created": one.created, "updated": one.updated, "id": one.id, "by": one.by}
        links.setdefault(frozenset((one.source, one.target)), link)
    return {"nodes": nodes, "links": list(links.values())}


def _node(name: str, one: Concept | ConceptRelation) -> Json:
    told: Json = {"id": name, "name": one.name, "domain": one.domain, "definition": one.definition}
    return told | {"core": isinstance(one, Concept)}
