"""Files under names of their own, beside the blobs: in a folder, or any place that fsspec can write."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath

import fsspec

from workers.adapters.blobs import classed


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
        root = PurePosixPath(self._root)
        with classed("list"):
            try:
                self._files.invalidate_cache()
                paths = self._files.find(self._path(folder))
            except FileNotFoundError:
                return []
        return sorted(PurePosixPath(path).relative_to(root).as_posix() for path in paths)

    def put(self, name: str, content: Path) -> None:
        """Store a file's bytes under a name."""
        path = self._path(name)
        with classed("put"):
            if not self._local:  # object stores show a new object whole or not at all
                self._files.put_file(str(content), path)
                return
            place = Path(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, fresh = tempfile.mkstemp(dir=place.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file, content.open("rb") as source:
                    shutil.copyfileobj(source, file)
                    file.flush()
                    os.fsync(file.fileno())
                Path(fresh).replace(place)
            except BaseException:
                Path(fresh).unlink(missing_ok=True)
                raise

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

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of this machine that `local` returns files of, beside the given one."""
        return (self._root,) if self._local else ()

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"
