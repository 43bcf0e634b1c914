"""find_connection: how two entities are connected, by typed relations or else by shared facts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.tools import Candidate, ToolItem, ToolResult
from workers.tools.arguments import Name, Names
from workers.tools.lines import came_from, format_properties, inline, name_of, named, sentence
from workers.tools.names import Resolved, resolve, taken_for
from workers.tools.queries import Row, run_query
from workers.tools.texts import joined, say, say_many
from workers.tools.tool import Tool, ToolPorts

_COLUMNS = ("source", "relation", "target", "properties")
_MOST_HOPS = 6  # as in connection.cypher
_SCANNED = 1000  # facts of either end that are looked at
_SHARED = 5  # facts, or pairs of facts, that are shown


class ConnectionArguments(Frozen):
    """Between which two, and how."""

    entity1: Name = Field(description="name or alias of one entity")
    entity2: Name = Field(description="name or alias of the other")
    max_hops: Annotated[int, Field(ge=1, le=_MOST_HOPS)] = Field(
        default=4, description="relations between the two at most"
    )
    exclude: Names = Field(
        default=("Region", "Nation"), description="labels of nodes that the path must not lead through"
    )


def _find(arguments: ConnectionArguments, ports: ToolPorts) -> ToolResult:
    entity, other = (resolve(name, ports) for name in (arguments.entity1, arguments.entity2))
    note = joined(entity.note, other.note)
    result = ToolResult(
        tool=FIND_CONNECTION.name,
        arguments=arguments.model_dump(mode="json"),
        columns=_COLUMNS,
        note=note,
        markdown=note,
        taken=taken_for(entity, other),
        candidates=(*entity.others, *other.others),
    )
    if entity.chosen is None or other.chosen is None:
        return result
    if entity.chosen.id == other.chosen.id:
        note = joined(note, say("connection.same", name=entity.chosen.shown))
        return result.model_copy(update={"note": note, "markdown": note})
    return _connected(arguments, (entity, other), ports, result)


def _connected(
    arguments: ConnectionArguments, ends: tuple[Resolved, Resolved], ports: ToolPorts, result: ToolResult
) -> ToolResult:
    node, other = (end.chosen for end in ends)
    if node is None or other is None:
        return result
    ran = run_query(
        "connection",
        ports,
        one=node.id,
        other=other.id,
        max_hops=arguments.max_hops,
        excluded=list(arguments.exclude),
    )
    result = result.model_copy(update={"cypher": ran.cypher, "parameters": ran.parameters})
    if not ran.rows:
        return _by_facts(arguments, (node, other), ports, result)
    steps, hops = ran.rows[0]["steps"], ran.rows[0]["hops"]
    items = tuple(_item(steps[nth], hop, steps[nth + 1]) for nth, hop in enumerate(hops))
    markdown = _markdown(steps, hops, items, result.note)
    return result.model_copy(update={"items": items, "markdown": markdown})


def _by_facts(
    arguments: ConnectionArguments, ends: tuple[Candidate, Candidate], ports: ToolPorts, result: ToolResult
) -> ToolResult:
    """Return the facts that join two things no typed relations join.

    An empty result means something only for nodes with relations: without any, nothing was searched, and the
    result is not evidence.
    """
    node, other = ends
    shared = _shared_facts(ends, ports) if ports.is_own else ()
    alone = run_query("without_relations", ports, one=node.id, other=other.id).rows
    if len(alone) < len(ends):
        labels = say("connection.or").join(arguments.exclude)
        without = say("connection.without", labels=labels) if labels else ""
        ends_shown = {"one": node.shown, "other": other.shown}
        none = say("connection.none", **ends_shown, hops=arguments.max_hops, without=without)
    else:
        none = say("connection.no_relations", one=node.shown, other=other.shown)
        if ports.is_own and not shared:
            none = joined(none, say("connection.no_facts"))
        result = result.model_copy(update={"cypher": None, "parameters": {}})
    if not shared:
        note = joined(result.note, none)
        return result.model_copy(update={"note": note, "markdown": note})
    note = joined(result.note, none, say("connection.facts_join"))
    listed = [f"- {inline(item.text)}" for item in shared]
    head = say_many("connection.facts", len(shared), one=node.name, other=other.name)
    markdown = "\n".join([head, "", *listed, "", note])
    return result.model_copy(update={"columns": (), "items": shared, "note": note, "markdown": markdown})


def _shared_facts(ends: tuple[Candidate, Candidate], ports: ToolPorts) -> tuple[ToolItem, ...]:
    node, other = ends
    ran = run_query("shared_facts", ports, one=node.id, other=other.id, scanned=_SCANNED, limit=_SHARED)
    return tuple(
        ToolItem(text=row["fact"], values=(), fact_id=row["fact_id"], chunk_id=row["chunk"])
        for row in ran.rows
    )


def _item(before: Row, hop: Json, after: Row) -> ToolItem:
    outgoing = hop["start"] == before["id"]
    source, target = (before, after) if outgoing else (after, before)
    more = format_properties(hop["told"])
    text = sentence(named(before), hop["type"], named(after), outgoing=outgoing)
    return ToolItem(
        text=f"{text} ({more})" if more else text,
        values=(name_of(source), hop["type"], name_of(target), hop["told"]),
        nodes=(source["id"], target["id"]),
        relationships=(hop["id"],),
        **came_from(hop["told"]),
    )


def _markdown(steps: list[Row], hops: list[Json], items: tuple[ToolItem, ...], note: str) -> str:
    chain = f"**{name_of(steps[0])}**"
    for nth, hop in enumerate(hops):
        kind, name = inline(hop["type"]), name_of(steps[nth + 1])
        outgoing = hop["start"] == steps[nth]["id"]
        chain += f" —{kind}→ **{name}**" if outgoing else f" ←{kind}— **{name}**"
    head = say_many("connection.hops", len(hops), one=name_of(steps[0]), other=name_of(steps[-1]))
    listed = [f"{nth}. {inline(item.text)}" for nth, item in enumerate(items, start=1)]
    return "\n".join([head, "", chain, "", *listed, *(["", note] if note else [])])


FIND_CONNECTION = Tool(
    name="find_connection",
    purpose="How two entities hang together: the shortest path of relations, or that there is none. "
    "For: what connects X and Y, how does X know Y.",
    arguments=ConnectionArguments,
    work=_find,
)
