"""Ports of the reader strategy: facts of nodes, chunks with neighbours, and a record of earlier reads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hopline.models.base import Frozen
from hopline.models.documents import Chunk, Document
from workers.core.jobs.work import GivenBack
from workers.core.records import FactSource, Neighbour


class ChunkReading(Frozen):
    """The data that reading one chunk takes from the graph in one query."""

    chunk: Chunk
    document: Document
    facts: tuple[FactSource, ...] = ()  # that it carries, in the order of the text; quotes are of this chunk
    before: str | None = None  # ids of the chunks around it, in the live version
    after: str | None = None


class PathGraph(Protocol):
    """The part of the graph's read side that paths use. Every method takes one round trip."""

    def facts_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[FactSource]:
        """Return the facts of key elements, each once with its best live place.

        Facts in `near` (ids) come first, in that order, however many the elements have; then grounded ones,
        then those that contain several of the elements. For a hub, only a few hundred others are considered.
        """

    def read_chunk(self, collection: str, chunk_id: str) -> ChunkReading | None:
        """Return a live chunk with its facts and the ids of the chunks before and after it."""

    def neighbours_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[Neighbour]:
        """Return the other key elements that share live facts with the given ones.

        They are ranked by shared facts over the logarithm of their degree; ties by id. Each comes with the
        first fact in `near` (ids) that contains it, or else with one that connects it.
        """

    def facts_held(
        self, collection: str, element_ids: Sequence[str], *, limit: int
    ) -> dict[str, tuple[str, ...]]:
        """Return the ids of live facts of each key element, up to `limit` of each, in no particular order."""


class Reads(Protocol):
    """The items a job has read, so that no path reads an item twice.

    Items given back are recorded together with the item's outcome, or not at all.
    """

    def take(self, reader: str, names: Sequence[str], most: int | None = None) -> list[str]:
        """Return the names that only this reader reads, in the given order, up to `most`.

        They belong to this reader from now on; a repeated call returns the same names, whatever others have
        given back since.

        Args:
            reader: the item's id, so that a repeated item reads the same again.
            names: ids of nodes, facts and chunks, best first.
            most: maximum number of names.
        """

    def by_others(self, reader: str, names: Sequence[str]) -> set[str]:
        """Return the names that another reader has taken."""

    def notes(self, reader: str) -> tuple[str, ...]:
        """Return the notes of the job's items as of the reader's first call of `take` or `by_others`.

        They were delivered with that call, so this takes no round trip; a repeated item reads the same notes.
        Oldest first, only the latest; empty before that call.
        """


@dataclass
class OwnReads:
    """Records of reads in the memory of one process, for steps that run without a ledger."""

    _readers: dict[str, str] = field(default_factory=dict)
    _shared: list[str] = field(default_factory=list)
    _seen: dict[str, int] = field(default_factory=dict)  # reader -> notes when it first looked
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, reader: str, names: Sequence[str], most: int | None = None) -> list[str]:
        """Return the names that only this reader reads."""
        tried = list(dict.fromkeys(names))
        limit = len(tried) if most is None else most
        with self._lock:
            self._seen.setdefault(reader, len(self._shared))
            own = [name for name in tried if self._readers.get(name) == reader]
            free = [name for name in tried if name not in self._readers]
            taken = {*own[:limit], *free[: max(0, limit - len(own))]}
            self._readers |= dict.fromkeys(taken, reader)
        return [name for name in tried if name in taken]

    def give_back(self, release: GivenBack) -> None:
        """Release the names that this reader has taken, as a ledger does together with the result."""
        with self._lock:
            for name in release.names:
                if self._readers.get(name) == release.reader:
                    del self._readers[name]

    def by_others(self, reader: str, names: Sequence[str]) -> set[str]:
        """Return the names that another reader has taken."""
        with self._lock:
            self._seen.setdefault(reader, len(self._shared))
            return {name for name in names if self._readers.get(name, reader) != reader}

    def share(self, notes: Sequence[str]) -> None:
        """Make notes visible to other readers, as a ledger does together with the result."""
        with self._lock:
            self._shared += notes

    def notes(self, reader: str) -> tuple[str, ...]:
        """Return the notes as they were when the reader first called `take` or `by_others`."""
        return tuple(self._shared[: self._seen.get(reader, 0)])
