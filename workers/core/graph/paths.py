"""Ports of the reader strategy: facts of nodes, chunks with neighbours, and what was already read."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workers.core.jobs.work import GivenBack
from workers.core.model import Chunk, Document, FactSource, Frozen, Neighbour


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

    def neighbours_of(self, collection: str, element_ids: Sequence[str], *, limit: int) -> list[Neighbour]:
        """Return the key elements, other than these, that share live facts with them.

        Ranked by shared facts over the logarithm of their degree; ties by id.
        """


class Reads(Protocol):
    """What the items of a job have read, so that nothing is read twice, by whichever path.

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


@dataclass
class OwnReads:
    """Records of reads in the memory of one process, for steps that run outside a ledger."""

    _readers: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, reader: str, names: Sequence[str], most: int | None = None) -> list[str]:
        """Return those of the names that only this reader reads."""
        tried = list(dict.fromkeys(names))
        limit = len(tried) if most is None else most
        with self._lock:
            own = [name for name in tried if self._readers.get(name) == reader]
            free = [name for name in tried if name not in self._readers]
            taken = {*own[:limit], *free[: max(0, limit - len(own))]}
            self._readers |= dict.fromkeys(taken, reader)
        return [name for name in tried if name in taken]

    def give_back(self, given: GivenBack) -> None:
        """Let others read those of the names that are this reader's, as a ledger does it with the result."""
        with self._lock:
            for name in given.names:
                if self._readers.get(name) == given.reader:
                    del self._readers[name]

    def by_others(self, reader: str, names: Sequence[str]) -> set[str]:
        """Return those of the names that another reader has taken."""
        with self._lock:
            return {name for name in names if self._readers.get(name, reader) != reader}
