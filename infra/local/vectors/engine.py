"""Stores collections on disk, each as a shard of Qdrant's engine."""

from __future__ import annotations

import fcntl
import shutil
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import qdrant_edge as edge
import structlog

from infra.local.vectors.refusals import Refused, collection_exists, no_collection

_MARKER = "collection.json"  # written last when created, removed first when deleted
_DISTANCES = {
    "Cosine": edge.Distance.Cosine,
    "Dot": edge.Distance.Dot,
    "Euclid": edge.Distance.Euclid,
    "Manhattan": edge.Distance.Manhattan,
}
DISTANCES = tuple(_DISTANCES)
log = structlog.get_logger()


class Shard:
    """One collection. All calls but the flush take turns; the write-ahead log makes a returned write last.

    Attributes:
        dimension: the length of its vectors.
        distance: one of DISTANCES.
    """

    def __init__(self, name: str, shard: edge.EdgeShard, dimension: int, distance: str) -> None:
        self.name = name
        self.dimension = dimension
        self.distance = distance
        self._shard = shard
        # Taking turns costs nothing: two threads on one shard were measured no faster than one.
        self._turn = threading.Lock()
        self._closing = threading.Lock()
        self._closed = False
        self._dirty = False

    @contextmanager
    def opened(self) -> Iterator[edge.EdgeShard]:
        """Take the turn; refuse when the collection was deleted meanwhile."""
        with self._turn:
            if self._closed:
                raise no_collection(self.name)
            yield self._shard

    def update(self, operation: edge.UpdateOperation) -> None:
        """Apply a write; when it returns, it is readable and survives the death of this process."""
        with self.opened() as shard:
            self._dirty = True
            shard.update(operation)

    def flush(self) -> None:
        """Write segments to disk, so that the log stays short; runs beside reads and writes."""
        with self._closing:
            if self._dirty and not self._closed:
                self._dirty = False
                self._shard.flush()

    def close(self) -> None:
        """Flush and let go of the files."""
        with self._turn, self._closing:
            if not self._closed:
                self._closed = True
                self._shard.close()


class Store:
    """The collections of one folder, which no other process may serve at the same time."""

    def __init__(self, folder: Path) -> None:
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
        self._shards[kept["name"]] = Shard(kept["name"], shard, kept["dimension"], kept["distance"])
        log.info("collection.loaded", collection=kept["name"], points=shard.info().points_count)

    def names(self) -> list[str]:
        """Return the collections' names, sorted."""
        return sorted(self._shards)

    def __contains__(self, name: str) -> bool:
        return name in self._shards

    def shard(self, name: str) -> Shard:
        """Return a collection; refuse with 404 when there is none of this name."""
        try:
            return self._shards[name]
        except KeyError:
            raise no_collection(name) from None

    def create(self, name: str, dimension: int, distance: str) -> None:
        """Create a collection; refuse with 409 when there is one."""
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
            self._shards[name] = Shard(name, shard, dimension, distance)

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
        """Flush every collection that was written to."""
        for shard in list(self._shards.values()):
            shard.flush()

    def close(self) -> None:
        """Close every collection and let go of the folder."""
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
