"""get_character_events: the turning points of a story, and who takes part in them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from workers.core.model import Frozen
from workers.core.work import Json
from workers.tools.arguments import Limit, Name
from workers.tools.names import Resolved, resolve, taken_for
from workers.tools.queries import SCANNED, Row, run_query
from workers.tools.telling import (
    CHAPTER,
    DATE,
    DETAILS,
    STATED_AT,
    TASK,
    came_from,
    first_of,
    inline,
    name_of,
    natural,
)
from workers.tools.tool import Tool, ToolItem, ToolPorts, ToolResult
from workers.tools.track_journey import chapter_name

_COLUMNS = ("event", "type", "chapter", "order", "summary", "participants", "evidence")
_LABEL = "MajorEvent"  # as in events.cypher
_SUMMARY = ("summary", "description", "text")

EventType = Literal[
    "sacrifice",
    "transformation",
    "acquisition",
    "loss",
    "encounter",
    "conflict",
    "revelation",
    "milestone",
]


def _lower(given: Any) -> Any:
    return given.strip().casefold() if isinstance(given, str) else given


class EventArguments(Frozen):
    """Which events."""

    entity: Name | None = Field(default=None, description="only events that this one takes part in")
    event_type: Annotated[EventType, BeforeValidator(_lower)] | None = Field(
        default=None, description="only events of this type"
    )
    limit: Limit = Field(default=20, description="events at most")


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
        none = "This graph has no major events."
        return result.model_copy(update={"note": none, "markdown": none})
    node = name.chosen.id if name and name.chosen else None
    ran = run_query("events", ports, node=node, event_type=arguments.event_type, scanned=SCANNED + 1)
    events = _once(sorted(ran.rows, key=_place_in_time))
    shown = events[: arguments.limit]
    note = " ".join(filter(None, (result.note, _how_many(arguments, len(events), len(shown)))))
    return result.model_copy(
        update={
            "items": tuple(_item(one) for one in shown),
            "cypher": ran.cypher,
            "parameters": ran.parameters,
            "note": note,
            "cut": "rows" if len(shown) < len(events) else ran.cut,
            "markdown": _markdown(arguments, name, shown, note),
        }
    )


def _once(events: Iterable[Row]) -> list[Row]:
    """Leave out what the overlap of two chunks of a chapter tells again: the same of the same fact."""
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


def _how_many(arguments: EventArguments, found: int, shown: int) -> str:
    if not found:
        kind = f" of type {arguments.event_type}" if arguments.event_type else ""
        return f"No major event{kind} was found."
    return f"The first {shown} of {found} events are shown." if shown < found else ""


def _title(event: Json) -> str:
    return inline(first_of(("name", "title", *_SUMMARY), event)) or "unnamed event"


def _type(event: Json) -> str:
    return inline(first_of(("event_type", "type"), event))


def _part(one: Row) -> str:
    """Return a participant with role and outcome."""
    more = [inline(one["role"]), f"outcome: {inline(one['outcome'])}" if one["outcome"] else ""]
    said = "; ".join(part for part in more if part)
    return name_of(one["node"]) + (f" ({said})" if said else "")


def _item(row: Row) -> ToolItem:
    event, parts = row["told"], row["participants"]
    summary, evidence = inline(first_of(_SUMMARY, event)), first_of(("evidence", "quote"), event)
    chapter = first_of(CHAPTER, event)
    where = f", {chapter_name(chapter)}" if chapter is not None else ""
    title = _title(event)
    text = f"{title} ({_type(event) or 'major event'}{where})"
    text += f": {summary}" if summary and summary != title else ""
    if parts:
        text = f"{text.rstrip('.')}. Takes part: {', '.join(_part(one) for one in parts)}"
    return ToolItem(
        text=text,
        values=(
            title,
            _type(event),
            chapter,
            first_of(TASK, event),
            summary,
            [{"name": name_of(one["node"]), "role": one["role"], "outcome": one["outcome"]} for one in parts],
            evidence,
        ),
        nodes=(row["event"], *(one["node"]["id"] for one in parts)),
        relationships=tuple(one["relationship"] for one in parts),
        **came_from(event),
    )


def _markdown(arguments: EventArguments, name: Resolved | None, shown: list[Row], note: str) -> str:
    if not shown:
        return note
    of = f" of {inline(name.chosen.name)}" if name and name.chosen else ""
    lines = [f"### Major events{of}" + (f": {arguments.event_type}" if arguments.event_type else "")]
    for chapter, some in groupby(shown, key=lambda row: first_of(CHAPTER, row["told"])):
        lines += ["", f"**{chapter_name(chapter)}**", ""]
        for row in some:
            lines += _event_lines(row)
    return "\n".join([*lines, *(["", note] if note else []), "", DETAILS])


def _event_lines(row: Row) -> list[str]:
    event = row["told"]
    title, kind = _title(event), _type(event)
    summary, evidence = inline(first_of(_SUMMARY, event)), first_of(("evidence", "quote"), event)
    lines = [
        f"- **{title}**"
        + (f" ({kind})" if kind else "")
        + (f": {summary}" if summary and summary != title else "")
    ]
    lines += [f"  - {_part(one)}" for one in row["participants"]]
    quoted = inline(evidence) if evidence else ""
    return [*lines, *([f"  - “{quoted}”"] if quoted not in {"", summary} else [])]


GET_CHARACTER_EVENTS = Tool(
    name="get_character_events",
    purpose="The major events of a story, of one character or one type, with everybody's role and outcome. "
    "For: what happens to X, who loses what, which sacrifices are made, what are the turning points.",
    arguments=EventArguments,
    work=_get,
)
