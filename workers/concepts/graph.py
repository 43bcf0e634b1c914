"""Builds the displayed graph of a concept map: the core, its strongest relations, and their links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hopline.models.concepts import ConceptLink, ConceptNode
from workers.core.concepts.graph import MapGraph
from workers.core.concepts.maps import SHOWN, Concept, ConceptMap, ConceptRelation, ConceptStore, by_strength


def graph_of(
    held: ConceptMap, store: ConceptStore, *, unchecked: Collection[str] = (), most: int | None = SHOWN
) -> MapGraph:
    """Return the graph of a map, with the links that other maps know between its nodes.

    Args:
        held: the map.
        store: where other maps are.
        unchecked: ids of relations without a verdict, which come after the others.
        most: relations at most; None is all of them.
    """
    ranked = sorted(held.relations, key=lambda relation: (relation.id in unchecked, by_strength(relation)))
    shown = ranked[:most]
    ids = [held.concept.id, *(relation.target for relation in shown)]
    own = {relation.id for relation in held.relations}
    others = [
        relation for relation in store.links_among(held.concept.collection, ids) if relation.id not in own
    ]
    return build_graph(held.concept, shown, sorted(others, key=by_strength))


def build_graph(
    core: Concept, shown: Sequence[ConceptRelation], others: Iterable[ConceptRelation] = ()
) -> MapGraph:
    """Return a graph of these relations.

    Args:
        core: where all relations shown begin.
        shown: relations, strongest first.
        others: relations among their other concepts, except between concepts that are already linked.
    """
    nodes = [_node(core.id, core), *(_node(relation.target, relation) for relation in shown)]
    links: dict[frozenset[str], ConceptLink] = {}
    for relation in (*shown, *others):
        link = ConceptLink(**relation.model_dump(include=set(ConceptLink.model_fields)))
        links.setdefault(frozenset((link.source, link.target)), link)
    return MapGraph(nodes=tuple(nodes), links=tuple(links.values()))


def _node(name: str, concept: Concept | ConceptRelation) -> ConceptNode:
    return ConceptNode(
        id=name,
        name=concept.name,
        domain=concept.domain,
        definition=concept.definition,
        core=isinstance(concept, Concept),
    )
