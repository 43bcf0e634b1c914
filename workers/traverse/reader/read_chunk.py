"""Reader action: reads one chunk, adds to the notebook, and decides whether to read the next one."""

from __future__ import annotations

from dataclasses import dataclass

from hopline.models.jobs import Json
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.graph.paths import ChunkReading
from workers.core.jobs.work import Outcome
from workers.core.language.text import sentences
from workers.core.ports import Ports
from workers.core.records import QuotedFact
from workers.traverse.reader.neighbours import (
    Offer,
    go_to_neighbour,
    named_neighbour,
    offer_neighbours,
    shown_neighbours,
)
from workers.traverse.reader.notebook import believed_notes, raw_fact, raw_sentence
from workers.traverse.reader.path import (
    READ_CHUNK,
    Move,
    ask,
    go_to_chunks,
    go_to_neighbours,
    leave,
    wrong,
)
from workers.traverse.reader.records import PathNode, PathState
from workers.traverse.reader.schema import ChunkNotes

_SENTENCES = 120  # of a chunk, shown
_BEHIND_SENTENCE = 2  # facts that one sentence stands for


@dataclass(frozen=True)
class _Open:
    """The chunk being read, the unread chunks around it, and the queue after it."""

    reading: ChunkReading
    sentences: dict[str, tuple[int, int]]  # s1 … → place in the chunk's text
    before: str | None
    after: str | None
    queue: tuple[str, ...]
    left: tuple[str, ...]  # ids of chunks before it in the queue, and around it, that other paths read

    def material(self) -> Json:
        """Return the chunk as the model sees it."""
        text = self.reading.chunk.text
        return {
            "chunk": {
                "title": self.reading.document.title,
                "previous": self.before is not None,
                "subsequent": self.after is not None,
                "sentences": [
                    {"id": handle, "text": text[start:end]} for handle, (start, end) in self.sentences.items()
                ],
            },
            "queued": len(self.queue),
        }

    def facts_behind(self, handle: str, note: str, node: PathNode) -> list[QuotedFact]:
        """Return the stored facts of a sentence, those closest to the note; if none, the sentence itself."""
        if handle not in self.sentences:
            return []
        start, end = self.sentences[handle]
        chunk, wanted = self.reading.chunk, terms(note)
        carried = [
            fact
            for fact in self.reading.facts
            if fact.grounded and fact.start < chunk.start + end and fact.end > chunk.start + start
        ]
        carried.sort(key=lambda fact: (-overlap(wanted, fact.fact), fact.fact_id))
        near = [fact for fact in carried if overlap(wanted, fact.fact) > 0][:_BEHIND_SENTENCE]
        if near:
            return [raw_fact(fact, node.id, node.depth) for fact in near]
        title = self.reading.document.title
        return [raw_sentence(chunk.text[start:end], chunk.id, title, node.id, node.depth)]


def read_chunk(state: PathState, ports: Ports) -> Outcome:
    """Take notes from the first unread chunk in the queue, and decide where to read on.

    If the queue contains nothing unread, the path goes on to a neighbour without a call.

    Args:
        state: state of the path; its queue contains the chunks' ids.
        ports: graph, the fast model, and the job's record of reads.
    """
    move = Move(READ_CHUNK, at="")
    chunk = _next_unread(state, ports)
    if chunk is None:
        move.decision = "no chunk that was not read"
        return go_to_neighbours(state, move, ports, queue=())
    move.at, move.chunk = chunk.reading.document.title, chunk.reading.chunk.id
    move.taken, move.left = (move.chunk,), chunk.left
    offered = {} if chunk.queue else offer_neighbours(state, move, ports)
    return ask(
        state,
        move,
        ports,
        ChunkNotes,
        {**chunk.material(), "neighbours": shown_neighbours(offered)},
        lambda reply: _decided(state, move, reply, chunk, offered, ports),
    )


def _next_unread(state: PathState, ports: Ports) -> _Open | None:
    queue = state.queue
    while taken := ports.reads.take(state.reader, queue, 1):
        queue = queue[queue.index(taken[0]) + 1 :]
        reading = ports.graph.paths.read_chunk(ports.job.collection, taken[0])
        if reading is not None:
            passed = tuple(name for name in state.queue if name not in (*queue, taken[0]))
            return _opened(reading, queue, passed, state, ports)
    return None


def _opened(
    reading: ChunkReading, queue: tuple[str, ...], passed: tuple[str, ...], state: PathState, ports: Ports
) -> _Open:
    around = [name for name in (reading.before, reading.after) if name]
    read = ports.reads.by_others(state.reader, around)
    spans = list(sentences(reading.chunk.text))[:_SENTENCES]
    return _Open(
        reading,
        {f"s{n}": span for n, span in enumerate(spans, 1)},
        None if reading.before in read else reading.before,
        None if reading.after in read else reading.after,
        queue,
        (*passed, *sorted(read)),
    )


def _decided(
    state: PathState, move: Move, reply: ChunkNotes, chunk: _Open, offered: Offer, ports: Ports
) -> Outcome:
    node = state.node
    move.noted = believed_notes(
        reply.notes,
        state.notebook,
        lambda handle, note: chunk.facts_behind(handle, note, node),
        state.question,
        move.others,
    )
    move.need, move.decision = reply.need, f"{reply.action}()"
    match reply.action:
        case "termination":
            return leave(state, move, "complete" if reply.complete else "terminated")
        case "search_more":
            if chunk.queue:
                return go_to_chunks(state, move, ports, chunk.queue)
            return go_to_neighbour(state, move, ports, named_neighbour(reply), offered)
        case "read_previous_chunk":
            return _read_around(state, move, chunk, chunk.before, ports)
        case "read_subsequent_chunk":
            return _read_around(state, move, chunk, chunk.after, ports)


def _read_around(state: PathState, move: Move, chunk: _Open, wanted: str | None, ports: Ports) -> Outcome:
    if wanted is None:
        move.refused = 1
        return wrong(state, move, f"{move.decision}: there is no such chunk that was not read")
    rest = tuple(name for name in chunk.queue if name != wanted)
    return go_to_chunks(state, move, ports, (wanted, *rest))
