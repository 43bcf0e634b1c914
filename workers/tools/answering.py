"""Tools as a job's steps use them: offered to a model, checked, run, and told as facts with their places."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import orjson

from workers.core.cypher import Value
from workers.core.errors import CypherRefused, InvalidInput
from workers.core.tool_calls import ToolCall
from workers.core.tools import FoundBy, ToolAnswer, ToolFact
from workers.core.work import Json
from workers.search.found import Found
from workers.text2cypher.lexer import lex, significant
from workers.tools.find_connection import FIND_CONNECTION
from workers.tools.get_character_events import GET_CHARACTER_EVENTS
from workers.tools.lookup_knowledge import LOOKUP_KNOWLEDGE
from workers.tools.tables import cell
from workers.tools.tool import ToolItem, ToolPorts, ToolResult
from workers.tools.toolbox import Toolbox
from workers.tools.track_journey import TRACK_JOURNEY

_FACTS = 50  # of one call
_TEXT = 1500  # characters of a fact
_MARKDOWN = 6000  # characters that a model sees of a result
_SCHEMA = 12_000  # characters that a model sees of a schema
_ROW = 2000  # bytes of a row's values as JSON; of a longer one each value is told in so many characters:
_CELL = 200
_CYPHER = 4000  # characters that are kept; what the guard lets through is shorter
_SENTENCES = frozenset(
    tool.work for tool in (LOOKUP_KNOWLEDGE, FIND_CONNECTION, TRACK_JOURNEY, GET_CHARACTER_EVENTS)
)  # their items read alone; rows of other tools are told with the question
_ASKED = frozenset(("question", "answer"))  # arguments that tell nothing that is known
_AMOUNTS = frozenset(("LIMIT", "SKIP", "OFFSET"))


class GraphTools:
    """The tools over one collection's graph; see `workers.core.tools.Tools`.

    Args:
        make: returns all tools that are set, and what they use: the graph, and a model whose calls are booked
            on the job. It is called at the first use: every step of every job has tools, few use them.
    """

    def __init__(self, make: Callable[[], tuple[Toolbox, ToolPorts]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Toolbox, ToolPorts]:
        return self._make()

    @property
    def _toolbox(self) -> Toolbox:
        return self._made[0]

    @property
    def _ports(self) -> ToolPorts:
        return self._made[1]

    def offered(self) -> list[Json]:
        """Return the descriptions of those that may be used over this graph."""
        return self._toolbox.over(self._ports).descriptions()

    def schema(self) -> str:
        """Return the schema without what hopline keeps for itself."""
        told = self._ports.schema_source.schema().as_text()
        if len(told) <= _SCHEMA:
            return told
        return told[: told.rfind("\n", 0, _SCHEMA)] + "\nThe graph has more than is shown here."

    def fault(self, call: ToolCall) -> str | None:
        """Return why a call cannot be run."""
        offered = self._toolbox.over(self._ports)
        try:
            offered[call.name].parse(call.arguments)
        except InvalidInput as error:
            return str(error)
        return None

    def run(self, call: ToolCall, question: str) -> ToolAnswer:
        """Do a call; see `Tool.run`."""
        result = self._toolbox.run(call.name, call.arguments, self._ports)
        alone = self._toolbox[call.name].work in _SENTENCES
        facts = [_fact(item, result.columns, "" if alone else question) for item in result.items]
        if self._toolbox[call.name].work is FIND_CONNECTION.work and len(facts) > 1:
            facts = [_path(facts), *(hop for hop in facts if hop.fact_id)]
        if result.found is not None:
            facts = _said(result.found)
        return ToolAnswer(
            by=FoundBy(
                tool=call.name,
                arguments=call.arguments,
                cypher=result.cypher[:_CYPHER] if result.cypher else None,
                parameters=result.parameters if _small(result.parameters) else {},
                words=_words(result),
            ),
            facts=tuple(facts[:_FACTS]),
            left_out=max(0, len(facts) - _FACTS),
            markdown=result.markdown[:_MARKDOWN],
            note=result.note,
        )


def _fact(item: ToolItem, columns: tuple[str, ...], question: str) -> ToolFact:
    text = f"{question} {item.text}" if question else item.text
    return ToolFact(
        text=text[:_TEXT],
        row=_row(columns, item.values),
        nodes=item.nodes,
        relationships=item.relationships,
        fact_id=item.fact_id,
        chunk_id=item.chunk_id,
    )


def _path(hops: list[ToolFact]) -> ToolFact:
    """Return a path as one fact: none of its hops answers how two things are connected."""
    return ToolFact(
        text=f"Connected in {len(hops)} hops: {'; '.join(hop.text for hop in hops)}"[:_TEXT],
        row={"hops": [hop.text for hop in hops]},
        nodes=tuple(dict.fromkeys(node for hop in hops for node in hop.nodes)),
        relationships=tuple(one for hop in hops for one in hop.relationships),
    )


def _row(columns: tuple[str, ...], values: tuple[Value, ...]) -> Json:
    row = dict(zip(columns, values, strict=True)) if len(columns) == len(values) else {}
    return row if _small(row) else {name: cell(value)[:_CELL] for name, value in row.items()}


def _small(value: Any) -> bool:
    return len(orjson.dumps(value, default=str)) <= _ROW


def _said(found: Found) -> list[ToolFact]:
    """Return what documents say, as atomic facts."""
    titles = {one.chunk.id: one.document.title for one in found.chunks}
    return [
        ToolFact(text=fact.text, fact_id=fact.id, chunk_id=fact.chunk_id, title=titles[fact.chunk_id])
        for fact in found.facts
        if fact.chunk_id in titles
    ]


def _words(result: ToolResult) -> str:
    """Return names that a call holds; of a statement its literals, but for how many rows it wants."""
    named = result.arguments.items()
    told = [value for name, value in named if name not in _ASKED and isinstance(value, str)]
    if set(result.arguments) <= _ASKED and result.cypher:
        told = _literals(result.cypher)
    return " ".join(told)[:_TEXT]


def _literals(cypher: str) -> list[str]:
    try:
        tokens = significant(lex(cypher))
    except CypherRefused:
        return []  # the server ran it; it is only not told apart here
    return [
        token.text.strip("'\"")
        for before, token in zip([None, *tokens], tokens, strict=False)
        if token.kind in {"string", "number"} and (before is None or before.key not in _AMOUNTS)
    ]
