"""The contents of the documents of a scope, as columns in memory.

Documents share facts and key elements, but not places. Everything here depends on places, so that a
document's contents never show in a scope without it. All columns are ordered by id, so that their order does
not depend on other documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.adapters.neo4j.connection import Row
from workers.adapters.neo4j.scoped.columns import DocumentColumns, Mention, Numbers, Place
from workers.adapters.neo4j.scoped.words import Vocabulary, WordIndex
from workers.adapters.neo4j.snapshot.arrays import Links, grouped
from workers.core.graph.kept_versions import kept_id
from workers.core.ids import element_id
from workers.core.language.text import normalise


@dataclass(frozen=True, eq=False)
class Contents:
    """The columns; a place refers to its fact and its chunk by position, and so on."""

    documents: list[Row]  # those that have chunks, by id; see `rows.to_document`
    document_at: dict[str, int]  # id → position
    chunks: list[Row]  # by document, then index; see `rows.to_chunk`
    chunk_document: Numbers
    chunk_at: dict[str, int]
    facts: list[str]  # ids
    fact_at: dict[str, int]
    places: list[Place]  # by chunk, then start and fact
    place_fact: Numbers
    place_chunk: Numbers
    places_of: Links  # of each fact
    elements: list[str]  # ids
    element_at: dict[str, int]
    mentions: list[Mention]
    mention_place: Numbers
    mention_element: Numbers
    mentions_of: Links  # of each element
    words: WordIndex  # of the chunks, titles included

    @cached_property
    def facts_stated(self) -> int:
        """Number of facts that the documents state; a fact in two documents counts twice."""
        return sum(row["facts"] for row in self.documents)

    @cached_property
    def chunks_of(self) -> Links:
        """The chunks of each fact, in their order."""
        size = max(1, len(self.chunks))
        pairs = np.unique(self.place_fact * size + self.place_chunk)
        return Links((pairs % size).astype(np.int32), np.bincount(pairs // size, minlength=len(self.facts)))

    @cached_property
    def names(self) -> list[str]:
        """The names of the key elements."""
        return [self.mentions[first].name for first in self.mentions_of.first.tolist()]

    def stored_ids(self, store: str) -> dict[str, str]:
        """Map the name of each key element in a store to its id here.

        Args:
            store: a collection, whose names are the ids in its graph, or the store of its documents' earlier
                versions.
        """
        held = np.array([store_of(row) == store for row in self.documents], dtype=np.bool_)
        owners = self.chunk_document[self.place_chunk[self.mention_place]]
        mentions = np.flatnonzero(held[owners])
        named, first = np.unique(self.mention_element[mentions], return_index=True)
        rows = [self.documents[at] for at in owners[mentions[first]].tolist()]
        return {
            vector_name(element_id(row["collection"], self.names[at]), row): self.elements[at]
            for at, row in zip(named.tolist(), rows, strict=True)
        }

    @cached_property
    def titled(self) -> NDArray[np.bool_]:
        """Whether each mention comes only from the document's title."""
        return np.array([mention.titled for mention in self.mentions], dtype=np.bool_)

    @cached_property
    def spellings(self) -> dict[str, list[int]]:
        """The mentions of each normalised spelling."""
        mentions: dict[str, list[int]] = {}
        for at, mention in enumerate(self.mentions):
            for plain in {normalise(spelling) for spelling in mention.spelled}:
                mentions.setdefault(plain, []).append(at)
        return mentions


def store_of(document: Row) -> str:
    """Return the store of a document's vectors: its collection, or the store of its earlier versions."""
    store: str = document["store"] if "store" in document else document["collection"]
    return store


def vector_name(graph_id: str, document: Row) -> str:
    """Return the name that the vector of a chunk or a key element has there."""
    return kept_id(graph_id, document["key"]) if "key" in document else graph_id


def build_contents(documents: Sequence[tuple[Row, DocumentColumns]], vocabulary: Vocabulary) -> Contents:
    """Return the columns of some documents together.

    Args:
        documents: live documents with their columns.
        vocabulary: vocabulary of their word counts.
    """
    ordered = sorted((pair for pair in documents if pair[1].chunks), key=lambda pair: pair[0]["id"])
    columns = [own for _row, own in ordered]
    chunks = [chunk for own in columns for chunk in own.chunks]
    before = _starts(len(own.chunks) for own in columns)
    places = _starts(len(own.places) for own in columns)
    return Contents(
        documents=[row for row, _own in ordered],
        document_at=_positions([row["id"] for row, _own in ordered]),
        chunks=chunks,
        chunk_document=np.repeat(np.arange(len(columns)), np.diff(before)),
        chunk_at=_positions([chunk["id"] for chunk in chunks]),
        words=WordIndex([own.words for own in columns], vocabulary),
        place_chunk=_moved([own.place_chunk for own in columns], before),
        **_fact_columns(columns),
        mention_place=_moved([own.mention_place for own in columns], places),
        **_element_columns(columns),
    )


def _fact_columns(columns: Sequence[DocumentColumns]) -> dict[str, Any]:
    facts, fact_at, place_fact = _ranked([name for own in columns for name in own.place_fact])
    return {
        "facts": facts,
        "fact_at": fact_at,
        "places": list(chain.from_iterable(own.places for own in columns)),
        "place_fact": place_fact,
        "places_of": grouped(place_fact, len(facts)),
    }


def _element_columns(columns: Sequence[DocumentColumns]) -> dict[str, Any]:
    mentions = list(chain.from_iterable(own.mentions for own in columns))
    elements, element_at, mention_element = _ranked([mention.element for mention in mentions])
    return {
        "elements": elements,
        "element_at": element_at,
        "mentions": mentions,
        "mention_element": mention_element,
        "mentions_of": grouped(mention_element, len(elements)),
    }


def _ranked(ids: Sequence[str]) -> tuple[list[str], dict[str, int], Numbers]:
    """Return the distinct ids in order, the position of each, and the positions of all given ids."""
    distinct = sorted(set(ids))
    at = _positions(distinct)
    return distinct, at, np.fromiter(map(at.__getitem__, ids), np.int64, len(ids))


def _starts(sizes: Iterable[int]) -> Numbers:
    return np.cumsum([0, *sizes])


def _moved(own: Sequence[Numbers], starts: Numbers) -> Numbers:
    """Return the positions within each document as positions in the joint columns."""
    counts = [len(numbers) for numbers in own]
    together = np.concatenate([np.zeros(0, np.int64), *own])
    moved: Numbers = together + np.repeat(starts[:-1], counts)
    return moved


def _positions(ids: Sequence[str]) -> dict[str, int]:
    return {name: at for at, name in enumerate(ids)}
