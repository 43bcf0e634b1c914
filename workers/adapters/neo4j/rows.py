"""Converts between the graph queries' parameters and rows and the core models."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from workers.adapters.neo4j.connection import Row
from workers.adapters.neo4j.statements import lines_of
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.model import Chunk, Document, KeyElement
from workers.core.ports import ChunkFacts

# Of a hub only some facts, of a fact that many places carry only some places, and of one that many documents'
# titles name only some elements are looked at, so that a reading stays cheap whatever the degree (measured:
# some 30 microseconds a fact). Which ones is the store's choice: the latest written, usually.
FACTS_SCANNED = 400
PLACES_SCANNED = 8
ELEMENTS_SCANNED = 50

_DOCUMENT_FIELDS = frozenset(Document.model_fields)


def scope(collection: str) -> str:
    """Return the word that represents a collection in the full-text indexes."""
    return "s" + hashlib.sha256(collection.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def title_id(document: Document) -> str:
    """Return the id of the key element that the document's title is to its facts."""
    return ids.element_id(document.collection, normalise_element(" ".join(document.title.split())))


def whole(rows: Iterable[Row]) -> list[Row]:
    """Drop the rows of nodes that were deleted during the read, which have no properties."""
    return [row for row in rows if None not in row.values()]


def to_document(row: Row) -> Document:
    """Return a document from its node's properties; a document being deleted has no content hash."""
    known = {name: value for name, value in row.items() if name in _DOCUMENT_FIELDS}
    return Document(**{"content_hash": "", **known})


def to_element(row: Row) -> KeyElement:
    """Return a key element; its aliases are sorted, for they were added in any order."""
    return KeyElement(id=row["id"], name=row["name"], aliases=tuple(sorted(row["aliases"])))


def to_chunk(row: Row) -> Chunk:
    """Return a chunk from its node's properties, those that may be missing in a list of their own."""
    chapter, order = row["place"]
    known = {name: value for name, value in row.items() if name != "place"}
    return Chunk(**known, chapter=chapter, order=order)


def is_typed(chunk: Row) -> bool:
    """Return whether a chunk as it is written has what only a profile finds."""
    return any(chunk[name] is not None for name in ("chapter", "order", "stated"))


def writing_rows(chunks: Sequence[ChunkFacts]) -> dict[str, list[Any]]:
    """Return the lists that `write_chunks` unwinds: nodes sorted by id, links by the nodes' places.

    holds: [chunk, fact, start, end, match, grounded], offsets within the chunk's text; mentions: [fact,
    element, chunk whose document's title alone names the element, or null]. The order by id is the order of
    locks, the same for all writers.
    """
    facts = {fact.id: fact.text for one in chunks for fact in one.facts}
    elements = _elements(chunks)
    fact_places = _places(facts)
    element_places = _places(elements)
    return {
        "chunks": [{**one.chunk.model_dump(), "stated": lines_of(one)} for one in chunks],
        "facts": [{"id": fact_id, "text": facts[fact_id]} for fact_id in fact_places],
        "elements": [elements[element_id] for element_id in element_places],
        "holds": _holds(chunks, fact_places),
        "mentions": _mentions(chunks, fact_places, element_places),
    }


def _places(named: dict[str, Any]) -> dict[str, int]:
    return {name: place for place, name in enumerate(sorted(named))}


def _elements(chunks: Sequence[ChunkFacts]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for one in chunks:
        for fact in one.facts:
            for element in fact.key_elements:
                row = found.setdefault(element.id, {"id": element.id, "name": element.name, "aliases": {}})
                row["aliases"].update(dict.fromkeys(element.aliases))
    return {name: {**row, "aliases": sorted(row["aliases"])} for name, row in found.items()}


def _mentions(
    chunks: Sequence[ChunkFacts], facts: dict[str, int], elements: dict[str, int]
) -> list[list[int | None]]:
    mentions: dict[tuple[int, int], int | None] = {}
    for nth, one in enumerate(chunks):
        for fact in one.facts:
            for element in fact.key_elements:
                pair = facts[fact.id], elements[element.id]
                # Named plainly once is named plainly; of two that only the title names, the first is kept.
                mentions[pair] = mentions.get(pair, nth) if element.id == fact.title_id else None
    return [[*pair, title] for pair, title in sorted(mentions.items(), key=lambda entry: entry[0])]


def _holds(chunks: Sequence[ChunkFacts], places: dict[str, int]) -> list[list[Any]]:
    holds: dict[tuple[int, str], list[Any]] = {}
    for nth, one in enumerate(chunks):
        for fact in one.facts:
            start, end = fact.start - one.chunk.start, fact.end - one.chunk.start
            link = [nth, places[fact.id], start, end, fact.match, fact.grounded]
            # A chunk may say a fact twice: the better place is kept, the first of equals.
            kept = holds.setdefault((nth, fact.id), link)
            if fact.match > kept[4]:
                holds[nth, fact.id] = link
    return list(holds.values())
