"""Runs one call of a tool and turns the result into facts."""

from __future__ import annotations

from hopline.errors import InvalidInput, Permanent
from hopline.events.questions import ToolFinished
from workers.core.jobs.work import Outcome
from workers.core.models.tool_calls import ToolCall
from workers.core.models.tools import FoundBy, ToolFact
from workers.core.ports import Ports
from workers.core.records import GraphPlace, QuotedFact
from workers.traverse.tools.records import CallInput, CallResult

_NOTE = 200  # characters in events


def run_tool(call: CallInput, ports: Ports) -> Outcome:
    """Run one call of a tool.

    A call that the graph refuses, or that takes too long, finds nothing and says why; a database that is away
    lays the item aside.

    Args:
        call: its id is the item's own.
        ports: the tools of the graph.
    """
    result = _result(call, ports)
    finished = ToolFinished(
        tool=call.tool, arguments=call.arguments, facts=len(result.facts), note=result.note[:_NOTE]
    )
    return Outcome(result=result, events=(finished,))


def _result(call: CallInput, ports: Ports) -> CallResult:
    try:
        answer = ports.tools.run(ToolCall(name=call.tool, arguments=call.arguments), call.question)
    except Permanent as error:
        why = (error.for_model if isinstance(error, InvalidInput) else str(error))[:300]
        return CallResult(
            question=call.question,
            by=FoundBy(tool=call.tool, arguments=call.arguments),
            facts=(),
            left_out=0,
            markdown="",
            note=why,
            failed=why,
        )
    return CallResult(
        question=call.question,
        by=answer.by,
        facts=tuple(_quoted(call.id, nth, fact, answer.by.tool) for nth, fact in enumerate(answer.facts)),
        left_out=answer.left_out,
        markdown=answer.markdown,
        note=answer.note,
        exact=answer.exact,
    )


def _quoted(item_id: str, nth: int, fact: ToolFact, tool: str) -> QuotedFact:
    found_in_graph = bool(fact.row or fact.nodes or fact.relationships)
    place = GraphPlace(
        call=item_id,
        nth=nth,
        said=fact.said,
        row=fact.row,
        nodes=fact.nodes,
        relationships=fact.relationships,
    )
    return QuotedFact(
        fact_text=fact.text,
        source_node_id=next(iter(fact.nodes), ""),
        source_fact_id=fact.fact_id,
        source_qdrant_chunk_id=fact.chunk_id,
        extracted_from_depth=0,
        place=place if found_in_graph else None,
        title=fact.title or tool,
        quote=fact.said,
    )
