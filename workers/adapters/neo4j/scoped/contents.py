"""What the documents of a collection say, as columns in memory, for scopes to select from.

Facts and key elements are shared by documents, their places are not: everything here hangs on places, so that
what one document says never shows in what a scope without it reads. All columns are ordered by id, so that a
selection is ordered as if nothing else had been there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workers.adapters.neo4j.connection import Row
from workers.adapters.neo4j.scoped.words import WordIndex
from workers.adapters.neo4j.snapshot.arrays import Links, grouped
from workers.core.graph.elements import normalise_element
from workers.core.ids import element_id
from workers.core.language.text import normalise
from workers.core.records import Document

Numbers = NDArray[np.int64]


class ChunkRow(NamedTuple):
    """A live chunk as it was read."""

    properties: Row  # see `rows.to_chunk`
    # Each with id, text, start, end (offsets within the chunk), match, grounded, what it names, and whether
    # the title's element is tied to it.
    facts: list[list[Any]]


class Place(NamedTuple):
    """Where in a chunk a fact stands."""

    start: int  # offsets within the chunk
    end: int
    match: float
    grounded: bool
    text: str  # of the fact, as it is worded there


@dataclass(frozen=True)
class Contents:
    """The columns; a place names its fact and its chunk by their positions, and so on."""

    documents: list[Document]  # by id
    chunks: list[ChunkRow]  # by document, then index
    chunk_document: Numbers
    chunk_at: dict[str, int]  # id → position
    facts: list[str]  # ids
    fact_at: dict[str, int]
    places: list[Place]  # by chunk, then start and fact
    place_fact: Numbers
    place_chunk: Numbers
    places_of: Links  # of each fact
    elements: list[str]  # ids
    names: list[str]  # of elements
    element_at: dict[str, int]
    mention_place: Numbers
    mention_element: Numbers
    mention_titled: NDArray[np.bool_]
    spelled: list[tuple[str, ...]]  # of each mention
    mentions_of: Links  # of each element
    spellings: dict[str, list[int]]  # normalised → mentions
    words: WordIndex  # of the chunks, titles included


def build_contents(
    collection: str, documents: Sequence[Document], rows: Mapping[str, Sequence[ChunkRow]]
) -> Contents:
    """Return the columns of some documents.

    Args:
        collection: of the documents.
        documents: live ones.
        rows: the chunks of each, by id of the document.
    """
    ordered = sorted(documents, key=lambda document: document.id)
    chunks = [
        (nth, row)
        for nth, document in enumerate(ordered)
        for row in sorted(rows.get(document.id, ()), key=lambda row: row.properties["index"])
    ]
    facts = sorted({fact[0] for _nth, row in chunks for fact in row.facts})
    said = [
        (at, fact)
        for at, (_nth, row) in enumerate(chunks)
        for fact in sorted(row.facts, key=lambda fact: (fact[2], fact[0]))
    ]
    titles = [" ".join(document.title.split()) for document in ordered]
    mentions = [
        Mention(place, name, tuple(spelled), titled)
        for place, (chunk, fact) in enumerate(said)
        for (name, *spelled), titled in _named(fact, titles[chunks[chunk][0]])
    ]
    return Contents(
        documents=ordered,
        chunks=[row for _nth, row in chunks],
        chunk_document=_numbers([nth for nth, _row in chunks]),
        chunk_at=_positions([row.properties["id"] for _nth, row in chunks]),
        words=WordIndex([f"{ordered[nth].title}\n{row.properties['text']}" for nth, row in chunks]),
        **_fact_columns(facts, said),
        **_element_columns(collection, mentions),
    )


class Mention(NamedTuple):
    """What one place names."""

    place: int
    name: str
    spelled: tuple[str, ...]
    titled: bool  # by the document's title only


def _fact_columns(facts: list[str], said: Sequence[tuple[int, list[Any]]]) -> dict[str, Any]:
    fact_at = _positions(facts)
    place_fact = _numbers([fact_at[fact[0]] for _chunk, fact in said])
    return {
        "facts": facts,
        "fact_at": fact_at,
        "places": [Place(fact[2], fact[3], fact[4], fact[5], fact[1]) for _chunk, fact in said],
        "place_fact": place_fact,
        "place_chunk": _numbers([chunk for chunk, _fact in said]),
        "places_of": grouped(place_fact, len(facts)),
    }


def _element_columns(collection: str, mentions: Sequence[Mention]) -> dict[str, Any]:
    ids = {name: element_id(collection, name) for name in {mention.name for mention in mentions}}
    names = sorted(ids, key=ids.__getitem__)
    at = _positions(names)
    mention_element = _numbers([at[mention.name] for mention in mentions])
    return {
        "elements": [ids[name] for name in names],
        "names": names,
        "element_at": _positions([ids[name] for name in names]),
        "mention_place": _numbers([mention.place for mention in mentions]),
        "mention_element": mention_element,
        "mention_titled": np.array([mention.titled for mention in mentions], dtype=np.bool_),
        "spelled": [mention.spelled for mention in mentions],
        "mentions_of": grouped(mention_element, len(names)),
        "spellings": _by_spelling([mention.spelled for mention in mentions]),
    }


def _named(fact: Sequence[Any], title: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the name and spellings of each key element of a place, with whether only the title names it."""
    for line in sorted(fact[6]):
        yield line.split("\t"), False
    if fact[7] and (name := normalise_element(title)):
        yield [name, title], True


def _by_spelling(spelled: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for mention, spellings in enumerate(spelled):
        for plain in {normalise(one) for one in spellings}:
            found.setdefault(plain, []).append(mention)
    return found


def _positions(ids: Sequence[str]) -> dict[str, int]:
    return {name: at for at, name in enumerate(ids)}


def _numbers(values: Sequence[int]) -> Numbers:
    return np.array(values, dtype=np.int64)
