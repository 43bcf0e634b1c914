"""lookup_knowledge: an entity's own properties and direct relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, zip_longest

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.tools import Candidate, ToolItem, ToolResult
from workers.tools.arguments import Limit, Name
from workers.tools.lines import (
    arrow,
    came_from,
    first_of,
    format_properties,
    inline,
    kind_of,
    name_of,
    named,
    sentence,
)
from workers.tools.names import resolve, taken_for
from workers.tools.queries import Ran, Row, run_query
from workers.tools.relations import Relation, known_relation, relations_of
from workers.tools.texts import joined, say, say_many
from workers.tools.tool import Tool, ToolPorts

_NAMES = ("name", "title", "alias", "aliases", "id")  # shown in the heading
_DESCRIBED_BY = ("description", "summary", "tagline")  # the first one present is shown as a sentence
_COLUMNS = ("relation", "outgoing", "target", "kind", "description", "properties")


class LookupArguments(Frozen):
    """Whose relations, and which of them."""

    entity: Name = Field(description="name or alias of the entity")
    relation: Name | None = Field(default=None, description="only this relationship type of the schema")
    limit: Limit = Field(default=20, description="relations at most")


def _look_up(arguments: LookupArguments, ports: ToolPorts) -> ToolResult:
    relation_type = known_relation(arguments.relation, ports) if arguments.relation else None
    name = resolve(arguments.entity, ports)
    result = ToolResult(
        tool=LOOKUP_KNOWLEDGE.name,
        arguments=arguments.model_dump(exclude_none=True),
        columns=_COLUMNS,
        note=name.note,
        taken=taken_for(name),
        candidates=name.others,
    )
    if name.chosen is None:
        return result.model_copy(update={"markdown": name.note})
    own = run_query("entity", ports, node=name.chosen.id).rows
    about = _about(own[0]["told"]) if own else ""
    relations, ran = relations_of(name.chosen, ports, relation_type)
    shown = _of_every_type(relations)[: arguments.limit]
    notes = [name.note, _how_many(relations, shown, ran, relation_type)]
    note = joined(*notes)
    return result.model_copy(
        update={
            "items": (
                *_itself(name.chosen, own, about),
                *(_item(name.chosen, relation) for relation in shown),
            ),
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "note": note,
            "cut": "rows" if len(shown) < len(relations) else ran.cut,
            "markdown": _markdown(name.chosen, about, shown, note, total=0 if ran.cut else len(relations)),
        }
    )


def _of_every_type(relations: Iterable[Relation]) -> list[Relation]:
    """Order relations so that the first few show every type: a hub has a hundred of one."""
    by_type: dict[str, list[Relation]] = defaultdict(list)
    for relation in sorted(relations, key=lambda relation: relation.place_in_time):
        by_type[relation.type].append(relation)
    rounds = zip_longest(*(by_type[kind] for kind in sorted(by_type)))
    return [relation for relation in chain.from_iterable(rounds) if relation is not None]


def _how_many(relations: list[Relation], shown: list[Relation], ran: Ran, relation_type: str | None) -> str:
    if not relations:
        return (
            say("lookup.no_relation", relation=relation_type) if relation_type else say("lookup.no_relations")
        )
    if len(shown) == len(relations) and not ran.cut:
        return ""
    return say("lookup.shown_more" if ran.cut else "lookup.shown", shown=len(shown), count=len(relations))


def _about(properties: Json) -> str:
    described = first_of(_DESCRIBED_BY, properties)
    return " · ".join(
        filter(None, (inline(described), format_properties(properties, (*_NAMES, *_DESCRIBED_BY))))
    )


def _itself(node: Candidate, own: tuple[Row, ...], about: str) -> list[ToolItem]:
    """Return the entity's own properties as an item; its relation is none."""
    if not about:
        return []
    kind, properties = kind_of({"labels": node.labels}), own[0]["told"]
    values = (None, None, node.name, kind, properties.get("description"), properties)
    return [ToolItem(text=f"{node.shown}: {about}", values=values, nodes=(node.id,), **came_from(properties))]


def _item(node: Candidate, relation: Relation) -> ToolItem:
    more = format_properties(relation.properties)
    text = sentence(node.name, relation.type, named(relation.other), outgoing=relation.outgoing)
    return ToolItem(
        text=f"{text} ({more})" if more else text,
        values=(
            relation.type,
            relation.outgoing,
            name_of(relation.other),
            kind_of(relation.other),
            relation.other.get("description"),
            relation.properties,
        ),
        nodes=(node.id, relation.other["id"]),
        relationships=(relation.id,),
        **came_from(relation.properties),
    )


def _markdown(node: Candidate, about: str, shown: list[Relation], note: str, *, total: int) -> str:
    parts = [f"### {inline(node.shown)}"]
    others = sorted((alias for alias in node.aliases if alias != node.name), key=str.casefold)
    known_as = say("mark.list").join(
        map(inline, others)
    )  # kept in the order in which documents came, which is any
    parts += [say("lookup.also", names=known_as) if known_as else "", about]
    parts += [say_many("lookup.total", total)] if total else []
    lines = []
    for relation in sorted(
        shown, key=lambda relation: (relation.type, not relation.outgoing, relation.place_in_time)
    ):
        described = inline(relation.other.get("description"))
        more = format_properties(relation.properties)
        line = f"- {arrow(relation.type, outgoing=relation.outgoing)} {named(relation.other, bold=True)}"
        lines.append(line + (f": {described}" if described else "") + (f" · {more}" if more else ""))
    return "\n\n".join(filter(None, (*parts, "\n".join(lines), note)))


LOOKUP_KNOWLEDGE = Tool(
    name="lookup_knowledge",
    purpose="What the graph holds directly of an entity: its relations in both directions, what stands at "
    "their other ends, and their properties. For: who or what is X, whom does X know, what belongs to X.",
    arguments=LookupArguments,
    work=_look_up,
)
