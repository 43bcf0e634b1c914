"""Ports of the reader strategy: facts of nodes, chunks with neighbours, and what was already read."""

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
    """All that the reading of one chunk brings back from the graph in one query."""

    chunk: Chunk
    document: Document
    facts: tuple[FactSource, ...] = ()  # that it carries, in the order of the text; quotes are of this chunk
    before: str | None = None  # ids of the chunks around it, in the live version
    after: str | None = None


class PathGraph(Protocol):
    """The part of the graph's read side that paths use. Every method is one round trip."""

    def facts_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[FactSource]:
        """Return the facts of key elements, each once with its best live place.

        Facts of near (ids) come first, in that order, however many the elements have; then grounded ones,
        then those that hold several of the elements. Of a hub only some hundred others are looked at.
        """

    def read_chunk(self, collection: str, chunk_id: str) -> ChunkReading | None:
        """Return a live chunk with its facts and the ids of the chunks before and after it."""

    def neighbours_of(
        self, collection: str, element_ids: Sequence[str], *, near: Sequence[str] = (), limit: int
    ) -> list[Neighbour]:
        """Return the key elements, other than these, that share live facts with them.

        Ranked by shared facts over the logarithm of their degree; ties by id. Each comes with the first fact
        of near (ids) that holds it, else with one that joins it.
        """

    def facts_held(
        self, collection: str, element_ids: Sequence[str], *, limit: int
    ) -> dict[str, tuple[str, ...]]:
        """Return the ids of the live facts of each key element, any so many of each."""


class Reads(Protocol):
    """Items that a job has read, so that nothing is read twice, by whichever path.

    What is given back goes with an item's outcome: it is recorded with the result, or not at all.
    """

    def take(self, reader: str, names: Sequence[str], most: int | None = None) -> list[str]:
        """Return those of the names that only this reader reads, in the given order, at most so many.

        From now on they are this reader's; asking again it gets what it got, whatever others gave back since.

        Args:
            reader: the item's id, so that an item that is done again reads what it read before.
            names: ids of nodes, facts and chunks, best first.
            most: stop after so many.
        """

    def by_others(self, reader: str, names: Sequence[str]) -> set[str]:
        """Return those of the names that another reader has taken."""

    def notes(self, reader: str) -> tuple[str, ...]:
        """Return the notes of the job's items as they stood when the reader first took or looked.

        They came with that answer: no round trip. An item that is done again reads the same. Oldest
        first, the latest only; empty before the reader has taken or looked.
        """


@dataclass
class OwnReads:
    """Records of reads in the memory of one process, for steps that run outside a ledger."""

    _readers: dict[str, str] = field(default_factory=dict)
    _shared: list[str] = field(default_factory=list)
    _seen: dict[str, int] = field(default_factory=dict)  # reader -> notes when it first looked
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, reader: str, names: Sequence[str], most: int | None = None) -> list[str]:
        """Return those of the names that only this reader reads."""
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
        """Let others read those of the names that are this reader's, as a ledger does it with the result."""
        with self._lock:
            for name in release.names:
                if self._readers.get(name) == release.reader:
                    del self._readers[name]

    def by_others(self, reader: str, names: Sequence[str]) -> set[str]:
        """Return those of the names that another reader has taken."""
        with self._lock:
            self._seen.setdefault(reader, len(self._shared))
            return {name for name in names if self._readers.get(name, reader) != reader}

    def share(self, notes: Sequence[str]) -> None:
        """Let others read notes, as a ledger does it with the result."""
        with self._lock:
            self._shared += notes

    def notes(self, reader: str) -> tuple[str, ...]:
        """Return the notes as they stood when the reader first took or looked."""
        return tuple(self._shared[: self._seen.get(reader, 0)])
