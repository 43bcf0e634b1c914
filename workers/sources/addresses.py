"""Gives each listed file an address that workers can read: its own, or one in the blob store."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Protocol

from hopline.errors import InvalidInput
from hopline.trees import Entry
from workers.core.files import copy_of
from workers.core.ports import Blobs
from workers.sources.archives import Archive
from workers.sources.walk import is_local


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

    def keep_file(self, system: Any, entry: Entry, address: str) -> str:
        """Return the address."""
        return system.source_of(entry.path) if isinstance(system, Archive) else address

    def keep_lines(self, address: str, start: int, _data: bytes) -> tuple[str, int]:
        """Return the address and the byte."""
        return address, start


class Uploaded:
    """Uploads local files to the blob store, the same bytes once, so that a repeated upload resumes.

    Args:
        blobs: the store.
        max_bytes: larger files are not taken.
        stores_too: also copy files from other stores, which workers might not reach.
    """

    def __init__(
        self,
        blobs: Blobs,
        *,
        max_bytes: int,
        stores_too: bool = False,
    ) -> None:
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._stores_too = stores_too

    def keep_file(self, system: Any, entry: Entry, address: str) -> str:
        """Store a file; those in archives lie in the archive, which is stored."""
        if isinstance(system, Archive) or not (self._stores_too or is_local(system)):
            return InPlace().keep_file(system, entry, address)
        self._check(entry.size or 0)
        with system.open(entry.path, "rb") as file, copy_of(file, self._check)[0] as copy:
            stored = self._blobs.put_file(copy, PurePosixPath(entry.path).suffix.lower())
        return f"blob:{stored}"

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            raise InvalidInput("size", size, f"at most {self._max_bytes} bytes")

    def keep_lines(self, address: str, start: int, data: bytes) -> tuple[str, int]:
        """Store consecutive lines as one blob."""
        if "://" in address and not self._stores_too:
            return address, start
        stored = self._blobs.put(data, ".jsonl")
        return f"blob:{stored}", 0
