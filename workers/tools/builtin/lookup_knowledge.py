"""lookup_knowledge: an entity's own properties and direct relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, zip_longest

from pydantic import Field

from workers.core.jobs.work import Json
from workers.core.records import Frozen
from workers.tools.arguments import Limit, Name
from workers.tools.lines import arrow, came_from, first_of, inline, kind_of, name_of, named, sentence, told
from workers.tools.names import resolve, taken_for
from workers.tools.queries import Ran, Row, run_query
from workers.tools.relations import Relation, known_relation, relations_of
from workers.tools.texts import joined, say
from workers.tools.tool import Candidate, Tool, ToolItem, ToolPorts, ToolResult

_NAMES = ("name", "title", "alias", "aliases", "id")  # told in the heading
_DESCRIBED_BY = ("description", "summary", "tagline")  # the first is told as a sentence
_COLUMNS = ("relation", "outgoing", "target", "kind", "description", "properties")


class LookupArguments(Frozen):
    """Whose relations, and which of them."""

    entity: Name = Field(description="name or alias of the entity")
    relation: Name | None = Field(default=None, description="only this relationship type of the schema")
    limit: Limit = Field(default=20, description="relations at most")


def _look_up(arguments: LookupArguments, ports: ToolPorts) -> ToolResult:
    relation = known_relation(arguments.relation, ports) if arguments.relation else None
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
    found, ran = relations_of(name.chosen, ports, relation)
    shown = _of_every_type(found)[: arguments.limit]
    notes = [name.note, _how_many(found, shown, ran, relation)]
    note = joined(*notes)
    return result.model_copy(
        update={
            "items": (*_itself(name.chosen, own, about), *(_item(name.chosen, one) for one in shown)),
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "note": note,
            "cut": "rows" if len(shown) < len(found) else ran.cut,
            "markdown": _markdown(name.chosen, about, shown, note),
        }
    )


def _of_every_type(found: Iterable[Relation]) -> list[Relation]:
    """Order relations so that the first few show every type: a hub has a hundred of one."""
    by_type: dict[str, list[Relation]] = defaultdict(list)
    for one in sorted(found, key=lambda one: one.place_in_time):
        by_type[one.type].append(one)
    rounds = zip_longest(*(by_type[kind] for kind in sorted(by_type)))
    return [one for one in chain.from_iterable(rounds) if one is not None]


def _how_many(found: list[Relation], shown: list[Relation], ran: Ran, relation: str | None) -> str:
    if not found:
        return say("lookup.no_relation", relation=relation) if relation else say("lookup.no_relations")
    if len(shown) == len(found) and not ran.cut:
        return ""
    return say("lookup.shown_more" if ran.cut else "lookup.shown", shown=len(shown), count=len(found))


def _about(properties: Json) -> str:
    described = first_of(_DESCRIBED_BY, properties)
    return " · ".join(filter(None, (inline(described), told(properties, (*_NAMES, *_DESCRIBED_BY)))))


def _itself(node: Candidate, own: tuple[Row, ...], about: str) -> list[ToolItem]:
    """Return the entity's own properties as an item; its relation is none."""
    if not about:
        return []
    kind, properties = kind_of({"labels": node.labels}), own[0]["told"]
    values = (None, None, node.name, kind, properties.get("description"), properties)
    return [ToolItem(text=f"{node.shown}: {about}", values=values, nodes=(node.id,), **came_from(properties))]


def _item(node: Candidate, one: Relation) -> ToolItem:
    more = told(one.properties)
    text = sentence(node.name, one.type, named(one.other), outgoing=one.outgoing)
    return ToolItem(
        text=f"{text} ({more})" if more else text,
        values=(
            one.type,
            one.outgoing,
            name_of(one.other),
            kind_of(one.other),
            one.other.get("description"),
            one.properties,
        ),
        nodes=(node.id, one.other["id"]),
        relationships=(one.id,),
        **came_from(one.properties),
    )


def _markdown(node: Candidate, about: str, shown: list[Relation], note: str) -> str:
    parts = [f"### {inline(node.shown)}"]
    others = sorted((alias for alias in node.aliases if alias != node.name), key=str.casefold)
    known_as = say("mark.list").join(
        map(inline, others)
    )  # kept in the order in which documents came, which is any
    parts += [say("lookup.also", names=known_as) if known_as else "", about]
    lines = []
    for one in sorted(shown, key=lambda one: (one.type, not one.outgoing, one.place_in_time)):
        described = inline(one.other.get("description"))
        more = told(one.properties)
        line = f"- {arrow(one.type, outgoing=one.outgoing)} {named(one.other, bold=True)}"
        lines.append(line + (f": {described}" if described else "") + (f" · {more}" if more else ""))
    return "\n\n".join(filter(None, (*parts, "\n".join(lines), note)))


LOOKUP_KNOWLEDGE = Tool(
    name="lookup_knowledge",
    purpose="What the graph holds directly of an entity: its relations in both directions, what stands at "
    "their other ends, and their properties. For: who or what is X, whom does X know, what belongs to X.",
    arguments=LookupArguments,
    work=_look_up,
)
