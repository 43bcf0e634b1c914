"""Finds neighbours with unread facts that a path may go on to, and lets the model choose one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hopline.models.jobs import Json
from hopline.spelling import spelled_in
from workers.core.answers.lexical_rank import by_reciprocal_rank, overlap, terms
from workers.core.graph.element_kinds import leads_on, place_of
from workers.core.graph.elements import normalise_element
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.records import Neighbour
from workers.search.near_elements import near_elements
from workers.traverse.reader.path import (
    CHECK_FACTS,
    SELECT_NEIGHBOUR,
    Move,
    ask,
    go_on,
    go_to_neighbours,
    leave,
    wrong,
)
from workers.traverse.reader.records import PathNode, PathState
from workers.traverse.reader.schema import ChunkNotes, FactNotes, NeighbourChoice

_READ = 100  # neighbours, from the graph
_FOUND = 50  # elements that the search for the need ranks
_FACTS = 40  # of a node that a search led to; the nearest is shown
_BEYOND = 3  # of these, offered although they share no fact with the nodes
_HELD = 20  # facts of a neighbour that are looked up; one with as many has some that nobody has read
_LOOKED = 2  # times what is offered; those with nothing new are left out

Offer = dict[str, Neighbour]  # by name, best first


def offer_neighbours(state: PathState, move: Move, ports: Ports, *, need: str = "") -> Offer:
    """Return the nodes to go on to: neighbours of the node just read, and that node itself.

    They are ranked by a search for the need, or for the question if there is none; the best further nodes
    found for a need are offered too, and so is the node itself if it has facts not shown yet. Nodes that the
    job has read, that have no unread facts, or that the path has passed over are not offered.

    Args:
        state: state of the path; its node was just read.
        move: the current move; what it has taken counts as read.
        ports: graph, vectors, and the job's record of reads.
        need: missing information to search for, if any.
    """
    params = QueryParams.read_stored(ports.job.params)
    offered = _itself(state, ports)
    if state.node.depth + 1 < params.max_depth and params.max_neighbours:
        offered |= _around(state, move, need, params.max_neighbours, ports)
    return offered


def shown_neighbours(offered: Offer, handles: Mapping[str, str] | None = None) -> list[Json]:
    """Return neighbours in the form used in prompts.

    Args:
        offered: neighbours, best first.
        handles: ids, by text, of facts that the prompt already contains: these are not repeated.
    """
    ids = handles or {}
    return [
        {"name": near.name, "shared": near.shared, "context": ids.get(near.context, near.context)}
        for near in offered.values()
    ]


def chosen_neighbour(name: str, offered: Offer) -> Neighbour | None:
    """Return the offered neighbour with this name, in any spelling; None if it was not offered."""
    return offered.get(name) or offered.get(normalise_element(name))


def named_neighbour(reply: FactNotes | ChunkNotes) -> str | None:
    """Return the neighbour that a reply names, "" if it declines all; None if it says nothing."""
    return reply.name if "name" in reply.model_fields_set else None


def go_to_neighbour(
    state: PathState, move: Move, ports: Ports, name: str | None, offered: Offer, **changes: Any
) -> Outcome:
    """Go on to the neighbour chosen with the notes; if there is none, search for the need.

    Nodes that were offered and passed over are not offered again by that search.
    """
    chosen = chosen_neighbour(name, offered) if name else None
    move.refused += int(bool(name) and chosen is None)
    if chosen is not None:
        move.decision = f"read_neighbor_node({(chosen.spelled or chosen.name)[:80]})"
        if chosen.id == state.node.id:
            return go_on(state, move, CHECK_FACTS, **{**changes, "queue": ()})
        node = node_after(chosen, state.node)
        return go_on(
            state, move, CHECK_FACTS, node=node, behind=state.node, more="", queue=(), passed_over=()
        )
    passed = tuple(near.id for near in offered.values()) if name == "" else ()
    return go_to_neighbours(state, move, ports, **{**changes, "queue": (), "passed_over": passed})


def node_after(near: Neighbour, here: PathNode) -> PathNode:
    """Return a neighbour as the node that a path reads next."""
    return PathNode(id=near.id, name=near.name, depth=here.depth + 1, parent=here.id, spelled=near.spelled)


def _around(state: PathState, move: Move, need: str, limit: int, ports: Ports) -> Offer:
    """Return unread neighbours by name, best first."""
    nodes = [state.node.id]
    sharing = {
        near.id: near
        for near in ports.graph.paths.neighbours_of(ports.job.collection, nodes, near=state.near, limit=_READ)
    }
    ranked, beyond = _led_to(state, move, need, sharing, ports)
    known = {**sharing, **beyond}
    read = ports.reads.by_others(state.reader, list(known)) | {*nodes, *state.passed_over}
    wanted = state.wanted | terms(need)
    fresh = {
        name: near for name, near in known.items() if name not in read and _worth_reading(near, state, wanted)
    }
    searched = [name for name in ranked if name in fresh]
    by_words = sorted(fresh, key=lambda name: (-_speaks(fresh[name], wanted), -fresh[name].closeness, name))
    scores = by_reciprocal_rank([searched, by_words])
    best = sorted(fresh, key=lambda name: (place_of(fresh[name], wanted), -scores[name], name))
    extra = [name for name in best if name in beyond][:_BEYOND]
    likely = [name for name in best if name in sharing or name in extra][: _LOOKED * limit]
    offered = _with_unread(likely, state, move.taken, ports)[:limit]
    neighbours = (_with_context(fresh[name], state, wanted, ports) for name in offered)
    return {near.name: near for near in neighbours if near.context}


def _with_unread(names: Sequence[str], state: PathState, taken: Collection[str], ports: Ports) -> list[str]:
    """Return the neighbours with a fact that nobody has read; the others hold nothing new."""
    held = ports.graph.paths.facts_held(ports.job.collection, names, limit=_HELD) if names else {}
    facts = list(dict.fromkeys(fact for name in names for fact in held.get(name, ())))
    read = {*taken, *ports.reads.by_others(state.reader, facts)} if facts else set()
    return [name for name in names if len(own := held.get(name, ())) >= _HELD or not read.issuperset(own)]


def _worth_reading(near: Neighbour, state: PathState, wanted: frozenset[str]) -> bool:
    """Return whether a neighbour may have unread facts: a name with facts that the node does not have."""
    unread = near.holds_more or bool(state.more) or not near.shared
    return unread and (near.is_typed or leads_on(near.name, near.context, wanted))


def _with_context(near: Neighbour, state: PathState, wanted: frozenset[str], ports: Ports) -> Neighbour:
    """Return a neighbour with the fact of it that is nearest to the question; few of a search lack it.

    What a search led to is called as that fact spells it.
    """
    context = near.context
    if not context:
        facts = ports.graph.paths.facts_of(ports.job.collection, [near.id], near=state.near, limit=_FACTS)
        nearest = max(facts, key=lambda fact: overlap(wanted, fact.fact), default=None)
        context = nearest.fact if nearest else ""
    spelled = near.spelled or spelled_in(near.name, context)
    return near.model_copy(update={"context": context, "spelled": spelled})


def _itself(state: PathState, ports: Ports) -> Offer:
    """Return the node itself by name, if some of its facts were not shown and no other path reads it."""
    node = state.node
    if not state.more or ports.reads.by_others(state.reader, [node.id]):
        return {}
    itself = Neighbour(
        id=node.id,
        name=node.name,
        relationship="MORE",
        shared=1,
        context=state.more,
        spelled=node.spelled,
    )
    return {node.name: itself}


def _led_to(
    state: PathState, move: Move, need: str, sharing: Mapping[str, Neighbour], ports: Ports
) -> tuple[Sequence[str], dict[str, Neighbour]]:
    """Return the elements found for the need, best first, and those that share no fact with the node.

    What the question leads to is known since the starts were chosen: searching again would find the same.
    """
    if not need:
        return state.ranked, {}
    search_result = near_elements(need, ports.job.collection, ports, _FOUND)
    move.embedded = int("vectors" in search_result.seconds)
    contexts = {name: fact.text for fact in reversed(search_result.facts) for name in fact.elements}
    beyond = {
        element.id: Neighbour(
            id=element.id,
            name=element.name,
            relationship="SEARCH",
            shared=0,
            context=contexts.get(element.id, ""),
        )
        for element in search_result.elements
        if element.id not in sharing
    }
    return [element.id for element in search_result.elements], beyond


def _speaks(near: Neighbour, wanted: frozenset[str]) -> float:
    return overlap(wanted, f"{near.name} {near.context}")


def select_neighbour(state: PathState, ports: Ports) -> Outcome:
    """Go on to one of the nodes that share facts with the one just read, or end the path.

    It is for nodes whose facts or chunks did not lead on by themselves: nodes offered with them and passed
    over are not offered again. The nodes are ranked by a search for the need that the model stated. If there
    is nothing to offer, the path is exhausted, without a call of the model.

    Args:
        state: state of the path; its node was just read.
        ports: graph, vectors, the fast model, and the job's record of reads.
    """
    move = Move(SELECT_NEIGHBOUR, at=state.node.shown)
    offered = offer_neighbours(state, move, ports, need=state.need)
    if not offered:
        move.decision = "no neighbour that was not read"
        return leave(state, move, "exhausted")
    material = {
        "nodes": [state.node.name],
        "need": state.need,
        "neighbours": shown_neighbours(offered),
    }
    return ask(
        state, move, ports, NeighbourChoice, material, lambda reply: _decided(state, move, reply, offered)
    )


def _decided(state: PathState, move: Move, reply: NeighbourChoice, offered: Offer) -> Outcome:
    move.decision = "termination()"
    if reply.action == "termination":
        return leave(state, move, "complete" if reply.complete else "terminated")
    chosen = chosen_neighbour(reply.name, offered)
    move.decision = f"read_neighbor_node({reply.name[:80]})"
    if chosen is None:
        move.refused = 1
        names = ", ".join(list(offered)[:10])
        return wrong(state, move, f"{reply.name[:80]!r} was not offered; choose one of: {names}")
    here = state.node
    move.decision = f"read_neighbor_node({(chosen.spelled or chosen.name)[:80]})"
    if chosen.id == here.id:
        return go_on(state, move, CHECK_FACTS, queue=())
    node = node_after(chosen, here)
    return go_on(state, move, CHECK_FACTS, node=node, behind=here, more="", queue=(), passed_over=())
