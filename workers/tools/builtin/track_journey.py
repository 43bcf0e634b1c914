"""track_journey: what happens between an entity and others, in the order of the story or of time."""

from __future__ import annotations

from itertools import groupby

from pydantic import Field

from workers.core.records import Frozen
from workers.tools.arguments import Chapters, Limit, Name, in_chapters
from workers.tools.lines import (
    CHAPTER,
    DATE,
    EVIDENCE,
    TASK,
    arrow,
    came_from,
    chapter_name,
    inline,
    kind_of,
    name_of,
    named,
    sentence,
    told,
)
from workers.tools.names import resolve, taken_for
from workers.tools.queries import Ran
from workers.tools.relations import Relation, relations_of
from workers.tools.texts import joined, say, say_many
from workers.tools.tool import Candidate, Tool, ToolItem, ToolPorts, ToolResult

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
    found, ran = relations_of(name.chosen, ports, target=to.id if to else None)
    timed = sorted((one for one in found if _has_time(one)), key=lambda one: one.place_in_time)
    wanted = [one for one in timed if in_chapters(one.chapter, arguments.chapter)]
    shown = wanted[: arguments.limit]
    others = len(timed) - len(wanted)
    elsewhere = say_many("chapter.left_out", others) if others else ""
    note = joined(note, _shown(len(shown), len(wanted), ran), _left_out(found, timed), elsewhere)
    return result.model_copy(
        update={
            "items": tuple(_item(name.chosen, one) for one in shown),
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "note": note,
            "cut": "rows" if len(shown) < len(wanted) else ran.cut,
            "markdown": _markdown(name.chosen, to, shown, note),
        }
    )


def _has_time(one: Relation) -> bool:
    return any(when is not None for when in (one.chapter, one.task, one.date))


def _shown(shown: int, count: int, ran: Ran) -> str:
    if shown == count and not ran.cut:
        return ""
    return (
        say("journey.shown_more" if ran.cut else "journey.shown", shown=shown, count=count) if count else ""
    )


def _left_out(found: list[Relation], timed: list[Relation]) -> str:
    """Return how many relations say nothing of when they are so."""
    none = "" if timed else say("journey.no_time") if found else say("journey.nothing")
    untimed = len(found) - len(timed)
    return joined(none, say_many("journey.untimed", untimed) if untimed else "")


def _item(node: Candidate, one: Relation) -> ToolItem:
    when = _when(one)
    text = sentence(node.name, one.type, named(one.other), outgoing=one.outgoing)
    return ToolItem(
        text=(f"{when[:1].upper()}{when[1:]}{say('mark.colon')}{text}" if when else text) + _quote(one),
        values=(
            one.chapter,
            one.task,
            one.date,
            one.type,
            one.outgoing,
            name_of(one.other),
            kind_of(one.other),
            one.evidence,
        ),
        nodes=(node.id, one.other["id"]),
        relationships=(one.id,),
        **came_from(one.properties),
    )


def _quote(one: Relation) -> str:
    return f"{say('mark.colon')}“{inline(one.evidence)}”" if one.evidence else ""


def _when(one: Relation) -> str:
    parts = (
        chapter_name(one.chapter) if one.chapter is not None else "",
        inline(one.told_task),
        inline(one.date),
    )
    return say("mark.list").join(part for part in parts if part)


def _markdown(node: Candidate, to: Candidate | None, shown: list[Relation], note: str) -> str:
    if not shown:
        return note
    names = {"name": inline(node.name), "other": inline(to.name) if to else ""}
    lines = [say("journey.heading_with" if to else "journey.heading", **names)]
    only_dates = all(one.chapter is None for one in shown)
    for chapter, some in groupby(shown, key=lambda one: one.chapter):
        lines += ["", *([] if only_dates else [f"**{chapter_name(chapter)}**", ""])]
        lines += [_line(one) for one in some]
    return "\n".join([*lines, *(["", note] if note else []), "", say("memory.hint")])


def _line(one: Relation) -> str:
    when = say("mark.list").join(part for part in (inline(one.told_task), inline(one.date)) if part)
    more = told(one.properties, (*CHAPTER, *TASK, *DATE, *EVIDENCE))
    line = f"{arrow(one.type, outgoing=one.outgoing)} {named(one.other, bold=True)}"
    head = f"- {when} · {line}" if when else f"- {line}"
    return head + (say("events.bracket", inside=more) if more else "") + _quote(one)


TRACK_JOURNEY = Tool(
    name="track_journey",
    purpose="An entity's relations over time, by chapter and task or by date, with their evidence. "
    "For: how does X develop, how does X come to Y, how do X and Y stand to one another over time.",
    arguments=JourneyArguments,
    work=_track,
)
