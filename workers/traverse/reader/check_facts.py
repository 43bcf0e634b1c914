"""The atomic fact check: all facts of the queued nodes, grouped by chunk, before any chunk is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workers.core.model import FactSource
from workers.core.ports import Ports
from workers.core.ranking import overlap
from workers.core.work import Json, Outcome
from workers.traverse.reader.notebook import believed_notes, raw_fact
from workers.traverse.reader.path import (
    CHECK_FACTS,
    READ_CHUNK,
    SELECT_NEIGHBOUR,
    Move,
    PathState,
    ask,
    go_on,
    wrong,
)
from workers.traverse.reader.schema import FactNotes

_FACTS_READ = 200  # of the nodes, from the graph
_FACTS_SHOWN = 40  # to the model
_QUEUE = 10  # chunks that one decision queues


@dataclass(frozen=True)
class _Shown:
    """Facts and chunks under their handles."""

    facts: dict[str, FactSource]  # f1 …
    chunks: dict[str, str]  # c1 … → chunk id

    def material(self) -> list[Json]:
        """Return the facts grouped by chunk."""
        return [
            {
                "id": handle,
                "title": next(f.title for f in self.facts.values() if f.chunk_id == chunk),
                "facts": [
                    {"id": name, "text": fact.fact}
                    for name, fact in self.facts.items()
                    if fact.chunk_id == chunk
                ],
            }
            for handle, chunk in self.chunks.items()
        ]


def check_facts(given: Json, ports: Ports) -> Outcome:
    """Note what the facts of the queued nodes tell, and pick the chunks to read, or go on to a neighbour.

    Returns the action as every step of a path does: {path, action, step, at, decision, calls, entries, facts,
    nodes, why?, …}. Facts that this job has read elsewhere are not shown again; where none is left the path
    goes on to a neighbour without a call. A node that another path has reached first is left to it.

    Args:
        given: a PathState; nodes are to be read.
        ports: graph, the fast model, and what the job has read.
    """
    state = PathState.model_validate(given)
    move = Move(CHECK_FACTS, at=", ".join(node.name for node in state.nodes))
    mine = ports.reads.take(state.reader, [node.id for node in state.nodes])
    if not mine:
        move.decision = "another path reads this"
        return go_on(state, move, SELECT_NEIGHBOUR, nodes=state.behind or state.nodes)
    move.nodes = () if state.again else tuple(node for node in state.nodes if node.id in mine)
    shown = _shown(_unread(state, mine, ports))
    move.taken = (*mine, *(fact.fact_id for fact in shown.facts.values()))
    if not shown.facts:
        move.decision = "no fact that was not read"
        return go_on(state, move, SELECT_NEIGHBOUR)
    material = {"nodes": [node.name for node in state.nodes], "chunks": shown.material()}
    return ask(state, move, ports, FactNotes, material, lambda reply: _decided(state, move, reply, shown))


def _unread(state: PathState, nodes: Sequence[str], ports: Ports) -> list[FactSource]:
    """Return the nodes' grounded facts that only this action reads, best first."""
    found = ports.graph.facts_of(ports.job.collection, nodes, near=state.near, limit=_FACTS_READ)
    places = {name: place for place, name in enumerate(state.near)}
    grounded = [fact for fact in found if fact.grounded]
    grounded.sort(
        key=lambda f: (places.get(f.fact_id, len(places)), -overlap(state.wanted, f.fact), f.fact_id)
    )
    by_id = {fact.fact_id: fact for fact in grounded}
    return [by_id[name] for name in ports.reads.take(state.reader, list(by_id), _FACTS_SHOWN)]


def _shown(facts: Sequence[FactSource]) -> _Shown:
    chunks = dict.fromkeys(fact.chunk_id for fact in facts)
    grouped = [fact for chunk in chunks for fact in facts if fact.chunk_id == chunk]
    return _Shown(
        {f"f{n}": fact for n, fact in enumerate(grouped, 1)},
        {f"c{n}": chunk for n, chunk in enumerate(chunks, 1)},
    )


def _decided(state: PathState, move: Move, reply: FactNotes, shown: _Shown) -> Outcome:
    node = state.nodes[0]

    def facts_of(handle: str, _text: str) -> list[Json]:
        fact = shown.facts.get(handle)
        return [raw_fact(fact, node.id, node.depth)] if fact else []

    move.noted = believed_notes(reply.notes, state.notebook, facts_of, state.question)
    move.need = reply.need
    move.decision = "stop_and_read_neighbor()"
    if reply.action == "stop_and_read_neighbor":
        return go_on(state, move, SELECT_NEIGHBOUR)
    chosen = [handle for handle in dict.fromkeys(reply.chunks) if handle in shown.chunks][:_QUEUE]
    move.refused = len([handle for handle in reply.chunks if handle not in shown.chunks])
    move.decision = f"read_chunk({', '.join(chosen)})"
    if not chosen:
        named = ", ".join(handle[:20] for handle in reply.chunks[:5]) or "no chunk"
        return wrong(state, move, f"read_chunk got {named}; there is {', '.join(shown.chunks)}")
    return go_on(state, move, READ_CHUNK, queue=tuple(shown.chunks[handle] for handle in chosen))
