"""Reader action: chooses a neighbouring node to go on to, or ends the path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workers.core.answers.lexical_rank import by_reciprocal_rank, overlap, terms
from workers.core.graph.elements import normalise_element
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Outcome
from workers.core.model import Neighbour
from workers.core.ports import Ports
from workers.search.near_elements import near_elements
from workers.traverse.reader.path import (
    CHECK_FACTS,
    SELECT_NEIGHBOUR,
    Move,
    ask,
    go_on,
    leave,
    wrong,
)
from workers.traverse.reader.records import PathNode, PathState
from workers.traverse.reader.schema import NeighbourChoice

_READ = 100  # neighbours, from the graph
_FOUND = 50  # elements that the search for the need ranks
_BEYOND = 3  # of these, offered although they share no fact with the nodes


def select_neighbour(state: PathState, ports: Ports) -> Outcome:
    """Go on to one of the nodes that share facts with the one just read, or end the path.

    The nodes are ranked by a search for the need that the model stated (where it stated none, by the one for
    the question); the best that a stated need leads to beyond them are offered, too, and the node itself,
    where it has facts that nobody was shown. What the job has read is not offered again. With
    nothing to offer the path is exhausted, without a call of the model.

    Args:
        state: of the path; node was just read.
        ports: graph, vectors, the fast model, and what the job has read.
    """
    move = Move(SELECT_NEIGHBOUR, at=state.node.name)
    params = QueryParams.read_stored(ports.job.params)
    offered = _itself(state, ports)
    if state.node.depth + 1 < params.max_depth and params.max_neighbours:
        offered |= _offered(state, move, params.max_neighbours, ports)
    if not offered:
        move.decision = "no neighbour that was not read"
        return leave(state, move, "exhausted")
    material = {
        "nodes": [state.node.name],
        "need": state.need,
        "neighbours": [
            {"name": near.name, "shared": near.shared, "context": near.context} for near in offered.values()
        ],
    }
    return ask(
        state, move, ports, NeighbourChoice, material, lambda reply: _decided(state, move, reply, offered)
    )


def _offered(state: PathState, move: Move, limit: int, ports: Ports) -> dict[str, Neighbour]:
    """Return unread neighbours by name, best first."""
    nodes = [state.node.id]
    sharing = {
        near.id: near for near in ports.graph.paths.neighbours_of(ports.job.collection, nodes, limit=_READ)
    }
    ranked, beyond = _led_to(state, move, sharing, ports)
    known = {**sharing, **beyond}
    read = ports.reads.by_others(state.reader, list(known)) | set(nodes)
    fresh = {name: near for name, near in known.items() if name not in read}
    searched = [name for name in ranked if name in fresh]
    wanted = state.wanted | terms(state.need)
    by_words = sorted(fresh, key=lambda name: (-_speaks(fresh[name], wanted), -fresh[name].closeness, name))
    scores = by_reciprocal_rank([searched, by_words])
    best = sorted(fresh, key=lambda name: (-scores[name], name))
    extra = [name for name in best if name in beyond][:_BEYOND]
    offered = [name for name in best if name in sharing or name in extra][:limit]
    return {fresh[name].name: fresh[name] for name in offered}


def _itself(state: PathState, ports: Ports) -> dict[str, Neighbour]:
    """Return the node itself by name, if some of its facts were not shown and no other path reads it."""
    node = state.node
    if not state.more or ports.reads.by_others(state.reader, [node.id]):
        return {}
    return {
        node.name: Neighbour(id=node.id, name=node.name, relationship="MORE", shared=1, context=state.more)
    }


def _led_to(
    state: PathState, move: Move, sharing: Mapping[str, Neighbour], ports: Ports
) -> tuple[Sequence[str], dict[str, Neighbour]]:
    """Return what the need leads to, best first, and that of it which shares no fact with the node.

    What the question leads to is known since the starts were chosen: searching again would find the same.
    """
    if not state.need:
        return state.ranked, {}
    found = near_elements(state.need, ports.job.collection, ports, _FOUND)
    move.embedded = int("vectors" in found.seconds)
    contexts = {name: fact.text for fact in reversed(found.facts) for name in fact.elements}
    beyond = {
        one.id: Neighbour(
            id=one.id, name=one.name, relationship="SEARCH", shared=0, context=contexts.get(one.id, "")
        )
        for one in found.elements
        if one.id not in sharing
    }
    return [one.id for one in found.elements], beyond


def _speaks(near: Neighbour, wanted: frozenset[str]) -> float:
    return overlap(wanted, f"{near.name} {near.context}")


def _decided(
    state: PathState, move: Move, reply: NeighbourChoice, offered: Mapping[str, Neighbour]
) -> Outcome:
    move.decision = "termination()"
    if reply.action == "termination":
        return leave(state, move, "complete" if reply.complete else "terminated")
    chosen = offered.get(reply.name) or offered.get(normalise_element(reply.name))
    move.decision = f"read_neighbor_node({reply.name[:80]})"
    if chosen is None:
        move.refused = 1
        names = ", ".join(list(offered)[:10])
        return wrong(state, move, f"{reply.name[:80]!r} was not offered; choose one of: {names}")
    here = state.node
    if chosen.id == here.id:
        return go_on(state, move, CHECK_FACTS, queue=())
    node = PathNode(id=chosen.id, name=chosen.name, depth=here.depth + 1, parent=here.id)
    return go_on(state, move, CHECK_FACTS, node=node, behind=here, more="", queue=())
