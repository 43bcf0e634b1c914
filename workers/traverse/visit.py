"""Visits one node: keeps the facts that help to answer, and chooses where to go next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workers.core.answers.lexical_rank import overlap, question_terms
from workers.core.answers.walk import visit_id
from workers.core.errors import Permanent
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Event, Item, Json, Outcome
from workers.core.model import Chunk, Neighbour, NodeReading
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.traverse.guide import Guide, get_guide
from workers.traverse.notes import Noted, Shown, believed, property_calls, ranked_facts, ranked_neighbours
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


def visit_node(given: Json, ports: Ports) -> Outcome:
    """Return {name, facts, next: [[id, name]], calls?, invented?, failed?, …} and a visit for each next node.

    One graph query for the node, one more where a chunk is worth reading, one call of the fast model. A
    model that fails for good costs the node's facts, not its neighbours.

    Args:
        given: {node_id, name, depth, parent, path, question, sub_questions, guide, read}: path has the names
            on the way here, guide is the reference of the ranker's, read has the chunks shown on the way.
        ports: graph, model and the blob store.
    """
    params = QueryParams.read_stored(ports.job.params)
    wanted = question_terms(given["question"], tuple(given["sub_questions"]))
    last = given["depth"] + 1 >= params.max_depth
    offered = 0 if last else params.max_neighbours
    guide = get_guide(ports.blobs, given["guide"])
    node = ports.graph.read_node(
        ports.job.collection,
        given["node_id"],
        near=list(guide.facts),
        max_facts=_FACTS_READ,
        max_neighbours=_NEIGHBOURS_READ * offered,
    )
    if node is None:
        return _visited(given, {"name": given["name"], "facts": [], "missing": True})
    passed = frozenset((*given["path"], node.name))
    shown = Shown(
        node=node,
        depth=given["depth"],
        facts=ranked_facts(node.facts, wanted, guide, _FACTS_SHOWN),
        chunks=_chunks_worth_reading(node, given, wanted, guide, ports),
        neighbours=ranked_neighbours(node.neighbours, wanted, guide, passed, offered),
    )
    read = [*given["read"], *(chunk.id for chunk in shown.chunks.values())]
    return _read(given | {"read": read}, shown, params, ports)


def _read(given: Json, shown: Shown, params: QueryParams, ports: Ports) -> Outcome:
    result: Json = {"name": shown.node.name, "facts": []}
    if not (shown.facts or shown.chunks or shown.neighbours or shown.properties):
        return _visited(given, result)
    material = {
        "question": given["question"],
        "sub_questions": given["sub_questions"],
        "schema": _SCHEMA,
        "depth": given["depth"],
        "max_depth": params.max_depth,
        "visited": given["path"],
        **shown.material(),
    }
    prompt = load_prompt("workers.traverse", "visit")
    try:
        notes = ports.model.ask(prompt, material, NodeNotes, max_tokens=_REPLY_TOKENS).value
    except Permanent as error:
        ways = list(shown.neighbours.values())[:_WAYS_ON]
        return _visited(given, result | {"failed": str(error)[:300]}, ways)
    noted = believed(notes, shown, ports.limits.grounding_threshold)
    calls = property_calls(noted.facts, ports.job.collection)
    result |= {"facts": noted.facts, **({"calls": calls} if calls else {}), **_counts(noted)}
    return _visited(given, result, noted.next)


def _counts(noted: Noted) -> Json:
    counts = {"invented": noted.invented, "ungrounded": noted.ungrounded}
    return {name: count for name, count in counts.items() if count}


def _visited(given: Json, result: Json, following: Sequence[Neighbour] = ()) -> Outcome:
    result["next"] = [[near.id, near.name] for near in following]
    shown = {
        "node_id": given["node_id"],
        "node": result["name"],
        "parent": given["path"][-1] if given["path"] else None,
        "depth": given["depth"],
        "facts": len(result["facts"]),
    }
    if "failed" in result:
        shown["failed"] = result["failed"]
    return Outcome(
        result=result,
        children=tuple(_child(near, given, result["name"]) for near in following),
        events=(Event(name="visit.finished", data=shown),),
    )


def _child(near: Neighbour, given: Json, name: str) -> Item:
    passed_on = {key: given[key] for key in ("question", "sub_questions", "guide", "read")}
    return Item(
        id=visit_id(near.id),
        step=STEP,
        input={
            "node_id": near.id,
            "name": near.name,
            "depth": given["depth"] + 1,
            "parent": given["node_id"],
            "path": [*given["path"], name],
            **passed_on,
        },
    )


def _chunks_worth_reading(
    node: NodeReading, given: Json, wanted: frozenset[str], guide: Guide, ports: Ports
) -> dict[str, Chunk]:
    """Return the node's chunks that are near the question and were not read on the way here.

    Nearness is the ranker's, once for the job, and that of the chunk's facts by their words: a search
    per visit would cost more than it tells of the few chunks of a node.
    """
    near = {chunk: rank for rank, chunk in enumerate(guide.chunks)}
    match: dict[str, float] = {}
    for fact in node.facts:
        if fact.chunk_id not in given["read"]:
            match[fact.chunk_id] = max(match.get(fact.chunk_id, 0.0), overlap(wanted, fact.fact))
    worth = [chunk for chunk, score in match.items() if chunk in near or score >= _CHUNK_MATCH]
    worth.sort(key=lambda chunk: (near.get(chunk, len(near)), -match[chunk], chunk))
    if not worth:
        return {}
    found = {
        chunk.id: chunk
        for chunk, _document in ports.graph.chunks(ports.job.collection, worth[:_CHUNKS_SHOWN])
    }
    return {f"c{n}": found[name] for n, name in enumerate(worth, 1) if name in found}
