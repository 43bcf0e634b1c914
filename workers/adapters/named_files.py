"""Files under names of their own, beside the blobs: in a folder, or any place that fsspec can write."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import fsspec

from workers.adapters.blobs import FRESH, classed, opened, write_whole


class NamedFiles:
    """Files that are written whole: nobody sees half of one.

    Args:
        url: a path, or any address that fsspec knows.

    Raises:
        Transient: (every method) the place cannot be written or read now.
    """

    def __init__(self, url: str) -> None:
        self._files, root = fsspec.core.url_to_fs(url)
        self._root = str(root)
        self._local = "file" in self._files.protocol

    def names(self, folder: str) -> list[str]:
        """Return the names of the files below a folder, in order."""
        return sorted(self.sizes(folder))

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the bytes of each file below a folder; files that are being written are among them."""
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
        """Return a file that can be sought, and its sha-256; None if it is gone."""
        with classed("get"):
            try:
                return opened(self._files, self._path(name), is_local=self._local)
            except FileNotFoundError:
                return None

    def size(self, name: str) -> int | None:
        """Return the bytes of a file; None if there is none."""
        with classed("get"), suppress(FileNotFoundError):
            return int(self._files.size(self._path(name)))
        return None

    def local(self, name: str, folder: Path) -> Path | None:
        """Return the file as one of this machine, copied into a folder unless it is; None if it is gone."""
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
        """Remove; what is not there is gone already."""
        with classed("delete"), suppress(FileNotFoundError):
            self._files.rm_file(self._path(name))

    def delete_unfinished(self, folder: str, seconds: float) -> None:
        """Remove what was begun to be written below a folder so long ago, by who was lost over it."""
        if self._local:
            for path in Path(self._path(folder)).rglob(f"{FRESH}*"):
                with classed("delete"), suppress(FileNotFoundError):
                    if path.stat().st_mtime < time.time() - seconds:
                        path.unlink()

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of this machine that `local` returns files of, beside the given one."""
        return (self._root,) if self._local else ()

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"
