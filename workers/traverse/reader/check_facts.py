"""Reader action: checks a node's atomic facts, grouped by chunk, before any chunk is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopline.models.jobs import Json
from workers.core.answers.lexical_rank import overlap
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.records import FactSource, QuotedFact
from workers.traverse.reader.neighbours import (
    Offer,
    go_to_neighbour,
    named_neighbour,
    offer_neighbours,
    shown_neighbours,
)
from workers.traverse.reader.notebook import believed_notes, raw_fact
from workers.traverse.reader.path import (
    CHECK_FACTS,
    Move,
    ask,
    go_to_chunks,
    go_to_neighbours,
    leave,
    wrong,
)
from workers.traverse.reader.records import PathState
from workers.traverse.reader.schema import FactNotes

_FACTS_READ = 200  # of the node, from the graph: of a hub, the best
_FACTS_SHOWN = 40  # to the model at a time
_CONTEXT = 400  # characters of a fact that tells what else there is
_QUEUE = 10  # chunks that one decision queues


@dataclass(frozen=True)
class _Shown:
    """Facts and chunks under their handles."""

    facts: dict[str, FactSource]  # f1 …
    chunks: dict[str, str]  # c1 … → chunk id
    more: str  # the best fact that nobody has read and that is not shown
    left: tuple[str, ...]  # ids of the facts that other paths read

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


def check_facts(state: PathState, ports: Ports) -> Outcome:
    """Take notes from the node's facts; choose chunks to read, go on to a neighbour, or end the path.

    Facts that this job has read elsewhere are not shown again; if none is left, the path goes on to a
    neighbour without a call. A node that another path reached first is left to that path. A node with more
    facts than one call can show stays open: this path may choose it again, and others may come to it.

    Args:
        state: state of the path; its node is the one to read.
        ports: graph, the fast model, and the job's record of reads.
    """
    move = Move(CHECK_FACTS, at=state.node.shown)
    if not ports.reads.take(state.reader, [state.node.id]):
        move.decision = "another path reads this"
        return go_to_neighbours(state, move, ports, node=state.behind or state.node, more="")
    move.node = None if state.again else state.node
    shown = _unread(state, ports)
    move.left = shown.left
    move.taken = (state.node.id, *(fact.fact_id for fact in shown.facts.values()))
    if not shown.facts:
        move.decision = "no fact that was not read"
        return go_to_neighbours(state, move, ports, more="")
    offered = offer_neighbours(state.model_copy(update={"more": shown.more}), move, ports)
    material = {
        "nodes": [state.node.name],
        "chunks": shown.material(),
        "neighbours": shown_neighbours(offered, {fact.fact: handle for handle, fact in shown.facts.items()}),
    }
    return ask(
        state,
        move,
        ports,
        FactNotes,
        material,
        lambda reply: _decided(state, move, reply, shown, offered, ports),
    )


def _unread(state: PathState, ports: Ports) -> _Shown:
    """Return the node's best grounded facts that only this action reads, and the best one after them."""
    nodes = [state.node.id]
    facts = ports.graph.paths.facts_of(ports.job.collection, nodes, near=state.near, limit=_FACTS_READ)
    places, wanted = {name: place for place, name in enumerate(state.near)}, state.wanted
    grounded = [fact for fact in facts if fact.grounded]
    grounded.sort(key=lambda f: (places.get(f.fact_id, len(places)), -overlap(wanted, f.fact), f.fact_id))
    by_id = {fact.fact_id: fact for fact in grounded}
    mine = ports.reads.take(state.reader, list(by_id), _FACTS_SHOWN)
    rest = [name for name in by_id if name not in mine]
    read = ports.reads.by_others(state.reader, rest) if len(mine) == _FACTS_SHOWN else set(rest)
    more = next((by_id[name].fact for name in rest if name not in read), "")
    return _shown([by_id[name] for name in mine], more, tuple(name for name in rest if name in read))


def _shown(facts: Sequence[FactSource], more: str, left: tuple[str, ...]) -> _Shown:
    chunks = dict.fromkeys(fact.chunk_id for fact in facts)
    grouped = [fact for chunk in chunks for fact in facts if fact.chunk_id == chunk]
    return _Shown(
        {f"f{n}": fact for n, fact in enumerate(grouped, 1)},
        {f"c{n}": chunk for n, chunk in enumerate(chunks, 1)},
        more[:_CONTEXT],
        left,
    )


def _decided(
    state: PathState, move: Move, reply: FactNotes, shown: _Shown, offered: Offer, ports: Ports
) -> Outcome:
    node = state.node

    def facts_of(handle: str, _text: str) -> list[QuotedFact]:
        fact = shown.facts.get(handle)
        return [raw_fact(fact, node.id, node.depth)] if fact else []

    move.noted = believed_notes(reply.notes, state.notebook, facts_of, state.question, move.others)
    move.need = reply.need
    move.decision = f"{reply.action}()"
    open_again = (state.node.id,) if shown.more else ()
    if reply.action != "read_chunk":
        move.given_back = open_again
    if reply.action == "termination":
        return leave(state, move, "complete" if reply.complete else "terminated")
    if reply.action == "stop_and_read_neighbor":
        return go_to_neighbour(state, move, ports, named_neighbour(reply), offered, more=shown.more)
    chosen = [handle for handle in dict.fromkeys(reply.chunks) if handle in shown.chunks][:_QUEUE]
    move.refused = len([handle for handle in reply.chunks if handle not in shown.chunks])
    move.decision = f"read_chunk({', '.join(chosen)})"
    if not chosen:
        named = ", ".join(handle[:20] for handle in reply.chunks[:5]) or "no chunk"
        return wrong(state, move, f"read_chunk got {named}; there is {', '.join(shown.chunks)}")
    move.given_back = open_again
    queue = [shown.chunks[handle] for handle in chosen]
    return go_to_chunks(state, move, ports, queue, more=shown.more)
