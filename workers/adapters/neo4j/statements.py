"""Encodes the types, relations and major events that a chunk states, for storage and for queries.

A chunk that was read by a profile has a property `stated`, a list of lines with tabs between their parts:

    T  element  label                                             the chunk calls an element so
    R  fact  source  type  target                                 a fact states a relation
    E  event  fact  type  name [element  role  outcome] …         a fact tells a major event

A version that is being written has them on its link to the chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from workers.adapters.neo4j.connection import Row
from workers.core.graph.schema import check_types
from workers.core.ids import event_id
from workers.core.ports import ChunkFacts
from workers.core.records import AtomicFact, FactEvent

_PARTS = 5  # of an event's line, before those who take part: three parts each


class Statement(NamedTuple):
    """A line with the chunk that states it."""

    chunk: str
    parts: tuple[str, ...]
    fresh: bool = False  # nothing was made of it yet, or it was taken back


def lines_of(given: ChunkFacts) -> list[str] | None:
    """Return the lines of a chunk, each once; None if there are none.

    Raises:
        InvalidInput: a type is no plain word, or hopline's own.
    """
    elements = [element for fact in given.facts for element in fact.key_elements]
    check_types(
        (label for element in elements for label in element.types),
        (one.type for fact in given.facts for one in fact.relations),
    )
    lines: list[tuple[str, ...]] = [("T", one.id, label) for one in elements for label in one.types]
    lines += [line for fact in given.facts for line in _relations(fact)]
    found = ["\t".join(line) for line in [*lines, *_events(given)]]
    return list(dict.fromkeys(found)) or None


def statements(rows: Iterable[Row]) -> tuple[list[Statement], list[Statement]]:
    """Return what some chunks state no more, and what they state.

    Args:
        rows: {chunk, before: lines or None, stated: lines or None}.
    """
    gone: list[Statement] = []
    stated: list[Statement] = []
    for row in rows:
        before, now = row["before"] or (), row["stated"] or ()
        kept = set(now)
        gone += (Statement(row["chunk"], _parts(line)) for line in before if line not in kept)
        stated += (Statement(row["chunk"], _parts(line), not before) for line in now)
    return gone, stated


def elements_of(given: Iterable[Statement]) -> list[str]:
    """Return the ids of the key elements that statements name."""
    found: set[str] = set()
    for one in given:
        kind, *parts = one.parts
        found.update(parts[:1] if kind == "T" else parts[1::2][:2] if kind == "R" else parts[_PARTS - 1 :: 3])
    return sorted(found)


def label_rows(given: Iterable[Statement]) -> list[Row]:
    """Return {element, labels} for each element that statements give labels, as they name it."""
    found: dict[str, dict[str, None]] = {}
    for one in given:
        if one.parts[0] == "T":
            found.setdefault(one.parts[1], {})[one.parts[2]] = None
    return [{"element": name, "labels": list(labels)} for name, labels in found.items()]


def relation_rows(given: Iterable[Statement], homes: Mapping[str, str]) -> list[Row]:
    """Return {chunk, fact, source, type, target, fresh}, each once, between the elements that are meant.

    Args:
        given: statements of any kind.
        homes: which element each named one leads to; what leads nowhere is left out.
    """
    found: dict[tuple[str, ...], bool] = {}
    for one in given:
        if one.parts[0] != "R":
            continue
        _kind, fact, source, kind, target = one.parts
        source, target = homes.get(source, ""), homes.get(target, "")
        # What holds between two names of one thing holds between no two things.
        if source and target and source != target:
            found[one.chunk, fact, source, kind, target] = one.fresh
    names = ("chunk", "fact", "source", "type", "target")
    return [{**dict(zip(names, key, strict=True)), "fresh": fresh} for key, fresh in found.items()]


def event_rows(given: Iterable[Statement], homes: Mapping[str, str]) -> list[Row]:
    """Return {chunk, id, fact, type, name, parts: [{element, role, outcome}]}, each element's first part."""
    return [_event_row(one, homes) for one in given if one.parts[0] == "E"]


def _event_row(one: Statement, homes: Mapping[str, str]) -> Row:
    _kind, name, fact, kind, called, *taking_part = one.parts
    parts: dict[str, Row] = {}
    for who, role, outcome in zip(taking_part[::3], taking_part[1::3], taking_part[2::3], strict=True):
        if home := homes.get(who):
            parts.setdefault(home, {"element": home, "role": role or None, "outcome": outcome or None})
    told = {"chunk": one.chunk, "id": name, "fact": fact, "type": kind, "name": called}
    return {**told, "parts": list(parts.values())}


def _parts(line: str) -> tuple[str, ...]:
    return tuple(line.split("\t"))


def _relations(fact: AtomicFact) -> Iterator[tuple[str, ...]]:
    # Others than the fact's own elements are not reached from it when they are merged.
    held = {element.id for element in fact.key_elements}
    for one in fact.relations:
        if {one.source, one.target} <= held:
            yield "R", fact.id, one.source, one.type, one.target


def _events(given: ChunkFacts) -> list[tuple[str, ...]]:
    """Return a line per event; duplicates are combined, and the first role of each participant counts."""
    heads: dict[str, tuple[str, ...]] = {}
    parts: dict[str, dict[str, tuple[str, ...]]] = {}
    for fact in given.facts:
        held = {element.id for element in fact.key_elements}
        for one in fact.events:
            name = event_id(given.chunk.id, fact.id, one.type, _plain(one.name))
            heads.setdefault(name, ("E", name, fact.id, _plain(one.type), _plain(one.name)))
            _take(parts.setdefault(name, {}), one, held)
    return [
        (*head, *(word for part in parts[name].values() for word in part)) for name, head in heads.items()
    ]


def _take(parts: dict[str, tuple[str, ...]], event: FactEvent, held: set[str]) -> None:
    for one in event.participants:
        if one.element in held:
            parts.setdefault(one.element, (one.element, _plain(one.role), _plain(one.outcome)))


def _plain(text: str) -> str:
    """Return a text without what parts a line."""
    return " ".join(text.split())
