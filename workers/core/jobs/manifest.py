"""Manifests: item lists of large phases, kept in the blob store, with a cursor in Redis.

The list has two levels, so that writing and reading it need only a page and a directory in memory:
the manifest names directories, a directory names pages, a page holds items.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

import orjson

from hopline.errors import Conflict
from hopline.models.base import Frozen
from workers.core.jobs.work import Item, Phase
from workers.core.ports import Blobs

PAGE = 100  # items that one script admits at most
_DIRECTORY = 500  # pages that one directory names
_KEPT = 16  # pages and directories that a process remembers


class Manifest(Frozen):
    """A stored list of items."""

    reference: str
    size: int


class _Index(Frozen):
    page: int  # items of a page; the last one may have fewer
    size: int
    directories: tuple[str, ...]


class ManifestWriter:
    """Writes a list of items in bounded memory.

    Equal items give equal references: writing a list again after a crash stores nothing twice.

    Args:
        blobs: store of the pages.
        window: window of the phase that will admit the items.
    """

    def __init__(self, blobs: Blobs, window: int) -> None:
        self._blobs = blobs
        self.page = max(1, min(PAGE, window // 2))  # so that one fits long before none is in flight
        self._waiting: list[Item] = []
        self._pages: list[str] = []
        self._directories: list[str] = []
        self.size = 0

    def add(self, item: Item) -> None:
        """Add an item at the end of the list."""
        self._waiting.append(item)
        self.size += 1
        if len(self._waiting) == self.page:
            self._close_page()

    def finish(self) -> Manifest:
        """Store the remaining items and the list's index."""
        self._close_page()
        self._close_directory()
        index = _Index(page=self.page, size=self.size, directories=tuple(self._directories))
        stored = self._blobs.put(index.model_dump_json().encode())
        return Manifest(reference=stored, size=self.size)

    def _close_page(self) -> None:
        if not self._waiting:
            return
        self._pages.append(self._blobs.put(orjson.dumps([item.model_dump() for item in self._waiting])))
        self._waiting.clear()
        if len(self._pages) == _DIRECTORY:
            self._close_directory()

    def _close_directory(self) -> None:
        if self._pages:
            self._directories.append(self._blobs.put(orjson.dumps(self._pages)))
            self._pages.clear()


def stow(blobs: Blobs, phase: Phase) -> tuple[Phase, Manifest | None]:
    """Return the phase as it can be opened: whole if small, else its first page and the manifest."""
    if len(phase.items) <= max(1, min(phase.window, 2 * PAGE)):
        return phase, None
    writer = ManifestWriter(blobs, phase.window)
    for item in phase.items:
        writer.add(item)
    first = phase.model_copy(update={"items": phase.items[: writer.page]})
    return first, writer.finish()


def load_page(blobs: Blobs, manifest: str, cursor: int) -> tuple[Item, ...]:
    """Return the items admitted at this cursor.

    Raises:
        Conflict: the list ends before it.
    """
    index = _index(blobs, manifest)
    if cursor >= index.size:
        raise Conflict(f"the list {manifest} has {index.size} items, and none at {cursor}")
    directory, page = divmod(cursor // index.page, _DIRECTORY)
    references = _PARTS.read(blobs, index.directories[directory])
    return tuple(Item.read_stored(item) for item in orjson.loads(blobs.get(references[page])))


def _index(blobs: Blobs, manifest: str) -> _Index:
    return _Index.read_stored(_PARTS.read(blobs, manifest))


class _Parts:
    """Caches the latest reads: a reference is the hash of its content, so it never goes stale."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[str, Any] = OrderedDict()

    def read(self, blobs: Blobs, reference: str) -> Any:
        with self._lock:
            if reference in self._known:
                self._known.move_to_end(reference)
                return self._known[reference]
        read = orjson.loads(blobs.get(reference))
        with self._lock:
            self._known[reference] = read
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return read


_PARTS = _Parts()
