"""Reader action: chooses a neighbouring node to go on to, or ends the path."""

from __future__ import annotations

from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.traverse.reader.neighbours import (
    Offer,
    chosen_neighbour,
    node_after,
    offer_neighbours,
    shown_neighbours,
)
from workers.traverse.reader.path import (
    CHECK_FACTS,
    SELECT_NEIGHBOUR,
    Move,
    ask,
    go_on,
    leave,
    wrong,
)
from workers.traverse.reader.records import PathState
from workers.traverse.reader.schema import NeighbourChoice


def select_neighbour(state: PathState, ports: Ports) -> Outcome:
    """Go on to one of the nodes that share facts with the one just read, or end the path.

    It is for nodes whose facts or chunks did not lead on by themselves: what was offered with them and passed
    over is not offered again. The nodes are ranked by a search for the need that the model stated. With
    nothing to offer the path is exhausted, without a call of the model.

    Args:
        state: of the path; node was just read.
        ports: graph, vectors, the fast model, and what the job has read.
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
