"""Formats nodes, relations and values of a graph as one line of text each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from hopline.models.graph_schema import INTERNAL_LABELS, INTERNAL_PROPERTIES, PROVENANCE
from hopline.visible import visible
from workers.core.graph.elements import spelled
from workers.tools.queries import Row
from workers.tools.texts import property_name, say

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NUMBER = re.compile(r"(\d+)")
_LONGEST = 600  # characters of a value
_QUOTED = ("evidence", "quote")
EVIDENCE = ("evidence", "quote", "description", "summary")  # properties that say how something is known
CHAPTER = ("chapter", "chapter_id", "chapter_number")
STATED_AT = "stated_at"  # where in its chunk the sentence begins, of what came from a document
TASK = ("task", "task_id", "order", "scene", "step")
DATE = ("date", "year", "since", "start_date", "start", "from", "time")


def name_of(node: Row) -> str:
    """Return what to call a node: its name or title, a key element's as texts spell it."""
    named = next((node[key] for key in ("name", "title", "key") if node.get(key) not in (None, "")), None)
    if named is None:
        return say("name.unnamed", kind=kind_of(node) or "node")
    name = inline(named)
    aliases = [alias for alias in node.get("aliases") or [] if isinstance(alias, str)]
    return inline(spelled(name, aliases)) if "KeyElement" in node["labels"] else name


def kind_of(node: Row) -> str:
    """Return the label that describes a node; empty if it has only internal ones."""
    return next((label for label in node["labels"] if label not in INTERNAL_LABELS), "")


def named(node: Row, *, bold: bool = False) -> str:
    """Return a node's name with its kind."""
    name, kind = name_of(node), kind_of(node)
    shown = f"**{name}**" if bold else name
    return f"{shown} ({kind})" if kind else shown


def inline(value: Any) -> str:
    """Return a value on one line, without control characters, and not endless."""
    if isinstance(value, list | tuple):
        text = ", ".join(inline(member) for member in value)
    elif isinstance(value, Mapping):
        text = ", ".join(f"{inline(key)}: {inline(member)}" for key, member in value.items())
    elif isinstance(value, bool):
        text = say("value.yes") if value else say("value.no")
    else:
        text = "" if value is None else str(value)
    text = " ".join(visible(_CONTROL.sub(" ", text)).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def format_properties(properties: Mapping[str, Any], leaving_out: Iterable[str] = ()) -> str:
    """Return properties as `name: value`, evidence in quotes and last; names as the language has them."""
    left = {*leaving_out, *INTERNAL_PROPERTIES, *(PROVENANCE if properties.keys() >= PROVENANCE else ())}
    kept = [
        (key, value) for key, value in properties.items() if key not in left and value not in (None, "", [])
    ]
    kept.sort(key=lambda pair: (pair[0] in _QUOTED, pair[0]))
    return say("mark.list").join(
        property_name(key) + say("mark.colon") + (f"“{inline(value)}”" if key in _QUOTED else inline(value))
        for key, value in kept
    )


def first_of(names: Iterable[str], *places: Mapping[str, Any]) -> Any:
    """Return the first of some properties that a place has; None if there is none."""
    wanted = list(names)
    values = (place[name] for place in places for name in wanted if place.get(name) not in (None, ""))
    return next(values, None)


def came_from(*places: Mapping[str, Any]) -> dict[Literal["fact_id", "chunk_id"], str | None]:
    """Return the fact and the chunk that the first of some properties to name them came from."""
    place = next((place for place in places if place.keys() >= PROVENANCE), {})
    return {"fact_id": place.get("fact_id"), "chunk_id": place.get("chunk_id")}


def natural(value: Any) -> tuple[Any, ...]:
    """Return a natural sort key: chapter 2 before chapter 10, unknown values last."""
    if value is None:
        return (1, ())
    parts = _NUMBER.split(str(value))
    return (
        0,
        tuple(
            (1, 0, part.casefold()) if nth % 2 == 0 else (0, int(part), "")
            for nth, part in enumerate(parts)
            if part
        ),
    )


def arrow(relation: str, *, outgoing: bool) -> str:
    """Return a relation as seen from one of its ends."""
    return f"{inline(relation)} →" if outgoing else f"{inline(relation)} ←"


def sentence(name: str, relation: str, other: str, *, outgoing: bool) -> str:
    """Return a relation as a sentence in its own direction."""
    source, target = (name, other) if outgoing else (other, name)
    return f"{source} {inline(relation)} {target}"


def chapter_name(chapter: Any) -> str:
    """Return a chapter's heading; a mere number gets the word "chapter"."""
    if chapter is None:
        return say("chapter.none")
    shown = inline(chapter)
    return say("chapter.number", number=shown) if shown[:1].isdigit() else shown
