"""track_journey: what happens between an entity and others, in the order of the story or of time."""

from __future__ import annotations

from itertools import groupby

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.tools import Candidate, ToolItem, ToolResult
from workers.tools.arguments import Chapters, Limit, Name, in_chapters
from workers.tools.lines import (
    CHAPTER,
    DATE,
    EVIDENCE,
    TASK,
    arrow,
    came_from,
    chapter_name,
    format_properties,
    inline,
    kind_of,
    name_of,
    named,
    sentence,
)
from workers.tools.names import resolve, taken_for
from workers.tools.queries import Ran
from workers.tools.relations import Relation, relations_of
from workers.tools.texts import joined, say, say_many
from workers.tools.tool import Tool, ToolPorts

_COLUMNS = ("chapter", "task", "date", "relation", "outgoing", "target", "kind", "evidence")


class JourneyArguments(Frozen):
    """Whose journey."""

    entity: Name = Field(description="name or alias of the entity")
    target: Name | None = Field(default=None, description="only what concerns this other entity")
    chapter: Chapters | None = Field(
        default=None, description="only this chapter, or these: 3, 3-5, or a heading"
    )
    limit: Limit = Field(default=100, description="stations at most")


def _track(arguments: JourneyArguments, ports: ToolPorts) -> ToolResult:
    name = resolve(arguments.entity, ports)
    target = resolve(arguments.target, ports) if arguments.target else None
    note = joined(name.note, target.note if target else "")
    result = ToolResult(
        tool=TRACK_JOURNEY.name,
        arguments=arguments.model_dump(exclude_none=True),
        columns=_COLUMNS,
        note=note,
        markdown=note,
        taken=taken_for(name, target),
        candidates=(*name.others, *(target.others if target else ())),
    )
    if name.chosen is None or (target is not None and target.chosen is None):
        return result
    to = target.chosen if target else None
    relations, ran = relations_of(name.chosen, ports, target=to.id if to else None)
    timed = sorted(
        (relation for relation in relations if _has_time(relation)),
        key=lambda relation: relation.place_in_time,
    )
    wanted = [relation for relation in timed if in_chapters(relation.chapter, arguments.chapter)]
    shown = wanted[: arguments.limit]
    others = len(timed) - len(wanted)
    elsewhere = say_many("chapter.left_out", others) if others else ""
    note = joined(note, _shown(len(shown), len(wanted), ran), _left_out(relations, timed), elsewhere)
    return result.model_copy(
        update={
            "items": tuple(_item(name.chosen, relation) for relation in shown),
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "note": note,
            "cut": "rows" if len(shown) < len(wanted) else ran.cut,
            "markdown": _markdown(name.chosen, to, shown, note, total=0 if ran.cut else len(wanted)),
        }
    )


def _has_time(relation: Relation) -> bool:
    return any(when is not None for when in (relation.chapter, relation.task, relation.date))


def _shown(shown: int, count: int, ran: Ran) -> str:
    if shown == count and not ran.cut:
        return ""
    return (
        say("journey.shown_more" if ran.cut else "journey.shown", shown=shown, count=count) if count else ""
    )


def _left_out(relations: list[Relation], timed: list[Relation]) -> str:
    """Return how many relations say nothing of when they are so."""
    none = "" if timed else say("journey.no_time") if relations else say("journey.nothing")
    untimed = len(relations) - len(timed)
    return joined(none, say_many("journey.untimed", untimed) if untimed else "")


def _item(node: Candidate, relation: Relation) -> ToolItem:
    when = _when(relation)
    text = sentence(node.name, relation.type, named(relation.other), outgoing=relation.outgoing)
    return ToolItem(
        text=(f"{when[:1].upper()}{when[1:]}{say('mark.colon')}{text}" if when else text) + _quote(relation),
        values=(
            relation.chapter,
            relation.task,
            relation.date,
            relation.type,
            relation.outgoing,
            name_of(relation.other),
            kind_of(relation.other),
            relation.evidence,
        ),
        nodes=(node.id, relation.other["id"]),
        relationships=(relation.id,),
        **came_from(relation.properties),
    )


def _quote(relation: Relation) -> str:
    return f"{say('mark.colon')}“{inline(relation.evidence)}”" if relation.evidence else ""


def _when(relation: Relation) -> str:
    parts = (
        chapter_name(relation.chapter) if relation.chapter is not None else "",
        inline(relation.readable_task),
        inline(relation.date),
    )
    return say("mark.list").join(part for part in parts if part)


def _markdown(node: Candidate, to: Candidate | None, shown: list[Relation], note: str, *, total: int) -> str:
    if not shown:
        return note
    names = {"name": inline(node.name), "other": inline(to.name) if to else ""}
    lines = [say("journey.heading_with" if to else "journey.heading", **names)]
    lines += ["", say_many("journey.total", total)] if total else []
    only_dates = all(relation.chapter is None for relation in shown)
    for chapter, some in groupby(shown, key=lambda relation: relation.chapter):
        lines += ["", *([] if only_dates else [f"**{chapter_name(chapter)}**", ""])]
        lines += [_line(relation) for relation in some]
    return "\n".join([*lines, *(["", note] if note else []), "", say("memory.hint")])


def _line(relation: Relation) -> str:
    when = say("mark.list").join(
        part for part in (inline(relation.readable_task), inline(relation.date)) if part
    )
    more = format_properties(relation.properties, (*CHAPTER, *TASK, *DATE, *EVIDENCE))
    line = f"{arrow(relation.type, outgoing=relation.outgoing)} {named(relation.other, bold=True)}"
    head = f"- {when} · {line}" if when else f"- {line}"
    return head + (say("events.bracket", inside=more) if more else "") + _quote(relation)


TRACK_JOURNEY = Tool(
    name="track_journey",
    purpose="An entity's relations over time, by chapter and task or by date, with their evidence. "
    "For: how does X develop, how does X come to Y, how do X and Y stand to one another over time.",
    arguments=JourneyArguments,
    work=_track,
)
