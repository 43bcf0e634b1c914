"""Runs one call of a tool and turns the result into facts."""

from __future__ import annotations

from workers.core.errors import Permanent
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.model import GraphPlace, RawFact
from workers.core.models.tool_calls import ToolCall
from workers.core.models.tools import ToolAnswer, ToolFact
from workers.core.ports import Ports


def run_tool(given: Json, ports: Ports) -> Outcome:
    """Return {question, by, facts, left_out, markdown, note, failed?}.

    `facts` are raw facts with title and quote beside them; `by` is how they were found. A call that the graph
    refuses, or that takes too long, finds nothing and says why; a database that is away lays the item aside.

    Args:
        given: {id, question, tool, arguments}; the id is the item's own.
        ports: the tools of the graph.
    """
    call = ToolCall(name=given["tool"], arguments=given["arguments"])
    try:
        answer = ports.tools.run(call, given["question"])
    except Permanent as error:
        why = str(error)[:300]
        result: Json = {
            "by": {"tool": call.name, "arguments": call.arguments},
            "facts": [],
            "left_out": 0,
            "markdown": "",
            "note": why,
            "failed": why,
        }
    else:
        result = _told(given["id"], answer)
    shown = {
        "tool": call.name,
        "arguments": call.arguments,
        "facts": len(result["facts"]),
        "note": result["note"][:200],
    }
    return Outcome(
        result={"question": given["question"], **result},
        events=(Event(name="tool.finished", data=shown),),
    )


def _told(item_id: str, answer: ToolAnswer) -> Json:
    facts = [_raw(item_id, nth, one, answer.by.tool) for nth, one in enumerate(answer.facts)]
    return {
        "by": answer.by.model_dump(exclude_none=True),
        "facts": facts,
        "left_out": answer.left_out,
        "markdown": answer.markdown,
        "note": answer.note,
    }


def _raw(item_id: str, nth: int, fact: ToolFact, tool: str) -> Json:
    found_in_graph = bool(fact.row or fact.nodes or fact.relationships)
    place = GraphPlace(
        call=item_id,
        nth=nth,
        said=fact.said,
        row=fact.row,
        nodes=fact.nodes,
        relationships=fact.relationships,
    )
    raw = RawFact(
        fact_text=fact.text,
        source_node_id=next(iter(fact.nodes), ""),
        source_fact_id=fact.fact_id,
        source_qdrant_chunk_id=fact.chunk_id,
        extracted_from_depth=0,
        place=place if found_in_graph else None,
    )
    return {**raw.model_dump(exclude_none=True), "title": fact.title or tool, "quote": fact.said}
