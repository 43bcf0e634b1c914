"""Lists folders, on this machine or in an object store, one at a time."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from workers.sources.sidecars import (
    SIDECAR,
    almost_sidecars,
    document_of,
    folded,
    is_sidecar,
    may_have_sidecar,
)

Kind = Literal["file", "folder", "fault"]


class Entry(NamedTuple):
    """An entry of a folder."""

    path: str
    kind: Kind
    size: int | None = None  # bytes of a file
    fault: str = ""  # why it is neither a file nor a folder to be read
    sidecar: bool = False  # a file with its metadata lies beside it
    sidecar_fault: str = ""  # why what lies there is not read
    unread: str = ""  # a file that is almost its sidecar, and not read


class Tree(Protocol):
    """Lists the entries of folders."""

    def entries(self, folder: str) -> Iterator[Entry]:
        """Yield a folder's entries by name, except hidden ones.

        Raises:
            OSError: the folder cannot be read.
        """


class LocalTree:
    """Local folders; holds only the names of entries, since there may be a million.

    Args:
        follow: links are followed, those that lead back into their own folder excepted.
    """

    def __init__(self, *, follow: bool = False) -> None:
        self._follow = follow

    def entries(self, folder: str) -> Iterator[Entry]:
        """Yield a folder's entries."""
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names, not a million paths
        there = set(names)
        almost = almost_sidecars(there)
        for name in names:
            if not name.startswith("."):
                path = os.path.join(folder, name)  # noqa: PTH118 - as above
                entry = entry_at(path, follow=self._follow)
                if entry.kind != "folder" and _belongs(name, there):
                    continue
                beside = name + SIDECAR in there and may_have_sidecar(name)
                entry = with_sidecar(entry, follow=self._follow) if beside else entry
                yield with_unread_of(entry, almost)


def _belongs(name: str, there: Collection[str]) -> bool:
    """Return whether a name is that of a sidecar whose document is there."""
    return is_sidecar(name) and document_of(name) in there


def with_sidecar(entry: Entry, *, follow: bool) -> Entry:
    """Return a local entry with what lies at the place of its sidecar."""
    beside = entry_at(entry.path + SIDECAR, follow=follow)
    return entry._replace(sidecar=beside.kind == "file", sidecar_fault=beside.fault)


def entry_at(path: str, *, follow: bool = True) -> Entry:
    """Return the entry at a local path."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            if fault := _link_fault(path, follow=follow):
                return Entry(path, "fault", fault=fault)
            status = os.stat(path)  # noqa: PTH116 - of a million paths none is made an object
    except OSError as error:
        return Entry(path, "fault", fault=f"cannot be read: {error.strerror or error}")
    if stat.S_ISDIR(status.st_mode):
        return Entry(path, "folder")
    if stat.S_ISREG(status.st_mode):
        return Entry(path, "file", status.st_size)
    return Entry(path, "fault", fault="not a file: a pipe, a socket or a device")


def _link_fault(path: str, *, follow: bool) -> str:
    """Return why a link is not followed; empty if it is."""
    target = ascii(os.readlink(path))[1:-1]  # noqa: PTH115 - as above
    real, place = os.path.realpath(path), os.path.realpath(os.path.dirname(path))  # noqa: PTH120 - as above
    if not os.path.lexists(real):
        return f"a link that leads nowhere: to {target}"
    if os.path.islink(real):  # noqa: PTH114 - as above
        return f"a link that leads to itself: to {target}"
    if not follow:
        return f"a link, to {target}: links are not followed unless that is asked for (--follow-links)"
    if os.path.commonpath((real, place)) == real:
        return f"a link that leads back to a folder that it lies in: to {target}"
    return ""


class StoreTree:
    """Folders of a store that fsspec reads."""

    def __init__(self, system: Any) -> None:
        self._system = system

    def entries(self, folder: str) -> Iterator[Entry]:
        """Yield a folder's entries."""
        listed = self._system.ls(folder, detail=True)
        self._system.invalidate_cache(folder)  # else it would remember all folders
        there = {str(info["name"]).rstrip("/") for info in listed if info["type"] != "directory"}
        almost = almost_sidecars({path.rpartition("/")[2] for path in there})
        for info in sorted(listed, key=lambda info: str(info["name"])):
            path = str(info["name"]).rstrip("/")
            name = path.rpartition("/")[2]
            if not name or name.startswith(".") or path == folder.rstrip("/") or _belongs(path, there):
                continue  # a store may keep an object that stands for the folder itself
            kind: Kind = "folder" if info["type"] == "directory" else "file"
            beside = path + SIDECAR in there and may_have_sidecar(path)
            yield with_unread_of(Entry(path, kind, info.get("size"), sidecar=beside), almost)


def with_unread_of(entry: Entry, almost: Mapping[str, str]) -> Entry:
    """Return an entry with the file that is almost its sidecar, of those of its folder."""
    if not almost or entry.kind != "file" or entry.sidecar or not may_have_sidecar(entry.path):
        return entry
    name = entry.path.rpartition("/")[2]
    return entry._replace(unread=almost.get(folded(name), ""))
