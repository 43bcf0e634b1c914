"""text2cypher: answers what no other tool can, by Cypher that a model writes."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.graph_schema import GraphSchema
from hopline.models.tools import ToolResult
from workers.core.graph.cypher import CypherRows, ReadLimits
from workers.text2cypher.boundary import Boundary
from workers.text2cypher.guide import Guide
from workers.text2cypher.write import GraphView, Tried, Written, write_and_run
from workers.tools.lines import inline
from workers.tools.queries import load_cypher
from workers.tools.tables import fenced, is_void, row_item, table
from workers.tools.tool import Tool, ToolPorts

_LIMITS = ReadLimits()
_NAME = "text2cypher"
_NOTHING = "Nothing in the graph fits the statement."


class Text2CypherArguments(Frozen):
    """What to find."""

    question: str = Field(min_length=1, max_length=4000, description="the question, whole and unambiguous")


def text2cypher_tool(guide: Guide | None = None, *, own: bool = True) -> Tool[Text2CypherArguments]:
    """Return the tool.

    Args:
        guide: terminology and examples of the graph.
        own: whether it also works over hopline's own graph, where statements are confined to the collection.
    """

    def work(arguments: Text2CypherArguments, ports: ToolPorts) -> ToolResult:
        written = write_and_run(
            arguments.question, _view(ports), guide or Guide(), ports.model, ports.reader, _LIMITS
        )
        result = ToolResult(tool=_NAME, arguments=arguments.model_dump(), parameters=written.parameters)
        if written.rows is None or written.cypher is None:
            note = _explain_failure(written)
            return result.model_copy(update={"note": note, "markdown": note})
        return _add_rows(result, written.cypher, written.rows)

    return Tool(
        name=_NAME,
        purpose="Whatever the graph itself can tell and no other tool finds: how many, the most, the least, "
        "averages, comparisons, filters by several conditions. A query is written for the question.",
        arguments=Text2CypherArguments,
        work=work,
        barred=_bar_untyped if own else _bar_own,
    )


def _view(ports: ToolPorts) -> GraphView:
    """Return all of a foreign graph; of hopline's own what the collection's documents made of it."""
    if not ports.is_own:
        return GraphView(ports.schema_source.schema(internal=True))
    return view_of_collection(ports.schema_source.of_collection(ports.collection), ports.collection)


def view_of_collection(schema: GraphSchema, collection: str) -> GraphView:
    """Return the boundary of statements confined to a collection, from its typed graph."""
    boundary = Boundary(
        node=load_cypher("collection_node"),
        types=tuple(sorted(schema.types)),
        parameters={"collection": collection, "labels": sorted(schema.labels)},
    )
    return GraphView(schema, boundary)


def _bar_own(ports: ToolPorts) -> str:
    if not ports.is_own:
        return ""
    return "text2cypher is off over hopline's own graph: HOPLINE_TEXT2CYPHER=foreign"


def _bar_untyped(ports: ToolPorts) -> str:
    if not ports.is_own or ports.schema_source.of_collection(ports.collection).nodes:
        return ""
    return (
        f"text2cypher has nothing to ask in {ports.collection}: none of its documents was taken with a "
        "profile, so nothing in it has a type"
    )


def _explain_failure(written: Written) -> str:
    if written.lacking:
        return f"The graph was not asked: {inline(written.lacking)}"
    tried: tuple[Tried, ...] = written.tried
    return f"No statement could be run: {len(tried)} were written, and the last was refused: " + inline(
        tried[-1].error
    )


def _add_rows(result: ToolResult, cypher: str, rows: CypherRows) -> ToolResult:
    has_values = not all(is_void(value) for row in rows.rows for value in row)
    note = "" if has_values else _NOTHING
    if rows.cut:
        most = _LIMITS.rows if rows.cut == "rows" else _LIMITS.bytes
        note = f"{note} There may be more: the answer was cut at {most:,} {rows.cut}.".strip()
    parts = [*(["### Found in the graph", table(rows)] if has_values else []), *([note] if note else [])]
    return result.model_copy(
        update={
            "columns": rows.columns,
            "items": tuple(row_item(rows.columns, row) for row in rows.rows) if has_values else (),
            "cypher": cypher,
            "cut": rows.cut,
            "note": note,
            "markdown": "\n\n".join([*parts, fenced(cypher)]),
        }
    )


TEXT2CYPHER = text2cypher_tool()
