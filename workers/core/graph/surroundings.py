"""Data that search reads from the graph: the neighbourhood of key elements, matching chunks, and facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from hopline.models.base import Frozen
from hopline.models.documents import Chunk, Document
from workers.core.records import Hit

FACTS_OF_ELEMENT = 100  # that a walk reads at most
_DOCUMENTS, _SHARE = 3, 0.05  # in a language, or of all: from either on questions are asked in it, too


class NamedElement(Frozen):
    """A key element found by the id of one of its spellings."""

    asked: str  # the id that was looked for: the element's own, or that of one merged into it
    id: str
    name: str
    degree: int  # facts that hold it
    chunks: int  # chunks that hold it; for a frequent one an estimate from some of its facts
    aliases: tuple[str, ...] = ()  # spellings seen, sorted; where they were asked for


class FactLinks(NamedTuple):
    """A live fact with its connections; a plain tuple, because one walk uses hundreds of them."""

    fact: str
    chunks: list[str]
    elements: list[tuple[str, int]]  # id, degree


class FactColumns(NamedTuple):
    """Live facts with their connections, in columns, from which a walk makes arrays."""

    facts: list[str]
    chunks: list[str]  # of one fact after another; of each by id
    chunk_counts: list[int]  # by fact
    elements: list[str]  # in the same way
    degrees: list[int]  # of the elements
    element_counts: list[int]


def columns_of(links: Iterable[FactLinks]) -> FactColumns:
    """Return the same facts in columns."""
    columns = FactColumns([], [], [], [], [], [])
    for link in links:
        pairs = sorted(link.elements)
        columns.facts.append(link.fact)
        columns.chunks.extend(sorted(link.chunks))
        columns.chunk_counts.append(len(link.chunks))
        columns.elements.extend([name for name, _degree in pairs])
        columns.degrees.extend([degree for _name, degree in pairs])
        columns.element_counts.append(len(pairs))
    return columns


def most_used(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return languages ordered by number of documents, the most frequent first.

    A language with few documents among many is left out: they may be misdetected, and every question would be
    translated into it.

    Args:
        counts: number of documents per language; "" for those without one.
    """
    least = min(_DOCUMENTS, _SHARE * sum(counts.values()))
    used = [language for language, documents in counts.items() if language and documents >= least]
    return tuple(sorted(used, key=lambda language: (-counts[language], language)))


@dataclass(frozen=True)
class CollectionSize:
    """The size of a collection."""

    chunks: int
    facts: int


class SaidFact(NamedTuple):
    """A fact of a chunk, with its key elements as (id, name)."""

    id: str
    text: str
    elements: tuple[tuple[str, str], ...] = ()


class SaidChunk(Frozen):
    """A live chunk with its document and its facts, in the order of the text."""

    chunk: Chunk
    document: Document
    facts: tuple[SaidFact, ...] = ()


class WalkSource(Protocol):
    """The reads of a walk in one collection."""

    def elements_found(self, ids: Sequence[str]) -> list[NamedElement]:
        """Return the key elements with these ids that live facts mention; redirects are resolved."""

    def facts_around(self, element_ids: Sequence[str], limit: int) -> FactColumns:
        """Return live facts of the given key elements with their connections, up to `limit` per element."""

    def names(self, ids: Sequence[str]) -> dict[str, str]:
        """Return id → name of the key elements that live facts mention."""


class SnapshotOutdated(Exception):
    """The graph has changed since a snapshot of it was taken."""


class GraphSnapshot(WalkSource, Protocol):
    """A collection in memory, as of one state of the graph; it queries no server."""

    @property
    def mark(self) -> str:
        """The identifier of that state."""

    @property
    def size(self) -> CollectionSize:
        """The size of the collection."""


class AroundGraph(Protocol):
    """The part of the graph's read side that searches use. Every method takes one round trip."""

    def size(self, collection: str) -> CollectionSize:
        """Return the number of live chunks and facts in a collection; facts of two documents count twice."""

    def languages(self, collection: str) -> tuple[str, ...]:
        """Return the languages of a collection's live documents, the most frequent first."""

    def elements_found(
        self, collection: str, ids: Sequence[str], *, spellings: bool = False
    ) -> list[NamedElement]:
        """Return the key elements that live facts mention; redirects are resolved to their targets.

        Args:
            collection: collection of the elements.
            ids: ids of elements; those not found are left out.
            spellings: also return their aliases.
        """

    def facts_around(self, collection: str, element_ids: Sequence[str], limit: int) -> FactColumns:
        """Return live facts of the given key elements with their connections, up to `limit` per element."""

    def chunks_like(
        self, collection: str, texts: Sequence[str], limit: int, snapshot: GraphSnapshot | None = None
    ) -> list[list[Hit]]:
        """Return per text the live chunks that contain some of its words in text or title, best (BM25) first.

        Raises:
            SnapshotOutdated: something was written to the graph since the snapshot was taken.
        """

    def snapshot(self, collection: str) -> GraphSnapshot | None:
        """Return the collection in memory, if it is loaded; `chunks_like` checks whether it is current."""

    def chunks_said(
        self,
        collection: str,
        chunk_ids: Sequence[str],
        max_facts: int,
        snapshot: GraphSnapshot | None = None,
    ) -> list[SaidChunk]:
        """Return live chunks in the given order, each with up to `max_facts` of its facts.

        Args:
            collection: collection of the chunks.
            chunk_ids: ids in the order wanted.
            max_facts: maximum number of facts per chunk.
            snapshot: a snapshot that `chunks_like` found current; data as of its state may come from memory.
        """
