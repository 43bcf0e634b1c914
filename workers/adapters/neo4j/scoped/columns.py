"""The contents of one document as columns, which depend on nothing else and are built once per version."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workers.adapters.neo4j.connection import Row
from workers.adapters.neo4j.scoped.words import CountedWords, Vocabulary
from workers.core.graph.elements import normalise_element
from workers.core.ids import element_id

Numbers = NDArray[np.int64]


class ChunkRow(NamedTuple):
    """A live chunk."""

    properties: Row  # see `rows.to_chunk`
    # Each with id, text, start, end (offsets within the chunk), match, grounded, what it names, and whether
    # the title's element is tied to it.
    facts: list[list[Any]]


class Place(NamedTuple):
    """The place of a fact in a chunk."""

    start: int  # offsets within the chunk
    end: int
    match: float
    grounded: bool
    text: str  # of the fact, as worded there


class Mention(NamedTuple):
    """An element that a place names."""

    element: str  # id
    name: str
    spelled: tuple[str, ...]
    titled: bool  # by the document's title only


@dataclass(frozen=True, slots=True, eq=False)
class DocumentColumns:
    """A document's chunks, places and mentions; positions count from 0 within it."""

    chunks: list[Row]  # by index
    places: list[Place]  # by chunk, then start and fact
    place_fact: list[str]  # ids
    place_chunk: Numbers
    mentions: list[Mention]
    mention_place: Numbers
    words: CountedWords  # of the chunks, title included


def document_columns(
    collection: str, title: str, rows: Sequence[ChunkRow], vocabulary: Vocabulary
) -> DocumentColumns:
    """Return the columns of a document.

    Args:
        collection: collection of the document.
        title: title of the document.
        rows: its chunks, in any order.
        vocabulary: collects new words.
    """
    chunks = sorted(rows, key=lambda row: row.properties["index"])
    facts = [
        (at, fact)
        for at, row in enumerate(chunks)
        for fact in sorted(row.facts, key=lambda fact: (fact[2], fact[0]))
    ]
    line = " ".join(title.split())
    named = [
        (place, mention)
        for place, (_at, fact) in enumerate(facts)
        for mention in _named(collection, fact, line)
    ]
    return DocumentColumns(
        chunks=[row.properties for row in chunks],
        places=[Place(fact[2], fact[3], fact[4], fact[5], fact[1]) for _at, fact in facts],
        place_fact=[sys.intern(fact[0]) for _at, fact in facts],
        place_chunk=_numbers([at for at, _fact in facts]),
        mentions=[mention for _place, mention in named],
        mention_place=_numbers([place for place, _mention in named]),
        words=vocabulary.counted([f"{title}\n{row.properties['text']}" for row in chunks]),
    )


def _named(collection: str, fact: Sequence[Any], title: str) -> Iterator[Mention]:
    """Yield the key elements of a place with their spellings."""
    for line in sorted(fact[6]):
        name, *spelled = line.split("\t")
        yield Mention(sys.intern(element_id(collection, name)), name, tuple(spelled), titled=False)
    if fact[7] and (name := normalise_element(title)):
        yield Mention(sys.intern(element_id(collection, name)), name, (title,), titled=True)


def _numbers(values: Sequence[int]) -> Numbers:
    return np.array(values, dtype=np.int64)
