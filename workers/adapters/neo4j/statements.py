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


def lines_of(chunk: ChunkFacts) -> list[str] | None:
    """Return the lines of a chunk, each once; None if there are none.

    Raises:
        InvalidInput: a type is not a plain word, or is one of hopline's own.
    """
    elements = [element for fact in chunk.facts for element in fact.key_elements]
    check_types(
        (label for element in elements for label in element.types),
        (relation.type for fact in chunk.facts for relation in fact.relations),
    )
    lines: list[tuple[str, ...]] = [
        ("T", element.id, label) for element in elements for label in element.types
    ]
    lines += [line for fact in chunk.facts for line in _relations(fact)]
    texts = ["\t".join(line) for line in [*lines, *_events(chunk)]]
    return list(dict.fromkeys(texts)) or None


def statements(rows: Iterable[Row]) -> tuple[list[Statement], list[Statement]]:
    """Return what some chunks no longer state, and what they state now.

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


def elements_of(statements: Iterable[Statement]) -> list[str]:
    """Return the ids of the key elements that statements name."""
    elements: set[str] = set()
    for statement in statements:
        kind, *parts = statement.parts
        elements.update(
            parts[:1] if kind == "T" else parts[1::2][:2] if kind == "R" else parts[_PARTS - 1 :: 3]
        )
    return sorted(elements)


def label_rows(statements: Iterable[Statement]) -> list[Row]:
    """Return {element, labels} for each element to which statements give labels, by its stated name."""
    labels_by_element: dict[str, dict[str, None]] = {}
    for statement in statements:
        if statement.parts[0] == "T":
            labels_by_element.setdefault(statement.parts[1], {})[statement.parts[2]] = None
    return [{"element": name, "labels": list(labels)} for name, labels in labels_by_element.items()]


def relation_rows(statements: Iterable[Statement], homes: Mapping[str, str]) -> list[Row]:
    """Return {chunk, fact, source, type, target, fresh}, each once, between the resolved elements.

    Args:
        statements: statements of any kind.
        homes: the element to which each named one leads; unresolved ones are left out.
    """
    relations: dict[tuple[str, ...], bool] = {}
    for statement in statements:
        if statement.parts[0] != "R":
            continue
        _kind, fact, source, kind, target = statement.parts
        source, target = homes.get(source, ""), homes.get(target, "")
        # What holds between two names of one thing holds between no two things.
        if source and target and source != target:
            relations[statement.chunk, fact, source, kind, target] = statement.fresh
    names = ("chunk", "fact", "source", "type", "target")
    return [{**dict(zip(names, key, strict=True)), "fresh": fresh} for key, fresh in relations.items()]


def event_rows(statements: Iterable[Statement], homes: Mapping[str, str]) -> list[Row]:
    """Return {chunk, id, fact, type, name, parts: [{element, role, outcome}]}, each element's first part."""
    return [_event_row(statement, homes) for statement in statements if statement.parts[0] == "E"]


def _event_row(statement: Statement, homes: Mapping[str, str]) -> Row:
    _kind, name, fact, kind, event_name, *taking_part = statement.parts
    parts: dict[str, Row] = {}
    for who, role, outcome in zip(taking_part[::3], taking_part[1::3], taking_part[2::3], strict=True):
        if home := homes.get(who):
            parts.setdefault(home, {"element": home, "role": role or None, "outcome": outcome or None})
    event = {"chunk": statement.chunk, "id": name, "fact": fact, "type": kind, "name": event_name}
    return {**event, "parts": list(parts.values())}


def _parts(line: str) -> tuple[str, ...]:
    return tuple(line.split("\t"))


def _relations(fact: AtomicFact) -> Iterator[tuple[str, ...]]:
    # Others than the fact's own elements are not reached from it when they are merged.
    held = {element.id for element in fact.key_elements}
    for relation in fact.relations:
        if {relation.source, relation.target} <= held:
            yield "R", fact.id, relation.source, relation.type, relation.target


def _events(chunk: ChunkFacts) -> list[tuple[str, ...]]:
    """Return a line per event; duplicates are combined, and the first role of each participant counts."""
    heads: dict[str, tuple[str, ...]] = {}
    parts: dict[str, dict[str, tuple[str, ...]]] = {}
    for fact in chunk.facts:
        held = {element.id for element in fact.key_elements}
        for event in fact.events:
            name = event_id(chunk.chunk.id, fact.id, event.type, _plain(event.name))
            heads.setdefault(name, ("E", name, fact.id, _plain(event.type), _plain(event.name)))
            _take(parts.setdefault(name, {}), event, held)
    return [
        (*head, *(word for part in parts[name].values() for word in part)) for name, head in heads.items()
    ]


def _take(parts: dict[str, tuple[str, ...]], event: FactEvent, held: set[str]) -> None:
    for participant in event.participants:
        if participant.element in held:
            parts.setdefault(
                participant.element,
                (participant.element, _plain(participant.role), _plain(participant.outcome)),
            )


def _plain(text: str) -> str:
    """Return a text without the separators of a line."""
    return " ".join(text.split())
