"""Visits one node: keeps the facts that help to answer, and chooses where to go next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workers.core.answers.lexical_rank import overlap, question_terms
from workers.core.answers.walk import NextNode, Visited, visit_id
from workers.core.errors import Permanent
from workers.core.events.questions import VisitFinished
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Item, Outcome
from workers.core.model import Chunk, Frozen, Neighbour, NodeReading, QuotedFact
from workers.core.models.tools import FoundBy
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.guide import Guide, get_guide
from workers.traverse.notes import Shown, believed, property_calls, ranked_facts, ranked_neighbours
from workers.traverse.schema import NodeNotes

STEP: Final = "traverse.visit"
_SCHEMA: Final = (
    "Nodes are key elements: persons, places, works, dates, terms. An atomic fact is one statement of a "
    "document and holds several key elements. SHARES_FACT joins two key elements of one fact."
)
_FACTS_READ = 80  # of a node, from the graph
_FACTS_SHOWN = 40  # to the model
_NEIGHBOURS_READ = 3  # times what is offered, for the ranker knows better which ones
_CHUNKS_SHOWN = 2
_CHUNK_MATCH = 0.5  # share of the question's terms in one of a chunk's facts that makes it worth reading
_WAYS_ON = 3  # neighbours tried where the model failed
_REPLY_TOKENS = 2048


class VisitInput(Frozen):
    """A node to visit, and what the walk is for."""

    node_id: str
    name: str
    depth: int  # hops from a seed, 0 for a seed
    parent: str | None  # id of the node before it; None of a seed
    path: tuple[str, ...]  # names on the way here
    question: str
    sub_questions: tuple[str, ...]
    guide: str  # reference of the ranker's scores; "" where there are none
    read: tuple[str, ...]  # ids of chunks that were shown on the way


class VisitResult(Visited):
    """What was found at a node."""

    facts: tuple[QuotedFact, ...]
    missing: bool = False  # the node is gone
    calls: dict[str, FoundBy] = {}  # that find facts from properties again, by id
    invented: int = 0  # ids that the model was never offered
    ungrounded: int = 0  # statements that their chunk does not carry
    failed: str | None = None  # why the model failed: what is next are some neighbours, unread


def visit_node(visit: VisitInput, ports: Ports) -> Outcome:
    """Read a node: keep the facts that help to answer, and visit the neighbours that may.

    One graph query for the node, one more where a chunk is worth reading, one call of the fast model. A
    model that fails for good costs the node's facts, not its neighbours.

    Args:
        visit: the node.
        ports: graph, model and the blob store.
    """
    params = QueryParams.read_stored(ports.job.params)
    wanted = question_terms(visit.question, visit.sub_questions)
    last = visit.depth + 1 >= params.max_depth
    offered = 0 if last else params.max_neighbours
    guide = get_guide(ports.blobs, visit.guide)
    node = ports.graph.nodes.read_node(
        ports.job.collection,
        visit.node_id,
        near=list(guide.facts),
        max_facts=_FACTS_READ,
        max_neighbours=_NEIGHBOURS_READ * offered,
    )
    if node is None:
        return _visited(visit, VisitResult(name=visit.name, next=(), facts=(), missing=True))
    passed = frozenset((*visit.path, node.name))
    shown = Shown(
        node=node,
        depth=visit.depth,
        facts=ranked_facts(node.facts, wanted, guide, _FACTS_SHOWN),
        chunks=_chunks_worth_reading(node, visit, wanted, guide, ports),
        neighbours=ranked_neighbours(node.neighbours, wanted, guide, passed, offered),
    )
    read = (*visit.read, *(chunk.id for chunk in shown.chunks.values()))
    return _read(visit.model_copy(update={"read": read}), shown, params, ports)


def _read(visit: VisitInput, shown: Shown, params: QueryParams, ports: Ports) -> Outcome:
    name = shown.node.name
    if not (shown.facts or shown.chunks or shown.neighbours or shown.properties):
        return _visited(visit, VisitResult(name=name, next=(), facts=()))
    material = {
        "question": visit.question,
        "sub_questions": list(visit.sub_questions),
        "schema": _SCHEMA,
        "depth": visit.depth,
        "max_depth": params.max_depth,
        "visited": list(visit.path),
        **shown.material(),
    }
    prompt = load_prompt("workers.traverse", "visit")
    try:
        notes = ports.model.ask(prompt, material, NodeNotes, max_tokens=_REPLY_TOKENS).value
    except Permanent as error:
        ways = list(shown.neighbours.values())[:_WAYS_ON]
        failed = VisitResult(name=name, next=_next(ways), facts=(), failed=str(error)[:300])
        return _visited(visit, failed)
    noted = believed(notes, shown, ports.limits.grounding_threshold)
    result = VisitResult(
        name=name,
        next=_next(noted.next),
        facts=tuple(noted.facts),
        calls=property_calls(noted.facts, ports.job.collection),
        invented=noted.invented,
        ungrounded=noted.ungrounded,
    )
    return _visited(visit, result)


def _next(neighbours: Sequence[Neighbour]) -> tuple[NextNode, ...]:
    return tuple(NextNode(near.id, near.name) for near in neighbours)


def _visited(visit: VisitInput, result: VisitResult) -> Outcome:
    finished = VisitFinished(
        node_id=visit.node_id,
        node=result.name,
        parent=visit.path[-1] if visit.path else None,
        depth=visit.depth,
        facts=len(result.facts),
        failed=result.failed,
    )
    return Outcome(
        result=result,
        children=tuple(_child(node, visit, result.name) for node in result.next),
        events=(finished,),
    )


def _child(node: NextNode, visit: VisitInput, name: str) -> Item:
    below = visit.model_copy(
        update={
            "node_id": node.id,
            "name": node.name,
            "depth": visit.depth + 1,
            "parent": visit.node_id,
            "path": (*visit.path, name),
        }
    )
    return Item(id=visit_id(node.id), step=STEP, input=below)


def _chunks_worth_reading(
    node: NodeReading, visit: VisitInput, wanted: frozenset[str], guide: Guide, ports: Ports
) -> dict[str, Chunk]:
    """Return the node's chunks that are near the question and were not read on the way here.

    Nearness is the ranker's, once for the job, and that of the chunk's facts by their words: a search
    per visit would cost more than it tells of the few chunks of a node.
    """
    near = {chunk: rank for rank, chunk in enumerate(guide.chunks)}
    match: dict[str, float] = {}
    for fact in node.facts:
        if fact.chunk_id not in visit.read:
            match[fact.chunk_id] = max(match.get(fact.chunk_id, 0.0), overlap(wanted, fact.fact))
    worth = [chunk for chunk, score in match.items() if chunk in near or score >= _CHUNK_MATCH]
    worth.sort(key=lambda chunk: (near.get(chunk, len(near)), -match[chunk], chunk))
    if not worth:
        return {}
    found = {
        chunk.id: chunk
        for chunk, _document in ports.graph.nodes.chunks(ports.job.collection, worth[:_CHUNKS_SHOWN])
    }
    return {f"c{n}": found[name] for n, name in enumerate(worth, 1) if name in found}
