"""text2cypher: what no other tool can find, by a statement that a model writes."""

from __future__ import annotations

from pydantic import Field

from workers.core.cypher import CypherRows, ReadLimits
from workers.core.model import Frozen
from workers.text2cypher.guide import Guide
from workers.text2cypher.write import Tried, Written, write_and_run
from workers.tools.tables import fenced, is_void, row_item, table
from workers.tools.telling import inline
from workers.tools.tool import Tool, ToolPorts, ToolResult

_LIMITS = ReadLimits()
_NAME = "text2cypher"
_NOTHING = "Nothing in the graph fits the statement."


class Text2CypherArguments(Frozen):
    """What to find."""

    question: str = Field(min_length=1, max_length=4000, description="the question, whole and unambiguous")


def text2cypher_tool(guide: Guide | None = None, *, everywhere: bool = False) -> Tool[Text2CypherArguments]:
    """Return the tool.

    Args:
        guide: terminology and examples of the graph.
        everywhere: over hopline's own database, too, where a statement sees what all collections hold.
    """

    def work(arguments: Text2CypherArguments, ports: ToolPorts) -> ToolResult:
        schema = ports.schema_source.schema(internal=True)
        written = write_and_run(
            arguments.question, schema, guide or Guide(), ports.model, ports.reader, _LIMITS
        )
        result = ToolResult(tool=_NAME, arguments=arguments.model_dump())
        if written.rows is None or written.cypher is None:
            note = _given_up(written)
            return result.model_copy(update={"note": note, "markdown": note})
        return _told(result, written.cypher, written.rows)

    return Tool(
        name=_NAME,
        purpose="Whatever the graph itself can tell and no other tool finds: how many, the most, the least, "
        "averages, comparisons, filters by several conditions. A query is written for the question.",
        arguments=Text2CypherArguments,
        work=work,
        barred=_bar_limited if everywhere else _keeps_to_no_collection,
    )


def _bar_limited(ports: ToolPorts) -> str:
    if not ports.limited or not ports.schema_source.schema(internal=True).is_own:
        return ""
    return (
        "text2cypher is not for who may see some collections only: a statement that a model writes keeps to "
        "no collection"
    )


def _keeps_to_no_collection(ports: ToolPorts) -> str:
    if not ports.schema_source.schema(internal=True).is_own:
        return ""
    return (
        "text2cypher is off over hopline's own database: a statement that a model writes keeps to no "
        "collection. HOPLINE_TEXT2CYPHER=on lets it run, where all who ask may see all collections"
    )


def _given_up(written: Written) -> str:
    if written.lacking:
        return f"The graph was not asked: {inline(written.lacking)}"
    tried: tuple[Tried, ...] = written.tried
    return f"No statement could be run: {len(tried)} were written, and the last was refused: " + inline(
        tried[-1].error
    )


def _told(result: ToolResult, cypher: str, rows: CypherRows) -> ToolResult:
    found = not all(is_void(value) for row in rows.rows for value in row)
    note = "" if found else _NOTHING
    if rows.cut:
        most = _LIMITS.rows if rows.cut == "rows" else _LIMITS.bytes
        note = f"{note} There may be more: the answer was cut at {most:,} {rows.cut}.".strip()
    parts = [*(["### Found in the graph", table(rows)] if found else []), *([note] if note else [])]
    return result.model_copy(
        update={
            "columns": rows.columns,
            "items": tuple(row_item(rows.columns, row) for row in rows.rows) if found else (),
            "cypher": cypher,
            "cut": rows.cut,
            "note": note,
            "markdown": "\n\n".join([*parts, fenced(cypher)]),
        }
    )


TEXT2CYPHER = text2cypher_tool()
