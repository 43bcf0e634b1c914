"""Caches snapshots of searched collections up to a limit, and takes them in the background."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from hopline.errors import HoplineError
from workers.adapters.neo4j.snapshot.said_chunks import SaidChunks
from workers.core.graph.surroundings import CollectionSize, SnapshotOutdated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workers.adapters.neo4j.connection import Connection
    from workers.adapters.neo4j.snapshot.snapshot import Snapshot

_SEARCHES = 3  # of a collection that has no snapshot, before one is taken
# A graph that was written to in the last seconds is about to be written to again.
_REST_SECONDS = 2.0
_AGAIN_SECONDS = 5.0  # from one try to the next
# Chunks that were read weigh some 2 kB a fact, the snapshot's own arrays some hundred bytes.
_SAID_SHARE = 10  # chunks are kept of one in so many facts that snapshots may hold
_SHARE = 20  # of the time goes into taking snapshots: one part at most
_READ_SECONDS = 120.0  # that one of the queries may take

_log = structlog.get_logger()


class Snapshots:
    """The snapshots of a process.

    Args:
        connection: connection to the graph.
        most: maximum number of facts in all of them; 0 for no snapshots.
        rest: seconds without a write to the graph before one is taken in the background.
    """

    def __init__(self, connection: Connection, most: int, rest: float = _REST_SECONDS) -> None:
        self._connection = connection
        self._most = most
        self._rest = rest
        self.chunk_cache = SaidChunks(most // _SAID_SHARE)
        self._kept: OrderedDict[str, Snapshot] = OrderedDict()  # by collection, the last used last
        self._searches: Counter[str] = Counter()  # without a snapshot
        self._not_before = 0.0  # time.monotonic() of the next try
        self._lock = threading.Lock()

    @property
    def facts(self) -> int:
        """The number of facts in all snapshots together."""
        return sum(kept.size.facts for kept in self._kept.values())

    def get(self, collection: str, facts: int) -> Snapshot | None:
        """Return a collection's snapshot, which `check` must confirm; if there is none, consider taking one.

        Args:
            collection: its name.
            facts: its approximate number of facts.
        """
        if not 0 < facts <= self._most:
            return None
        with self._lock:
            if kept := self._kept.get(collection):
                self._kept.move_to_end(collection)
                return kept
        self._miss(collection)
        return None

    def check(self, collection: str, mark: str, now: str) -> None:
        """Check that a collection's snapshot matches the graph's current state; else drop it.

        Args:
            collection: its name.
            mark: mark of the snapshot's state.
            now: mark of the graph's state.

        Raises:
            SnapshotOutdated: the states differ.
        """
        if mark == now:
            return
        with self._lock:  # the mark is the database's, so those that have the same are as old
            self._drop(mark)
        self._miss(collection)
        raise SnapshotOutdated

    def _miss(self, collection: str) -> None:
        """Count a search without a snapshot; after some, one is taken."""
        with self._lock:
            self._searches[collection] += 1
            due = self._searches[collection] >= _SEARCHES and time.monotonic() >= self._not_before
            if due:
                self._not_before = float("inf")  # one at a time
        if due:
            threading.Thread(target=self._take, args=(collection,), name="snapshot", daemon=True).start()

    def _drop(self, mark: str) -> None:
        for collection in [name for name, kept in self._kept.items() if kept.mark == mark]:
            del self._kept[collection]
        self.chunk_cache.clear()

    def take(self, collection: str, rest: float = 0.0) -> bool:
        """Take a snapshot; return whether nothing was written for the required time before, and meanwhile.

        Raises:
            DependencyAway, Transient, Permanent: the graph cannot be read.
        """
        from workers.adapters.neo4j.snapshot.snapshot import Snapshot  # noqa: PLC0415 - numpy

        mark = self._connection.mark()
        time.sleep(rest)
        if not mark or self._connection.mark() != mark:
            return False
        rows = partial(self._rows, mark)
        [(chunks, facts)] = rows("collection_size", collection=collection)
        if facts > self._most:
            return False
        self._make_room(facts, collection)
        snapshot = Snapshot(collection, mark, CollectionSize(chunks=chunks, facts=facts), rows)
        if self._connection.mark() != mark:
            return False
        with self._lock:
            self._kept[collection] = snapshot
            self._kept.move_to_end(collection)
            self._searches.pop(collection, None)
        return True

    def _make_room(self, facts: int, collection: str) -> None:
        """Drop a collection's snapshot, and the least recently used others, to make room for a new one."""
        with self._lock:
            self._kept.pop(collection, None)
            while self.facts + facts > self._most:
                self._kept.popitem(last=False)

    def _rows(self, mark: str, query: str, /, **parameters: Any) -> Iterator[list[Any]]:
        return self._connection.stream(query, _READ_SECONDS, mark, **parameters)

    def _take(self, collection: str) -> None:
        begun, taken = time.monotonic(), False
        try:
            taken = self.take(collection, self._rest)
        except HoplineError as error:
            _log.info("snapshot.failed", collection=collection, error=str(error)[:200])
        finally:
            seconds = time.monotonic() - begun - self._rest
            with self._lock:
                self._searches.clear()
                self._not_before = time.monotonic() + max(_AGAIN_SECONDS, _SHARE * seconds)
        if taken:
            _log.debug("snapshot.taken", collection=collection, seconds=round(seconds, 2))
