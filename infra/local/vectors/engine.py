"""Stores collections on disk, each as a shard of Qdrant's engine."""

from __future__ import annotations

import fcntl
import shutil
import threading
import time
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
import qdrant_edge as edge
import structlog

from infra.local.vectors.memory import Memory, filter_of
from infra.local.vectors.refusals import Json, Refused, collection_exists, no_collection
from infra.local.vectors.rows import FULL_SCAN, Conditions
from infra.local.vectors.translate import read_queries, show_hit

_MARKER = "collection.json"  # written last when created, removed first when deleted
_DISTANCES = {
    "Cosine": edge.Distance.Cosine,
    "Dot": edge.Distance.Dot,
    "Euclid": edge.Distance.Euclid,
    "Manhattan": edge.Distance.Manhattan,
}
DISTANCES = tuple(_DISTANCES)
_MEMORY_BYTES = 256 * 1024 * 1024  # of all collections
_PAGE = 500  # points that are read into memory in one turn
log = structlog.get_logger()


class Shard:
    """One collection. Calls except the flush take turns; the write-ahead log makes writes durable.

    Args:
        page: number of points read into memory in one turn.
        full_scan: largest partition in points that is compared completely.

    Attributes:
        dimension: the length of its vectors.
        distance: one of DISTANCES.
        memory: its partitions in memory.
    """

    def __init__(
        self,
        name: str,
        shard: edge.EdgeShard,
        dimension: int,
        distance: str,
        *,
        page: int = _PAGE,
        full_scan: int = FULL_SCAN,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.distance = distance
        self._shard = shard
        self._page = page
        self.memory = Memory(dimension, distance, full_scan)
        # Taking turns costs nothing: two threads on one shard were measured no faster than one.
        self._turn = threading.Lock()
        self._closing = threading.Lock()
        self._closed = False
        self._dirty = False

    @contextmanager
    def opened(self) -> Iterator[edge.EdgeShard]:
        """Take a turn; refuse if the collection was deleted meanwhile."""
        with self._turn:
            if self._closed:
                raise no_collection(self.name)
            yield self._shard

    def update(self, operation: edge.UpdateOperation, points: Collection[Any] | None = ()) -> None:
        """Apply a write; on return it is readable and survives a crash of this process.

        Args:
            operation: the engine's operation.
            points: ids of the points that it may change; None for any.
        """
        with self.opened() as shard:
            self._dirty = True
            try:
                shard.update(operation)
                if points is None:
                    self.memory.clear()
                else:
                    self.memory.refresh(shard, points)
            except Exception:  # it may be written in part
                self.memory.clear()
                raise

    def query(self, bodies: Sequence[Any]) -> list[list[Json]]:
        """Return the hits of each query in REST form, from memory if possible.

        Args:
            bodies: bodies of the queries.
        """
        with self.opened() as shard:
            answers = self.memory.answer(bodies)
            left = [body for body, hits in zip(bodies, answers, strict=True) if hits is None]
            requests = read_queries(left, self.dimension)
            others = iter(shard.query_batch(edge.QueryBatchRequest(requests)) if requests else ())
            return [[show_hit(hit) for hit in next(others)] if hits is None else hits for hits in answers]

    def keep(self, most: int) -> int:
        """Load frequently queried partitions into memory and drop others; return the bytes in use.

        Args:
            most: maximum number of bytes.
        """
        with self.opened():
            self.memory.forget_idle(time.monotonic())
            if self.memory.size > most:
                self.memory.clear()
            wanted = self.memory.wanted()
        for conditions in wanted:
            self._take(conditions, most)
        with self.opened():
            return self.memory.size

    def _take(self, conditions: Conditions, most: int) -> None:
        chosen = filter_of(conditions)
        with self.opened() as shard:
            points = shard.count(edge.CountRequest(exact=True, filter=chosen))
            rows = self.memory.begin(conditions, points, most - self.memory.size)
        following: Any = None
        while rows is not None:
            request = edge.ScrollRequest(
                offset=following, limit=self._page, filter=chosen, with_payload=True, with_vector=True
            )
            with self.opened() as shard:  # page by page, so that others have their turn between
                if not self.memory.has(rows):
                    return
                records, following = shard.scroll(request)
                rows.put(records)
                if following is None:
                    self.memory.finish(conditions)
                    return

    def flush(self) -> None:
        """Write segments to disk, so that the log stays short; runs concurrently with reads and writes."""
        with self._closing:
            if self._dirty and not self._closed:
                self._dirty = False
                self._shard.flush()

    def close(self) -> None:
        """Flush and release the files."""
        with self._turn, self._closing:
            if not self._closed:
                self._closed = True
                self._shard.close()


class Store:
    """The collections of a folder, which only one process may serve.

    Args:
        folder: folder with all their files.
        page: number of points read into memory in one turn.
        full_scan: largest partition in points that is compared completely.
    """

    def __init__(self, folder: Path, *, page: int = _PAGE, full_scan: int = FULL_SCAN) -> None:
        self._page, self._full_scan = page, full_scan
        folder.mkdir(parents=True, exist_ok=True)
        self._lock_file = _lock_folder(folder)
        self._folder = folder
        self._guard = threading.Lock()
        self._shards: dict[str, Shard] = {}
        for path in sorted(p for p in folder.iterdir() if p.is_dir()):
            self._open(path)

    def _open(self, path: Path) -> None:
        marker = path / _MARKER
        if not marker.is_file():  # died while creating or deleting it: neither was acknowledged as kept
            shutil.rmtree(path)
            return
        kept: dict[str, Any] = orjson.loads(marker.read_bytes())
        shard = edge.EdgeShard.load(str(path))
        self._add(shard, kept["name"], kept["dimension"], kept["distance"])
        log.info("collection.loaded", collection=kept["name"], points=shard.info().points_count)

    def _add(self, shard: edge.EdgeShard, name: str, dimension: int, distance: str) -> None:
        self._shards[name] = Shard(
            name, shard, dimension, distance, page=self._page, full_scan=self._full_scan
        )

    def names(self) -> list[str]:
        """Return the collections' names, sorted."""
        return sorted(self._shards)

    def __contains__(self, name: str) -> bool:
        return name in self._shards

    def shard(self, name: str) -> Shard:
        """Return a collection; refuse with 404 if there is none with this name."""
        try:
            return self._shards[name]
        except KeyError:
            raise no_collection(name) from None

    def create(self, name: str, dimension: int, distance: str) -> None:
        """Create a collection; refuse with 409 if it exists."""
        with self._guard:
            if name in self._shards:
                raise collection_exists(name)
            path = self._folder / uuid.uuid4().hex
            path.mkdir()
            params = edge.EdgeVectorParams(size=dimension, distance=_DISTANCES[distance])
            shard = edge.EdgeShard.create(str(path), edge.EdgeConfig(vectors=params, wal_enabled=True))
            kept = {"name": name, "dimension": dimension, "distance": distance}
            fresh = path / (_MARKER + ".new")
            fresh.write_bytes(orjson.dumps(kept))
            fresh.rename(path / _MARKER)
            self._add(shard, name, dimension, distance)

    def delete(self, name: str) -> bool:
        """Remove a collection with its files; return whether there was one."""
        with self._guard:
            shard = self._shards.pop(name, None)
            if shard is None:
                return False
            path = self._path_of(name)
            (path / _MARKER).unlink()
            shard.close()
            shutil.rmtree(path)
            return True

    def _path_of(self, name: str) -> Path:
        for marker in self._folder.glob(f"*/{_MARKER}"):
            if orjson.loads(marker.read_bytes())["name"] == name:
                return marker.parent
        raise Refused(500, f"the files of collection `{name}` are gone")

    def flush(self) -> None:
        """Flush every changed collection."""
        for shard in list(self._shards.values()):
            shard.flush()

    def keep(self) -> None:
        """Load frequently searched partitions into memory and drop others."""
        left = _MEMORY_BYTES
        for shard in list(self._shards.values()):
            with suppress(Refused):  # deleted meanwhile
                left -= shard.keep(left)

    def close(self) -> None:
        """Close every collection and release the folder."""
        with self._guard:
            for shard in self._shards.values():
                shard.close()
            self._shards.clear()
            self._lock_file.close()


def _lock_folder(folder: Path) -> Any:
    lock_file = (folder / "lock").open("w")
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"{folder} is already served by another process") from None
    return lock_file
