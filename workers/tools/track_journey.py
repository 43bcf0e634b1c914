"""track_journey: what happens between an entity and others, in the order of the story or of time."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from pydantic import Field

from workers.core.model import Frozen
from workers.tools.arguments import Limit, Name
from workers.tools.names import resolve, taken_for
from workers.tools.queries import Ran
from workers.tools.relating import Relation, relations_of
from workers.tools.telling import (
    CHAPTER,
    DATE,
    DETAILS,
    EVIDENCE,
    TASK,
    arrow,
    came_from,
    inline,
    kind_of,
    name_of,
    named,
    sentence,
    told,
)
from workers.tools.tool import Candidate, Tool, ToolItem, ToolPorts, ToolResult

_COLUMNS = ("chapter", "task", "date", "relation", "outgoing", "target", "kind", "evidence")


class JourneyArguments(Frozen):
    """Whose journey."""

    entity: Name = Field(description="name or alias of the entity")
    target: Name | None = Field(default=None, description="only what concerns this other entity")
    limit: Limit = Field(default=100, description="stations at most")


def _track(arguments: JourneyArguments, ports: ToolPorts) -> ToolResult:
    name = resolve(arguments.entity, ports)
    target = resolve(arguments.target, ports) if arguments.target else None
    note = " ".join(filter(None, (name.note, target.note if target else "")))
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
    shown = timed[: arguments.limit]
    note = " ".join(filter(None, (note, _left_out(found, timed, shown, ran))))
    return result.model_copy(
        update={
            "items": tuple(_item(name.chosen, one) for one in shown),
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "note": note,
            "cut": "rows" if len(shown) < len(timed) else ran.cut,
            "markdown": _markdown(name.chosen, to, shown, note),
        }
    )


def _has_time(one: Relation) -> bool:
    return any(when is not None for when in (one.chapter, one.task, one.date))


def _left_out(found: list[Relation], timed: list[Relation], shown: list[Relation], ran: Ran) -> str:
    notes = []
    if not timed:
        notes.append("No relation here says when it is so." if found else "There are no relations here.")
    elif len(shown) < len(timed) or ran.cut:
        notes.append(f"The first {len(shown)} of {'more than ' if ran.cut else ''}{len(timed)} are shown.")
    untimed = len(found) - len(timed)
    if untimed:
        many = "1 relation" if untimed == 1 else f"{untimed} relations"
        notes.append(f"{many} without a chapter or date: lookup_knowledge shows them.")
    return " ".join(notes)


def _item(node: Candidate, one: Relation) -> ToolItem:
    when = _when(one)
    text = sentence(node.name, one.type, named(one.other), outgoing=one.outgoing)
    said = f": “{inline(one.evidence)}”" if one.evidence else ""
    return ToolItem(
        text=(f"{when[:1].upper()}{when[1:]}: {text}" if when else text) + said,
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


def _when(one: Relation) -> str:
    parts = (
        chapter_name(one.chapter) if one.chapter is not None else "",
        inline(one.told_task),
        inline(one.date),
    )
    return ", ".join(part for part in parts if part)


def chapter_name(chapter: Any) -> str:
    """Return how a chapter is headed: a number alone gets the word."""
    if chapter is None:
        return "Without a chapter"
    shown = inline(chapter)
    return f"Chapter {shown}" if shown[:1].isdigit() else shown


def _markdown(node: Candidate, to: Candidate | None, shown: list[Relation], note: str) -> str:
    head = f"### The journey of {inline(node.name)}" + (f" with {inline(to.name)}" if to else "")
    if not shown:
        return note
    lines = [head]
    only_dates = all(one.chapter is None for one in shown)
    for chapter, some in groupby(shown, key=lambda one: one.chapter):
        lines += ["", *([] if only_dates else [f"**{chapter_name(chapter)}**", ""])]
        lines += [_line(one) for one in some]
    return "\n".join([*lines, *(["", note] if note else []), "", DETAILS])


def _line(one: Relation) -> str:
    when = ", ".join(part for part in (inline(one.told_task), inline(one.date)) if part)
    more = told(one.properties, (*CHAPTER, *TASK, *DATE, *EVIDENCE))
    said = f": “{inline(one.evidence)}”" if one.evidence else ""
    line = f"{arrow(one.type, outgoing=one.outgoing)} {named(one.other, bold=True)}"
    head = f"- {when} · {line}" if when else f"- {line}"
    return head + (f" ({more})" if more else "") + said


TRACK_JOURNEY = Tool(
    name="track_journey",
    purpose="An entity's relations over time, by chapter and task or by date, with their evidence. "
    "For: how does X develop, how does X come to Y, how do X and Y stand to one another over time.",
    arguments=JourneyArguments,
    work=_track,
)
