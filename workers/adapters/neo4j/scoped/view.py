"""The contents of a set of documents, selected from a collection's columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from threading import RLock
from types import MappingProxyType
from typing import Any

import numpy as np

from hopline.models.documents import Chunk, Document, KeyElement
from hopline.models.graph import Passage
from workers.adapters.neo4j.rows import kept_places, to_chunk, to_document
from workers.adapters.neo4j.scoped.columns import Numbers
from workers.adapters.neo4j.scoped.contents import Contents, store_of, vector_name
from workers.adapters.neo4j.snapshot.arrays import Links, grouped
from workers.adapters.neo4j.snapshot.said_chunks import SaidChunks
from workers.core.graph.elements import spelled
from workers.core.graph.kept_versions import KeptSpan, shown_time
from workers.core.graph.neighbourhood import Piece, cut_passage
from workers.core.records import FactSource

# Most facts of the chunks that a view keeps as searches read them: so many, and one in so many of its own.
_SAID_FACTS, _SAID_SHARE = 500, 10
NO_MERGES: Mapping[str, str] = MappingProxyType({})


class View:
    """The documents of a scope; every number refers only to them.

    Args:
        contents: their contents.
        merges: for each merged key element, the id of its target.
    """

    def __init__(self, contents: Contents, merges: Mapping[str, str] = NO_MERGES) -> None:
        self.contents = contents
        self._documents: dict[int, Document] = {}  # those that were asked for, by position
        self._key_elements: dict[int, KeyElement] = {}  # likewise
        self._shown_names: dict[int, str] = {}
        self._chunk_counts: dict[int, int] = {}
        self._kept: dict[str, Any] = {}
        self._finding = RLock()  # two steps that need the same find it once
        size = max(1, len(contents.elements))
        self._home = _homes(contents, merges)
        facts = contents.place_fact[contents.mention_place]
        keys, nth = np.unique(facts * size + self._home[contents.mention_element], return_inverse=True)
        self._pair_fact, self._pair_element = keys // size, keys % size
        plain = np.bincount(nth, weights=~contents.titled, minlength=len(keys))
        self._pair_titled = plain == 0
        self._pairs_of_fact = grouped(self._pair_fact, len(contents.facts))
        self._pairs_of_element = grouped(self._pair_element, len(contents.elements))
        self.degrees = np.bincount(self._pair_element, minlength=len(contents.elements))

    @cached_property
    def chunk_cache(self) -> SaidChunks:
        """The chunks that searches have read recently."""
        return SaidChunks(_SAID_FACTS + self.contents.facts_stated // _SAID_SHARE)

    @cached_property
    def chunk_ids(self) -> frozenset[str]:
        """The ids of the chunks."""
        return frozenset(self.contents.chunk_at)

    @cached_property
    def element_ids(self) -> frozenset[str]:
        """The ids of the key elements."""
        return frozenset(self.contents.elements[at] for at in np.flatnonzero(self.degrees).tolist())

    def chunks_in(self, store: str) -> dict[str, str]:
        """Map the name of each chunk's vector in a store to the chunk's id.

        Args:
            store: a collection, or the store of its documents' earlier versions.
        """
        contents = self.contents
        owners = (contents.documents[owner] for owner in contents.chunk_document.tolist())
        return {
            vector_name(chunk["id"], owner): chunk["id"]
            for chunk, owner in zip(contents.chunks, owners, strict=True)
            if store_of(owner) == store
        }

    def elements_in(self, store: str) -> dict[str, str]:
        """Return the result of `stored_ids` for the key elements that facts mention, after merges."""
        stored = self.contents.stored_ids(store).items()
        return {own: here for own, here in stored if self.degrees[self.contents.element_at[here]]}

    def kept(self, name: str, find: Callable[[], Any]) -> Any:
        """Return a value derived from the view, computed once and cached with it."""
        with self._finding:
            if name not in self._kept:
                self._kept[name] = find()
            return self._kept[name]

    def document(self, name: str) -> Document | None:
        """Return a document by id."""
        at = self.contents.document_at.get(name)
        return None if at is None else self._document(at)

    def ended(self, name: str) -> KeptSpan | None:
        """Return the ended version of a document; None if it is live."""
        at = self.contents.document_at.get(name)
        row = {} if at is None else self.contents.documents[at]
        return KeptSpan(row["live"], shown_time(row["until"])) if "key" in row else None

    def passage(self, name: str, start: int, end: int) -> Passage | None:
        """Return part of a document's text, as far as it exists; None if the document is not in the view."""
        document = self.document(name)
        if document is None:
            return None
        owner = self.contents.document_at[name]
        chunks = [self.contents.chunks[at] for at in np.flatnonzero(self.contents.chunk_document == owner)]
        length = max(chunk["end"] for chunk in chunks)
        pieces = [Piece(chunk["start"], chunk["text"]) for chunk in chunks]
        return cut_passage(document, pieces, length, start, end)

    def element(self, name: str) -> int | None:
        """Return the position of a key element by id; None if no fact mentions it."""
        named = self.contents.element_at.get(name)
        at = None if named is None else int(self._home[named])
        return at if at is not None and self.degrees[at] else None

    def key_element(self, at: int) -> KeyElement:
        """Return a key element with its spellings."""
        if at not in self._key_elements:
            self._key_elements[at] = self._read_key_element(at)
        return self._key_elements[at]

    def shown_name(self, at: int) -> str:
        """Return a key element's name as spelled in the scope's documents."""
        if at not in self._shown_names:
            element = self.key_element(at)
            self._shown_names[at] = spelled(element.name, element.aliases)
        return self._shown_names[at]

    def _read_key_element(self, at: int) -> KeyElement:
        contents = self.contents
        seen = {
            spelling
            for member in self._members.at(at).tolist()
            for mention in contents.mentions_of.at(member).tolist()
            for spelling in contents.mentions[mention].spelled
        }
        return KeyElement(id=contents.elements[at], name=contents.names[at], aliases=tuple(sorted(seen)))

    @cached_property
    def _members(self) -> Links:
        """The key elements merged into each, including itself."""
        return grouped(self._home, len(self.contents.elements))

    def spelled(self, plain: str) -> set[int]:
        """Return the key elements with a spelling that normalises to a text."""
        contents = self.contents
        mentions = contents.spellings.get(plain, ())
        return {int(self._home[contents.mention_element[mention]]) for mention in mentions}

    def chunk_count(self, element: int) -> int:
        """Return the number of chunks that mention a key element."""
        if element not in self._chunk_counts:
            chunks, _counts = self.contents.chunks_of.of(self.facts_of(element))
            self._chunk_counts[element] = len(np.unique(chunks))
        return self._chunk_counts[element]

    def facts_of(self, element: int) -> Numbers:
        """Return the facts that mention a key element, by id."""
        facts: Numbers = self._pair_fact[self._pairs_of_element.at(element)]
        return facts

    def elements_of(self, fact: int) -> list[tuple[int, bool]]:
        """Return the key elements of a fact by id, each with whether only document titles name it."""
        pairs = self._pairs_of_fact.at(fact)
        return list(zip(self._pair_element[pairs].tolist(), self._pair_titled[pairs].tolist(), strict=True))

    def elements_by_fact(self, facts: Sequence[int]) -> tuple[Numbers, list[int]]:
        """Return the concatenated key elements of some facts, by id, and their number for each fact."""
        pairs, counts = self._pairs_of_fact.of(facts)
        return self._pair_element[pairs], counts

    def places_of(self, fact: int) -> list[int]:
        """Return the places of a fact, by document and chunk."""
        places: list[int] = self.contents.places_of.at(fact).tolist()
        return places

    def places_in(self, chunk: int) -> Sequence[int]:
        """Return the places in a chunk, by start and fact."""
        first, last = np.searchsorted(self.contents.place_chunk, [chunk, chunk + 1])
        return range(int(first), int(last))

    def named_at(self, place: int) -> Iterator[int]:
        """Yield the key elements that one place names."""
        first, last = np.searchsorted(self.contents.mention_place, [place, place + 1])
        yield from self._home[self.contents.mention_element[first:last]].tolist()

    def best_place(self, places: Sequence[int], preferred: Collection[int] = ()) -> int:
        """Return the place that supports a fact best.

        Args:
            places: places of the fact; at least one.
            preferred: key elements; a document whose title ties the fact to one of them comes first.
        """

        def rank(place: int) -> tuple[bool, bool, float, int]:
            at = self.contents.places[place]
            titled = bool(preferred) and any(element in preferred for element in self.named_at(place))
            return not titled, not at.grounded, -at.match, place

        return min(places, key=rank)

    def best_of(self, fact: int, elements: Collection[int]) -> int:
        """Return the best place of a fact for some of its key elements."""
        by_title = {element for element, titled in self.elements_of(fact) if titled and element in elements}
        return self.best_place(self.places_of(fact), by_title)

    def source(self, place: int) -> FactSource:
        """Return a place with its text."""
        contents = self.contents
        at, chunk = contents.places[place], int(contents.place_chunk[place])
        properties, document = contents.chunks[chunk], self.document_of(chunk)
        return FactSource(
            fact_id=contents.facts[contents.place_fact[place]],
            fact=at.text,
            chunk_id=properties["id"],
            document_id=document.id,
            title=document.title,
            uri=document.uri,
            start=properties["start"] + at.start,
            end=properties["start"] + at.end,
            match=at.match,
            grounded=at.grounded,
            quote=properties["text"][at.start : at.end],
            chunk_start=properties["start"],
            chunk_places=kept_places(properties["place"]),
        )

    def text_of(self, fact: int) -> str:
        """Return a fact as worded at its first place."""
        return self.contents.places[self.places_of(fact)[0]].text

    def fact(self, name: str) -> int | None:
        """Return the position of a fact by id; None if no document states it."""
        return self.contents.fact_at.get(name)

    def chunk(self, name: str) -> int | None:
        """Return the position of a chunk by id."""
        return self.contents.chunk_at.get(name)

    def chunk_record(self, at: int) -> Chunk:
        """Return a chunk."""
        return to_chunk(self.contents.chunks[at])

    def chunk_name(self, at: int) -> str:
        """Return a chunk's id."""
        name: str = self.contents.chunks[at]["id"]
        return name

    def document_of(self, chunk: int) -> Document:
        """Return the document of a chunk."""
        return self._document(int(self.contents.chunk_document[chunk]))

    def _document(self, at: int) -> Document:
        if at not in self._documents:
            self._documents[at] = to_document(self.contents.documents[at]).as_live
        return self._documents[at]

    def beside(self, chunk: int, step: int) -> str | None:
        """Return the id of the chunk at a distance in the same document."""
        other, owners = chunk + step, self.contents.chunk_document
        if not 0 <= other < len(owners) or owners[other] != owners[chunk]:
            return None
        return self.chunk_name(other)


def _homes(contents: Contents, merges: Mapping[str, str]) -> Numbers:
    """Return the target of each key element's merges, following only key elements of the view."""
    homes = np.arange(len(contents.elements))
    for source in merges:
        at = contents.element_at.get(source)
        if at is None:
            continue
        seen, name = {source}, source
        while (name := merges.get(name, "")) in contents.element_at and name not in seen:
            seen.add(name)
            homes[at] = contents.element_at[name]
    return homes
