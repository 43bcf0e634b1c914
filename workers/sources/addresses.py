"""Gives each listed file an address that workers can read: its own, or one in the blob store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, Protocol

from hopline.errors import InvalidInput
from hopline.trees import Entry
from workers.core.ports import Blobs
from workers.sources.walk import is_local


def say_nothing(_bytes: int) -> None:
    """Ignore the progress of an upload."""


class Keeping(Protocol):
    """Decides the addresses at which workers read a source's documents."""

    def keep_file(self, system: Any, entry: Entry, address: str) -> str:
        """Return a file's address for workers.

        Raises:
            InvalidInput: it cannot be kept, and why.
            OSError: it cannot be read.
        """

    def keep_lines(self, address: str, start: int, data: bytes) -> tuple[str, int]:
        """Return where workers find some lines of a file: an address, and the byte that they begin at."""


class InPlace:
    """Workers read everything in place."""

    def keep_file(self, _system: Any, _entry: Entry, address: str) -> str:
        """Return the address."""
        return address

    def keep_lines(self, address: str, start: int, _data: bytes) -> tuple[str, int]:
        """Return the address and the byte."""
        return address, start


class Uploaded:
    """Uploads local files to the blob store, the same bytes once, so that a repeated upload resumes.

    Args:
        blobs: the store.
        max_bytes: larger files are not taken.
        stores_too: also what lies in other stores, which workers might not reach.
        sent: told how many bytes were handed over.
    """

    def __init__(
        self,
        blobs: Blobs,
        *,
        max_bytes: int,
        stores_too: bool = False,
        sent: Callable[[int], None] = say_nothing,
    ) -> None:
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._stores_too = stores_too
        self._sent = sent

    def keep_file(self, system: Any, entry: Entry, address: str) -> str:
        """Store a file."""
        if not is_local(system) and not self._stores_too:
            return address
        if (entry.size or 0) > self._max_bytes:
            raise InvalidInput("size", entry.size, f"at most {self._max_bytes} bytes")
        data = system.cat_file(entry.path)
        stored = self._blobs.put(data, PurePosixPath(entry.path).suffix.lower())
        self._sent(len(data))
        return f"blob:{stored}"

    def keep_lines(self, address: str, start: int, data: bytes) -> tuple[str, int]:
        """Store some lines as one blob."""
        if "://" in address and not self._stores_too:
            return address, start
        stored = self._blobs.put(data, ".jsonl")
        self._sent(len(data))
        return f"blob:{stored}", 0
