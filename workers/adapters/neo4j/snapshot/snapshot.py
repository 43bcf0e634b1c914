"""A collection's facts and key elements in memory, in one state of the graph."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workers.adapters.neo4j.rows import ELEMENTS_SCANNED, PLACES, SAMPLED, SAMPLED_PLACES
from workers.adapters.neo4j.snapshot.arrays import (
    IdColumn,
    Ids,
    LinkColumn,
    Links,
    Numbers,
    Places,
    Texts,
    bounded,
)
from workers.core.graph.surroundings import FACTS_OF_ELEMENT, CollectionSize, FactColumns, NamedElement

Rows = Callable[..., Iterator[list[Any]]]  # runs a named query and gives its rows one by one, as values


@dataclass(frozen=True)
class _Elements:
    """The key elements by position."""

    ids: Ids
    names: Texts
    degrees: Places  # facts that hold it, hidden ones too
    chunks: Places  # 0 for one that no live fact holds
    targets: Places  # what it was merged into; itself for most
    facts: Links  # its first live ones


@dataclass(frozen=True)
class _Facts:
    """The live facts by position."""

    ids: Ids
    chunks: Links  # its first ones
    elements: Links


class Snapshot:
    """Answers like the graph in the state that its mark names.

    Args:
        collection: name of the collection.
        mark: the state; see `Connection.mark`.
        size: size of the collection.
        rows: reads the collection while the graph is in that state.
    """

    def __init__(self, collection: str, mark: str, size: CollectionSize, rows: Rows) -> None:
        self.mark = mark
        self.size = size
        numbers, ids = array("q"), IdColumn()
        for number, name in rows("snapshot_chunks", collection=collection):
            numbers.append(number)
            ids.add(name)
        self._chunks, chunks = ids.ids(), Numbers(numbers)
        facts, ids, places, elements = array("q"), IdColumn(), LinkColumn(), LinkColumn()
        for number, name, held_by, held in rows("snapshot_facts", collection=collection, places=PLACES):
            facts.append(number)
            ids.add(name)
            places.add(held_by)
            elements.add(held)
        element_numbers, self._elements = _read_elements(rows, collection, Numbers(facts))
        self._facts = _Facts(ids.ids(), places.links(chunks), elements.links(element_numbers))

    def elements_found(self, ids: Sequence[str]) -> list[NamedElement]:
        """Return the key elements with these ids that live facts mention; redirects are resolved."""
        wanted = list(dict.fromkeys(ids))
        elements, named_elements = self._elements, []
        for element_id, place in zip(wanted, elements.ids.places(wanted), strict=True):
            home = int(elements.targets[place]) if place >= 0 else -1
            if home >= 0 and elements.chunks[home] >= 0:
                named_elements.append(
                    NamedElement(
                        asked=element_id,
                        id=elements.ids.at([home])[0],
                        name=elements.names.at(home),
                        degree=int(elements.degrees[home]),
                        chunks=int(elements.chunks[home]),
                    )
                )
        return named_elements

    def names(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of the given key elements that exist here, by id."""
        places = self._elements.ids.places(ids)
        return {name: self._elements.names.at(at) for name, at in zip(ids, places, strict=True) if at >= 0}

    def facts_around(self, element_ids: Sequence[str], limit: int) -> FactColumns:
        """Return live facts of the given key elements with their connections, up to `limit` per element.

        Args:
            element_ids: any ids; unknown ones have no facts.
            limit: FACTS_OF_ELEMENT at most.
        """
        if limit > FACTS_OF_ELEMENT:
            raise ValueError(f"a snapshot holds {FACTS_OF_ELEMENT} facts of an element, not {limit}")
        places = sorted({place for place in self._elements.ids.places(list(element_ids)) if place >= 0})
        held = [self._elements.facts.at(place)[:limit] for place in places]
        facts = list(dict.fromkeys(np.concatenate(held).tolist())) if held else []
        chunks, chunk_counts = self._chunks.by_id(*self._facts.chunks.of(facts))
        elements, counts = self._facts.elements.of(facts)
        elements, counts = self._elements.ids.by_id(*bounded(elements, counts, ELEMENTS_SCANNED, places))
        return FactColumns(
            facts=self._facts.ids.at(facts),
            chunks=self._chunks.at(chunks),
            chunk_counts=chunk_counts,
            elements=self._elements.ids.at(elements),
            degrees=self._elements.degrees[elements].tolist(),
            element_counts=counts,
        )


def _read_elements(rows: Rows, collection: str, facts: Numbers) -> tuple[Numbers, _Elements]:
    """Return the positions of the server's numbers of key elements, and the elements."""
    numbers, ids, names, lists = array("q"), IdColumn(), Texts(), LinkColumn()
    degrees, chunks, merged = array("i"), array("i"), array("q")
    for number, name, text, degree, held_by, live, target, some in rows(
        "snapshot_elements",
        collection=collection,
        limit=FACTS_OF_ELEMENT,
        sampled=SAMPLED,
        sampled_places=SAMPLED_PLACES,
    ):
        numbers.append(number)
        ids.add(name)
        names.add(text)
        degrees.append(degree)
        chunks.append(held_by if live else -1)
        merged.append(number if target < 0 else target)
        lists.add(some)
    at = Numbers(numbers)
    return at, _Elements(
        ids=ids.ids(),
        names=names,
        degrees=np.array(degrees, dtype=np.int32),
        chunks=np.array(chunks, dtype=np.int32),
        targets=at.places(merged),
        facts=lists.links(facts),
    )
