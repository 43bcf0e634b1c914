"""Files with names of their own, next to the blobs: in a folder, or any storage that fsspec can write."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import fsspec

from workers.adapters.blobs import FRESH, classed, opened, write_whole


class NamedFiles:
    """Files that are written atomically: no reader sees half a file.

    Args:
        url: a path, or any URL that fsspec supports.

    Raises:
        Transient: (every method) the store cannot be written or read now.
    """

    def __init__(self, url: str) -> None:
        self._files, root = fsspec.core.url_to_fs(url)
        self._root = str(root)
        self._local = "file" in self._files.protocol

    def names(self, folder: str) -> list[str]:
        """Return the names of the files below a folder, in order."""
        return sorted(self.sizes(folder))

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the size in bytes of each file below a folder, including files being written."""
        root = PurePosixPath(self._root)
        with classed("list"):
            try:
                self._files.invalidate_cache()
                found = self._files.find(self._path(folder), detail=True)
            except FileNotFoundError:
                return {}
        sizes = {PurePosixPath(path): int(each["size"]) for path, each in found.items()}
        return {path.relative_to(root).as_posix(): size for path, size in sizes.items()}

    def folders_of(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, in order."""
        with classed("list"):
            try:
                self._files.invalidate_cache()
                found = self._files.ls(self._path(folder), detail=True)
            except FileNotFoundError:
                return []
        names = [PurePosixPath(each["name"]).name for each in found if each["type"] == "directory"]
        return sorted(f"{folder}/{name}" for name in names)

    def put(self, name: str, content: Path) -> None:
        """Store a file under a name."""
        with classed("put"), content.open("rb") as file:
            self.put_file(name, file)

    def put_file(self, name: str, content: BinaryIO) -> None:
        """Store an open file from its beginning under a name."""
        path = self._path(name)
        with classed("put"):
            write_whole(self._files, path, content, is_local=self._local)

    def open(self, name: str) -> tuple[BinaryIO, str] | None:
        """Return a seekable file and its sha-256; None if it is gone."""
        with classed("get"):
            try:
                return opened(self._files, self._path(name), is_local=self._local)
            except FileNotFoundError:
                return None

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes; None if there is none."""
        with classed("get"), suppress(FileNotFoundError):
            return int(self._files.size(self._path(name)))
        return None

    def local(self, name: str, folder: Path) -> Path | None:
        """Return the file as a local file, copied into a folder if it is remote; None if it is gone."""
        path = self._path(name)
        if self._local:
            return Path(path) if Path(path).is_file() else None
        place = folder / name.replace("/", "_")
        with classed("get"):
            try:
                self._files.get_file(path, str(place))
            except FileNotFoundError:
                return None
        return place

    def delete(self, name: str) -> None:
        """Remove a file; a missing one is ignored."""
        with classed("delete"), suppress(FileNotFoundError):
            self._files.rm_file(self._path(name))

    def delete_unfinished(self, folder: str, seconds: float) -> None:
        """Remove unfinished files below a folder older than `seconds`, left by processes that died."""
        if self._local:
            for path in Path(self._path(folder)).rglob(f"{FRESH}*"):
                with classed("delete"), suppress(FileNotFoundError):
                    if path.stat().st_mtime < time.time() - seconds:
                        path.unlink()

    @property
    def folders(self) -> tuple[str, ...]:
        """The local folders from which `local` returns files, besides the given one."""
        return (self._root,) if self._local else ()

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"
