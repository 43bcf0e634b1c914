"""Converts between the core models and the parameters and rows of graph queries."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from neo4j.graph import Entity, Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from hopline.models.documents import FIRST_SPLITTER, Chunk, Document, KeyElement, ReadRecord
from hopline.models.metadata import DOUBTS, READ_BY
from workers.adapters.neo4j.aliases.lines import name_lines
from workers.adapters.neo4j.connection import Row
from workers.adapters.neo4j.metadata.properties import ingested_metadata, metadata_of
from workers.adapters.neo4j.statements import lines_of
from workers.core import ids
from workers.core.graph.cypher import Value
from workers.core.graph.elements import normalise_element
from workers.core.language.index_words import (
    begins_name,
    index_words,
    is_beginning,
    name_words,
    unspaced_pairs,
    written_ways,
)
from workers.core.ports import ChunkFacts
from workers.core.records import AtomicFact

Write = tuple[Document, Sequence[ChunkFacts]]  # some chunks of a document's version

# Of a hub only some facts, of a fact that many places carry only some places, and of one that many documents'
# titles name only some elements are looked at, so that a reading stays cheap whatever the degree (measured:
# some 30 microseconds a fact). Which ones is the store's choice: the latest written, usually.
FACTS_SCANNED = 400
PLACES_SCANNED = 8
ELEMENTS_SCANNED = 50
SAMPLED = 60  # facts of an element among which its chunks are counted
SAMPLED_PLACES = 50  # chunks of each of these facts
PLACES = 8  # chunks of a fact that many places say

_DOCUMENT_FIELDS = frozenset(Document.model_fields)


def scope(collection: str) -> str:
    """Return the word that represents a collection in the full-text indexes."""
    return "s" + hashlib.sha256(collection.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def title_id(document: Document) -> str:
    """Return the id of the key element that stands for the document's title."""
    return ids.element_id(document.collection, normalise_element(" ".join(document.title.split())))


def whole(rows: Iterable[Row]) -> list[Row]:
    """Drop rows without properties, whose nodes were deleted during the read."""
    return [row for row in rows if None not in row.values()]


def to_document(row: Row) -> Document:
    """Return a document from its node's properties; a document being deleted has no content hash."""
    known = {name: value for name, value in row.items() if name in _DOCUMENT_FIELDS}
    if fields := metadata_of(row):
        known["metadata"] = fields
    if fields := ingested_metadata(row):
        known["ingested_metadata"] = fields
    times = {
        name: datetime.fromtimestamp(known[name] / 1000, UTC)
        for name in ("created", "updated")
        if known.get(name) is not None
    }
    if reading := row.get("reading"):
        known["reading"] = ReadRecord.read_stored(reading)
    return Document(**{"content_hash": "", **known, **times})


def read_properties(reading: ReadRecord | None) -> Row:
    """Return the properties that record how a document was read."""
    if reading is None:
        return dict.fromkeys(("reading", READ_BY, DOUBTS))
    kept = reading.model_dump_json(exclude_defaults=True)
    return {"reading": kept, READ_BY: reading.reader, DOUBTS: list(reading.doubts) or None}


def to_element(row: Row) -> KeyElement:
    """Return a key element with sorted aliases, since they were added in any order."""
    return KeyElement(id=row["id"], name=row["name"], aliases=tuple(sorted(row["aliases"])))


def placeless_facts(rows: Sequence[Row]) -> tuple[AtomicFact, ...]:
    """Return facts with their elements, without their places."""
    return tuple(
        AtomicFact(
            id=row["id"],
            text=row["text"],
            key_elements=tuple(map(to_element, row["elements"])),
            start=0,
            end=0,
            match=0,
            grounded=False,
        )
        for row in rows
    )


def to_chunk(row: Row) -> Chunk:
    """Return a chunk from its node's properties, with optional ones in a separate list."""
    chapter, order, splitter = row["place"][:3]
    known = {name: value for name, value in row.items() if name != "place"}
    return Chunk(
        **known,
        chapter=chapter,
        order=order,
        splitter=splitter or FIRST_SPLITTER,
        places=kept_places(row["place"]),
    )


def kept_places(place: Sequence[Any]) -> str:
    """Return the stored place of a chunk in its file; "" if unknown or not requested."""
    return place[3] or "" if len(place) > 3 else ""  # noqa: PLR2004 - after chapter, order and splitter


def is_typed(chunk: Row) -> bool:
    """Return whether a chunk has data that only a profile extracts."""
    return any(chunk[name] is not None for name in ("chapter", "order", "stated"))


def documents_rows(writes: Sequence[Write]) -> dict[str, list[Any]]:
    """Return the lists that `write_chunks` unwinds: the documents, and their joint contents."""
    rows = writing_rows([chunk for _document, chunks in writes for chunk in chunks])
    places = [nth for nth, (_document, chunks) in enumerate(writes) for _ in chunks]
    typed, named = set[int](), set[int]()
    for row, place in zip(rows["chunks"], places, strict=True):
        row["document"] = place
        typed |= {place} if is_typed(row) else set()
        named |= {place} if row["names"] else set()
    documents = [
        {
            **document.model_dump(include={"id", "version", "content_hash", "title"}),
            "title_id": title_id(document),
            "typed": nth in typed,
            "named": nth in named,
        }
        for nth, (document, _chunks) in enumerate(writes)
    ]
    return {"documents": documents, **rows}


def writing_rows(chunks: Sequence[ChunkFacts]) -> dict[str, list[Any]]:
    """Return nodes sorted by id, and links by the nodes' positions.

    holds: [chunk, fact, start, end, match, grounded, named, titled, text], offsets within the chunk's text,
    named from `named_lines`, titled if only the document's title ties the fact to its element, text as worded
    here; mentions: [fact, element, chunk whose document's title alone names the element, or null]. Sorting by
    id gives all writers the same order of locks.
    """
    facts = {fact.id: fact.text for chunk in chunks for fact in chunk.facts}
    elements = _elements(chunks)
    fact_places = _places(facts)
    element_places = _places(elements)
    return {
        "chunks": [
            {
                **chunk.chunk.model_dump(),
                "pairs": _pairs(chunk.chunk.text),
                "stated": lines_of(chunk),
                "names": name_lines(chunk),
            }
            for chunk in chunks
        ],
        "facts": [{"id": fact_id, "text": facts[fact_id]} for fact_id in fact_places],
        "elements": [elements[element_id] for element_id in element_places],
        "holds": _holds(chunks, fact_places),
        "mentions": _mentions(chunks, fact_places, element_places),
    }


def _pairs(text: str) -> str | None:
    return " ".join(unspaced_pairs(text)) or None


def _places(named: dict[str, Any]) -> dict[str, int]:
    return {name: place for place, name in enumerate(sorted(named))}


def _elements(chunks: Sequence[ChunkFacts]) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for chunk in chunks:
        for fact in chunk.facts:
            for element in fact.key_elements:
                row = rows.setdefault(element.id, {"id": element.id, "name": element.name, "aliases": {}})
                row["aliases"].update(dict.fromkeys(element.aliases))
    return {name: {**row, "aliases": sorted(row["aliases"])} for name, row in rows.items()}


def _mentions(
    chunks: Sequence[ChunkFacts], facts: dict[str, int], elements: dict[str, int]
) -> list[list[int | None]]:
    mentions: dict[tuple[int, int], int | None] = {}
    for nth, chunk in enumerate(chunks):
        for fact in chunk.facts:
            for element in fact.key_elements:
                pair = facts[fact.id], elements[element.id]
                # Named plainly once is named plainly; of two that only the title names, the first is kept.
                mentions[pair] = mentions.get(pair, nth) if element.id == fact.title_id else None
    return [[*pair, title] for pair, title in sorted(mentions.items(), key=lambda entry: entry[0])]


def _holds(chunks: Sequence[ChunkFacts], places: dict[str, int]) -> list[list[Any]]:
    holds: dict[tuple[int, str], list[Any]] = {}
    named: dict[tuple[int, str], list[AtomicFact]] = {}
    for nth, chunk in enumerate(chunks):
        for fact in chunk.facts:
            start, end = fact.start - chunk.chunk.start, fact.end - chunk.chunk.start
            link = [nth, places[fact.id], start, end, fact.match, fact.grounded]
            named.setdefault((nth, fact.id), []).append(fact)
            # A chunk may say a fact twice: the better place is kept, the first of equals.
            kept = holds.setdefault((nth, fact.id), link)
            if fact.match > kept[4]:
                holds[nth, fact.id] = link
    return [
        [*link, named_lines(facts), all(fact.title_id for fact in facts), facts[0].text]
        for link, facts in zip(holds.values(), named.values(), strict=True)
    ]


def named_lines(facts: Sequence[AtomicFact]) -> list[str]:
    """Return the names in a chunk's fact: a line per key element, its name and spellings with tabs.

    Documents share facts and elements; this records what one place says, for readers within a scope. Elements
    that only the document's title names are left out.
    """
    spellings: dict[str, dict[str, None]] = {}
    for fact in facts:
        for element in fact.key_elements:
            if element.id != fact.title_id:
                spelled = spellings.setdefault(element.name, {})
                spelled |= dict.fromkeys(" ".join(alias.split()) for alias in element.aliases)
    return ["\t".join((name, *sorted(spelled))) for name, spelled in sorted(spellings.items())]


def to_value(value: Any) -> Value:
    """Return a value of a row as `CypherRows` describes it.

    Values without a JSON form become texts: dates, bytes (in hexadecimal), NaN and the infinities.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping) and not isinstance(value, Entity):
        return {str(key): to_value(member) for key, member in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, Point | Duration):
        return [to_value(member) for member in value]
    return _of_graph(value)


def _of_graph(value: Any) -> Value:
    match value:
        case Node():
            labels = sorted(value.labels)
            return {"node": value.element_id, "labels": labels, "properties": _properties(value)}
        case Relationship():
            return _relationship(value)
        case Path():
            return {"path": _path(value)}
        case Point():
            return {"point": list(value), "srid": value.srid}
        case Date() | DateTime() | Time() | Duration():
            return value.iso_format()
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)


def _properties(entity: Entity) -> dict[str, Value]:
    return {key: to_value(entity[key]) for key in sorted(entity)}


def _relationship(value: Relationship) -> dict[str, Value]:
    return {
        "relationship": value.element_id,
        "type": value.type,
        "start": value.start_node.element_id if value.start_node else None,
        "end": value.end_node.element_id if value.end_node else None,
        "properties": _properties(value),
    }


def _path(path: Path) -> list[Value]:
    parts = [to_value(path.nodes[0])]
    for relationship, node in zip(path.relationships, path.nodes[1:], strict=True):
        parts += [to_value(relationship), to_value(node)]
    return parts


# Hidden hits come up too: how many are looked through for live ones, of a text. With more of them, and better
# ones, live ones may be covered; a document is long before it is.
MOST_FETCHED = 2000

# Words that the indexes leave out (Lucene's for English): a query of nothing else would find everything.
_LEFT_OUT = frozenset(
    """a an and are as at be but by for if in into is it no not of on or such that the their then there these
    they this to was will with""".split()  # noqa: SIM905 - a list of words reads best
)
_PIECE = re.compile(r"[^\W_]+")
_MAX_PIECES = 10  # of a name
_LOOSE_FROM = 5  # letters; shorter words with a letter changed are other words
# Distinct ones of a query; Lucene allows 1,024 clauses. The last ones, as in `search.mentions`: what is told
# before it is asked comes first.
_MAX_WORDS = 64
_MAX_QUERIES = 16  # for the names in one text


def any_word(collection: str, fields: Iterable[str], text: str) -> str:
    """Return a query for nodes with some of the text's words in one of the fields; "" if none is indexed.

    The scope clause restricts without scoring. Words consist of letters and digits, so that none is an
    operator, except inner points, hyphens and apostrophes, which quotes handle.
    """
    wanted = list(dict.fromkeys(reversed(index_words(text))))[:_MAX_WORDS]
    if _LEFT_OUT.issuperset(wanted):
        return ""
    alternatives = " ".join(
        f"{way}*" if is_beginning(word) else f'"{way}"'
        for word in reversed(wanted)
        for way in written_ways(word)
    )
    return _within(collection, " ".join(f"{field}:({alternatives})" for field in fields))


def any_name(collection: str, text: str) -> Iterator[str]:
    """Yield queries for key elements with some of a text's words, or pieces of them, in a spelling."""
    wanted = [word for word in name_words(text) if word not in _LEFT_OUT]
    for at in range(0, min(len(wanted), _MAX_WORDS * _MAX_QUERIES), _MAX_WORDS):
        some = wanted[at : at + _MAX_WORDS]
        alternatives = " ".join(f"{word}*" if begins_name(word) else f'"{word}"' for word in some)
        yield _within(collection, f"name:({alternatives}) aliases:({alternatives})")


def any_pair(collection: str, text: str) -> str:
    """Return a query for nodes with some character pairs of a text without spaces; else ""."""
    wanted = list(dict.fromkeys(reversed(unspaced_pairs(text))))[:_MAX_WORDS]
    alternatives = " ".join(f'"{pair}"' for pair in reversed(wanted))
    return _within(collection, f"pairs:({alternatives})") if wanted else ""


def all_words(collection: str, field: str, text: str) -> str:
    """Return a query for nodes with the text's words in sequence in the field; "" without words."""
    wanted = index_words(text)[:_MAX_WORDS]
    return _within(collection, f'{field}:"{" ".join(wanted)}"') if wanted else ""


def named_by_word(collection: str, word: str) -> str:
    """Return a query for nodes with a word in their name or an alias."""
    wanted = " ".join(index_words(word)[:_MAX_WORDS])
    return _within(collection, f'name:"{wanted}" aliases:"{wanted}"')


def resembling(collection: str, name: str) -> str:
    """Return a query for names that differ in at most a letter per word, or a gap between two words."""
    wanted = _PIECE.findall(name)[:_MAX_PIECES]
    if not wanted:
        return ""
    joined = [[*wanted[:at], wanted[at] + wanted[at + 1], *wanted[at + 2 :]] for at in range(len(wanted) - 1)]
    clauses = [" ".join(f"+{_loosely(word)}" for word in wanted)]
    clauses += [" ".join(f"+{word}" for word in each) for each in joined]
    return _within(collection, "name:(" + " ".join(f"({clause})" for clause in clauses) + ")")


def ending(collection: str, first: str, last: str) -> str:
    """Return a query for names with a word that begins like the first word, and with the last word."""
    begin, end = (_PIECE.findall(part) for part in (first, last))
    if not begin or not end:
        return ""
    return _within(collection, f'+name:{begin[0]}* +name:"{" ".join(end)}"')


def _loosely(word: str) -> str:
    return f"{word}~1" if len(word) >= _LOOSE_FROM and word.isalpha() else word


def _within(collection: str, clause: str) -> str:
    return f"+scope:{scope(collection)}^0 +({clause})"
