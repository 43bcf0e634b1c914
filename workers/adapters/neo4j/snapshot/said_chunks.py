"""A cache of chunks that searches have read recently, in one state of the graph."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from workers.core.graph.surroundings import SaidChunk

Key = tuple[str, int, str]  # collection, facts at most, chunk


class SaidChunks:
    """The recently used chunks of a process or of a view.

    A state covers the whole database, so chunks of any other state than the latest are useless; a view has
    only one state.

    Args:
        most: maximum number of facts in all chunks; a chunk without facts counts as one.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._mark = ""
        self._kept: OrderedDict[Key, SaidChunk] = OrderedDict()  # the last used last
        self._facts = 0
        self._lock = threading.Lock()

    def read(
        self,
        mark: str,
        collection: str,
        ids: Sequence[str],
        max_facts: int,
        fetch: Callable[[list[str]], list[SaidChunk]],
    ) -> list[SaidChunk]:
        """Return the given chunks that are live in a state, in the given order.

        Args:
            mark: mark of the state, which was the graph's a moment ago.
            collection: collection of the chunks.
            ids: distinct ids.
            max_facts: maximum number of facts per chunk.
            fetch: reads chunks from the graph.
        """
        held = self._held(mark, [(collection, max_facts, name) for name in ids])
        if missing := [name for name in ids if name not in held]:
            fresh = {chunk.chunk.id: chunk for chunk in fetch(missing)}
            self._keep(mark, {(collection, max_facts, name): chunk for name, chunk in fresh.items()})
            held |= fresh
        return [held[name] for name in ids if name in held]

    def clear(self) -> None:
        """Drop all chunks."""
        with self._lock:
            self._kept.clear()
            self._facts = 0

    def _held(self, mark: str, keys: Sequence[Key]) -> dict[str, SaidChunk]:
        with self._lock:
            if mark != self._mark:
                return {}
            for key in (held := [key for key in keys if key in self._kept]):
                self._kept.move_to_end(key)
            return {key[-1]: self._kept[key] for key in held}

    def _keep(self, mark: str, fresh: dict[Key, SaidChunk]) -> None:
        with self._lock:
            if mark != self._mark:
                self._mark, self._facts = mark, 0
                self._kept.clear()
            for key, chunk in fresh.items():
                if key not in self._kept:  # another thread may have read it meanwhile
                    self._kept[key] = chunk
                    self._facts += _weight(chunk)
            while self._facts > self._most:
                _key, oldest = self._kept.popitem(last=False)
                self._facts -= _weight(oldest)


def _weight(chunk: SaidChunk) -> int:
    return max(1, len(chunk.facts))
