"""What a chunk states of types, relations and major events, from which the graph makes its own.

A chunk that is read by a profile has a property `stated`, a list of lines with tabs between their parts:

    T  element  label                                             the chunk calls an element so
    R  fact  source  type  target                                 a fact states a relation
    E  event  fact  type  name [element  role  outcome] …         a fact tells a major event

A version that is being written has the lines on its link to the chunk. `make_live` puts them on the chunk,
makes them into labels, relationships and MajorEvent nodes of the elements that are meant (of a redirect, the
one that it leads to), and takes back what the chunk stated before. Deleting a document takes all of its back;
merging and its undoing take back and state again what concerns the elements, all in the transaction itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from workers.core.graph_schema import check_types
from workers.core.ids import event_id
from workers.core.model import AtomicFact, FactEvent
from workers.core.ports import ChunkFacts


def statements(given: ChunkFacts) -> list[str] | None:
    """Return the lines of a chunk, each once; None where there are none.

    Raises:
        InvalidInput: a type is no plain word, or hopline's own.
    """
    elements = [element for fact in given.facts for element in fact.key_elements]
    check_types(
        (label for element in elements for label in element.types),
        (one.type for fact in given.facts for one in fact.relations),
    )
    lines: list[tuple[str, ...]] = [
        ("T", element.id, label) for element in elements for label in element.types
    ]
    lines += [line for fact in given.facts for line in _relations(fact)]
    found = ["\t".join(line) for line in [*lines, *_events(given)]]
    return list(dict.fromkeys(found)) or None


def _relations(fact: AtomicFact) -> Iterator[tuple[str, ...]]:
    # Others than the fact's own elements are not reached from it when they are merged.
    held = {element.id for element in fact.key_elements}
    for one in fact.relations:
        if {one.source, one.target} <= held:
            yield "R", fact.id, one.source, one.type, one.target


def _events(given: ChunkFacts) -> list[tuple[str, ...]]:
    """Return a line per event; what two say of one is put together, the first word on each who takes part."""
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
