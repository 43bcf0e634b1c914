"""get_character_events: the turning points of a story, and who takes part in them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.tools import ToolItem, ToolResult
from workers.tools.arguments import Chapters, Limit, Name, in_chapters
from workers.tools.lines import (
    CHAPTER,
    DATE,
    STATED_AT,
    TASK,
    came_from,
    chapter_name,
    first_of,
    inline,
    name_of,
    natural,
)
from workers.tools.names import Resolved, resolve, taken_for
from workers.tools.queries import SCANNED, Row, run_query
from workers.tools.texts import event_type_name, event_type_of, event_type_spellings, joined, say, say_many
from workers.tools.tool import Tool, ToolPorts

_COLUMNS = ("event", "type", "chapter", "order", "summary", "participants", "evidence")
_LABEL = "MajorEvent"  # as in events.cypher
_MOST_TYPES = 60  # of events, that a model is shown
_LONGEST_TYPE = 60  # characters; what is longer is a sentence of somebody's graph
_SUMMARY, _EVIDENCE = ("summary", "description", "text"), ("evidence", "quote")

_NARRATIVE = (
    "sacrifice",
    "transformation",
    "acquisition",
    "loss",
    "encounter",
    "conflict",
    "revelation",
    "milestone",
)


def _known_type(value: Any) -> Any:
    """Take an event type in any language that it is called in."""
    return event_type_of(value) if isinstance(value, str) else value


class EventArguments(Frozen):
    """Which events."""

    entity: Name | None = Field(default=None, description="only events that this one takes part in")
    event_type: Annotated[Name, BeforeValidator(_known_type)] | None = Field(
        default=None,
        description="only events of this type",
        json_schema_extra={"enum": list(_NARRATIVE)},  # a graph that is known has its own
    )
    chapter: Chapters | None = Field(
        default=None, description="only this chapter, or these: 3, 3-5, or a heading"
    )
    limit: Limit = Field(default=20, description="events at most")


def event_types(ports: ToolPorts) -> dict[str, tuple[str, ...]]:
    """Return the types that the events of this graph have, most frequent first, as values of an argument."""
    if _LABEL not in ports.schema_source.schema().labels:  # as known: a model is told in every round
        return {}
    rows = run_query("event_types", ports, limit=_MOST_TYPES).rows
    types = (str(row["type"]) for row in rows)
    return {"event_type": tuple(kind for kind in types if len(kind) <= _LONGEST_TYPE)}


def _check_type(kind: str, ports: ToolPorts) -> None:
    """Refuse a type that neither this graph nor the profile for stories has.

    Raises:
        InvalidInput: names those that there are.
    """
    if kind in _NARRATIVE:
        return
    known = event_types(ports).get("event_type", ())
    if kind not in {event_type_of(event_type) for event_type in known}:
        raise InvalidInput("event_type", kind, f"one of: {', '.join(known or _NARRATIVE)}")


def _get(arguments: EventArguments, ports: ToolPorts) -> ToolResult:
    name = resolve(arguments.entity, ports) if arguments.entity else None
    result = ToolResult(
        tool=GET_CHARACTER_EVENTS.name,
        arguments=arguments.model_dump(exclude_none=True),
        columns=_COLUMNS,
        note=name.note if name else "",
        taken=taken_for(name),
        candidates=name.others if name else (),
    )
    if name is not None and name.chosen is None:
        return result.model_copy(update={"markdown": name.note})
    if not _has_events(ports):
        none = say("events.none")
        return result.model_copy(update={"note": none, "markdown": none})
    node = name.chosen.id if name and name.chosen else None
    types = event_type_spellings(arguments.event_type) if arguments.event_type else None
    if arguments.event_type:
        _check_type(arguments.event_type, ports)
    ran = run_query("events", ports, node=node, event_types=types, scanned=SCANNED + 1)
    all_events = _once(sorted(ran.rows, key=_place_in_time))
    events = [row for row in all_events if in_chapters(first_of(CHAPTER, row["told"]), arguments.chapter)]
    shown = events[: arguments.limit]
    others = len(all_events) - len(events)
    elsewhere = say_many("chapter.left_out", others) if others else ""
    note = joined(result.note, _how_many(arguments, len(events), len(shown)), elsewhere)
    return result.model_copy(
        update={
            "items": tuple(_item(row) for row in shown),
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "note": note,
            "cut": "rows" if len(shown) < len(events) else ran.cut,
            "markdown": _markdown(arguments, name, shown, len(events), note),
        }
    )


def _once(events: Iterable[Row]) -> list[Row]:
    """Leave out repetitions from the overlap of two chunks in a chapter: the same event of the same fact."""
    kept: dict[object, Row] = {}
    for row in events:
        event = row["told"]
        fact = came_from(event)["fact_id"]
        same = (fact, first_of(CHAPTER, event), _type(event), _title(event)) if fact else row["event"]
        kept.setdefault(same, row)
    return list(kept.values())


def _has_events(ports: ToolPorts) -> bool:
    """Look again before saying that there are none: a story may just have been ingested."""
    source = ports.schema_source
    return _LABEL in source.schema().labels or _LABEL in source.schema(refresh=True).labels


def _place_in_time(row: Row) -> tuple[Any, ...]:
    event = row["told"]
    when = (natural(first_of(names, event)) for names in (CHAPTER, TASK, DATE))
    return (*when, natural(event.get(STATED_AT)), _title(event), row["event"])


def _how_many(arguments: EventArguments, count: int, shown: int) -> str:
    if not count:
        if arguments.event_type:
            return say("events.nothing_of_type", type=event_type_name(arguments.event_type))
        return say("events.nothing")
    return say("events.shown", shown=shown, count=count) if shown < count else ""


def _title(event: Json) -> str:
    return inline(first_of(("name", "title", *_SUMMARY), event)) or say("events.unnamed")


def _summary(event: Json) -> str:
    return inline(first_of(_SUMMARY, event))


def _more(event: Json) -> str:
    """Return the summary after a colon; "" if it is empty or repeats the title."""
    summary = _summary(event)
    return say("mark.colon") + summary if summary and summary != _title(event) else ""


def _type(event: Json) -> str:
    return inline(first_of(("event_type", "type"), event))


def _part(participant: Row) -> str:
    """Return a participant with role and outcome."""
    outcome = say("events.outcome", outcome=inline(participant["outcome"])) if participant["outcome"] else ""
    details = say("mark.parts").join(filter(None, (inline(participant["role"]), outcome)))
    return name_of(participant["node"]) + (say("events.bracket", inside=details) if details else "")


def _item(row: Row) -> ToolItem:
    event, parts = row["told"], row["participants"]
    chapter, kind = first_of(CHAPTER, event), event_type_name(_type(event)) or say("events.kind")
    where = say("mark.list") + chapter_name(chapter) if chapter is not None else ""
    text = _title(event) + say("events.bracket", inside=kind + where) + _more(event)
    if parts:
        listed = say("mark.list").join(_part(participant) for participant in parts)
        text = say("events.parts", text=text.rstrip(".。"), parts=listed)
    return ToolItem(
        text=text,
        values=(
            _title(event),
            _type(event),
            chapter,
            first_of(TASK, event),
            _summary(event),
            [
                {
                    "name": name_of(participant["node"]),
                    "role": participant["role"],
                    "outcome": participant["outcome"],
                }
                for participant in parts
            ],
            first_of(_EVIDENCE, event),
        ),
        nodes=(row["event"], *(participant["node"]["id"] for participant in parts)),
        relationships=tuple(participant["relationship"] for participant in parts),
        **came_from(event),
    )


def _markdown(
    arguments: EventArguments, name: Resolved | None, shown: list[Row], count: int, note: str
) -> str:
    if not shown:
        return note
    heading = say("events.heading")
    if name and name.chosen:
        heading = say("events.heading_of", name=inline(name.chosen.name))
    if arguments.event_type:
        heading = say("events.typed", heading=heading, type=event_type_name(arguments.event_type))
    lines = [heading, "", say_many("events.total", count)]
    for chapter, some in groupby(shown, key=lambda row: first_of(CHAPTER, row["told"])):
        lines += ["", f"**{chapter_name(chapter)}**", ""]
        for row in some:
            lines += _event_lines(row)
    return "\n".join([*lines, *(["", note] if note else []), "", say("memory.hint")])


def _event_lines(row: Row) -> list[str]:
    event = row["told"]
    kind = event_type_name(_type(event))
    head = f"- **{_title(event)}**" + (say("events.bracket", inside=kind) if kind else "") + _more(event)
    lines = [head, *(f"  - {_part(participant)}" for participant in row["participants"])]
    quoted = inline(first_of(_EVIDENCE, event))
    return [*lines, *([f"  - “{quoted}”"] if quoted not in {"", _summary(event)} else [])]


GET_CHARACTER_EVENTS = Tool(
    name="get_character_events",
    purpose="The major events of a story, of one character, one type or some chapters, with everybody's role "
    "and outcome. For: what happens to X, who loses what, which sacrifices are made, what are the turning "
    "points.",
    arguments=EventArguments,
    work=_get,
    values=event_types,
)
