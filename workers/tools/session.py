"""Offers tools to a model, checks and runs its calls, and turns the results into citable facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import orjson

from hopline.errors import InvalidInput
from hopline.models.graph_schema import GraphSchema
from hopline.models.jobs import Json
from hopline.models.search import Found
from hopline.models.tools import ToolItem, ToolResult
from workers.core.answers.evidence import packed
from workers.core.graph.cypher import Value
from workers.core.graph.schema_part import schema_about
from workers.core.models.tool_calls import ToolCall
from workers.core.models.tools import FoundBy, ToolAnswer, ToolFact
from workers.tools.builtin.find_connection import FIND_CONNECTION
from workers.tools.builtin.get_character_events import GET_CHARACTER_EVENTS
from workers.tools.builtin.lookup_knowledge import LOOKUP_KNOWLEDGE
from workers.tools.builtin.track_journey import TRACK_JOURNEY
from workers.tools.grounds import grounds, words_of
from workers.tools.tables import cell
from workers.tools.texts import language_of, say, speaking
from workers.tools.tool import ToolPorts
from workers.tools.toolbox import Toolbox

_FACTS = 50  # of one call
_FEW = 5  # facts of an exact look-up; of more, critics tell those that help
_SAID = 20  # of one search of the documents, best first: every fact costs a critic
_TEXT = 1500  # characters of a fact
_MARKDOWN = 6000  # characters that a model sees of a result
_SCHEMA = 12_000  # characters that a model sees of a schema
_FACTS_BYTES = 150_000  # of one call's facts as JSON: less than an item's result may have, with the rest
_ROW = 600  # bytes of a row's values as JSON; of a longer one so many columns, each in so many characters:
_COLUMNS = 8
_CELL = 60
_NAME = 40  # of a column's name, then
_PLACES = 50  # nodes, and relationships, of one fact
_PARAMETERS = 2000  # bytes; longer ones are left out
_CYPHER = 16_000  # characters that are kept; one that was kept to a collection is longer than as written
_SENTENCES = frozenset(
    tool.work for tool in (LOOKUP_KNOWLEDGE, FIND_CONNECTION, TRACK_JOURNEY, GET_CHARACTER_EVENTS)
)  # their items read alone; rows of other tools are told with the question
_ASKED = frozenset(("question", "limit", "answer"))  # arguments of tools that a question alone is given to


class GraphTools:
    """The tools over one collection's graph; see `workers.core.models.tools.Tools`.

    Args:
        make: returns all configured tools and what they use: the graph, and a model whose calls are booked on
            the job. It is called on first use, because every step has tools but few use them.
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
        return self._toolbox.over(self._ports).descriptions(self._ports)

    def schema(self, about: str = "") -> str:
        """Return the schema without internal parts; for hopline's own graph, that of the collection."""
        return schema_about(self._schema(), about, _SCHEMA)

    def _schema(self) -> GraphSchema:
        ports = self._ports
        if ports.is_own:
            own = ports.schema_source.of_collection(ports.collection)
            if own.nodes or ports.limited:
                return own
        return ports.schema_source.schema()

    def fault(self, call: ToolCall) -> str | None:
        """Return why a call cannot be run."""
        offered = self._toolbox.over(self._ports)
        try:
            offered[call.name].parse(call.arguments)
        except InvalidInput as error:
            return error.for_model
        return None

    def run(self, call: ToolCall, question: str) -> ToolAnswer:
        """Do a call; see `Tool.run`."""
        language = language_of(question)
        with speaking(language):
            return self._answered(call, question, replace(self._ports, language=language))

    def _answered(self, call: ToolCall, question: str, ports: ToolPorts) -> ToolAnswer:
        result = self._toolbox.run(call.name, call.arguments, ports)
        facts = list(self._facts(call, result, question))
        kept, _over = packed(facts[:_FACTS], lambda fact: len(fact.model_dump_json()), _FACTS_BYTES)
        return ToolAnswer(
            by=FoundBy(
                tool=call.name,
                arguments=call.arguments,
                cypher=result.cypher[:_CYPHER] if result.cypher else None,
                parameters=result.parameters if _size(result.parameters) <= _PARAMETERS else {},
                words=_words(result),
            ),
            facts=tuple(kept),
            left_out=len(facts) - len(kept),
            markdown=result.markdown[:_MARKDOWN],
            note=result.note[:_TEXT],
            exact=len(facts) <= _FEW and self._is_look_up(call, result),
        )

    def _is_look_up(self, call: ToolCall, result: ToolResult) -> bool:
        """Return whether a call was an exact look-up: one relation of a node, or a pack's template.

        Each name must mean exactly one node, and the result must be complete. Model-written statements,
        searches, and look-ups of everything about a node do not count.
        """
        if not result.items or result.candidates or result.cut or result.note:
            return False  # a note says that a name was taken for something, or that there is more
        work = self._toolbox[call.name].work
        if work is LOOKUP_KNOWLEDGE.work:
            return "relation" in result.arguments
        return work not in _SENTENCES and bool(result.named)

    def _facts(self, call: ToolCall, result: ToolResult, question: str) -> list[ToolFact]:
        work = self._toolbox[call.name].work
        if result.found is not None:
            return _as_tool_facts(result.found)
        if work not in _SENTENCES:
            return [_row_fact(item, result, question) for item in result.items]
        facts = [_sentence_fact(item, result) for item in result.items]
        if work is FIND_CONNECTION.work and not facts and result.cypher:
            return [ToolFact(text=result.note[:_TEXT], said=result.note[:_TEXT], row={"hops": []})]
        if work is FIND_CONNECTION.work and len(facts) > 1 and all(fact.relationships for fact in facts):
            return [_path(facts), *(hop for hop in facts if hop.fact_id)]
        return facts


def _row_fact(item: ToolItem, result: ToolResult, question: str) -> ToolFact:
    """Return a row of a table as a fact, with its question, because a row alone means nothing."""
    written = set(result.arguments) <= _ASKED  # a model wrote the statement for the question
    ground = grounds(item.values, result.cypher or "") if written else item.text
    return _fact(item, result.columns, f"{question} {item.text}", ground)


def _sentence_fact(item: ToolItem, result: ToolResult) -> ToolFact:
    """Return a sentence as a fact, with the entity that the requested name means there."""
    taken = ((alias, name) for alias, name in result.taken.items() if alias not in item.text)
    also = [say("connection.is", asked=alias, name=name) for alias, name in taken]
    text = say("mark.parts").join([item.text, *also])
    return _fact(item, result.columns, text, text)


def _fact(item: ToolItem, columns: tuple[str, ...], text: str, ground: str) -> ToolFact:
    return ToolFact(
        text=text[:_TEXT],
        said=ground[:_TEXT],
        row=_row(columns, item.values),
        nodes=item.nodes[:_PLACES],
        relationships=item.relationships[:_PLACES],
        fact_id=item.fact_id,
        chunk_id=item.chunk_id,
    )


def _path(hops: list[ToolFact]) -> ToolFact:
    """Return a path as one fact, because none of its hops alone shows how two things are connected."""
    listed = say("mark.parts").join(hop.text for hop in hops)
    text = say("connection.path", count=len(hops), hops=listed)[:_TEXT]
    return ToolFact(
        text=text,
        said=text,
        row={"hops": [hop.text[:_CELL] for hop in hops]},
        nodes=tuple(dict.fromkeys(node for hop in hops for node in hop.nodes)),
        relationships=tuple(relationship for hop in hops for relationship in hop.relationships),
    )


def _row(columns: tuple[str, ...], values: tuple[Value, ...]) -> Json:
    """Return value by column; of a long row the first columns, each in a few words."""
    row = dict(zip(columns, values, strict=True)) if len(columns) == len(values) else {}
    if _size(row) <= _ROW:
        return row
    return {name[:_NAME]: cell(value)[:_CELL] for name, value in list(row.items())[:_COLUMNS]}


def _size(value: Any) -> int:
    return len(orjson.dumps(value, default=str))


def _as_tool_facts(search_result: Found) -> list[ToolFact]:
    """Return passages of documents as atomic facts."""
    titles = {passage.chunk.id: passage.document.title for passage in search_result.chunks}
    return [
        ToolFact(text=fact.text, fact_id=fact.id, chunk_id=fact.chunk_id, title=titles[fact.chunk_id])
        for fact in search_result.facts
        if fact.chunk_id in titles
    ][:_SAID]


def _words(result: ToolResult) -> str:
    """Return how a call found its rows: a statement's literals, or the nodes that names mean."""
    if set(result.arguments) <= _ASKED:
        return words_of(result.cypher)[:_TEXT] if result.cypher else ""
    return " ".join(result.named)[:_TEXT]
