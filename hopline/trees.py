"""Lists folders of this machine, one at a time, and walks any tree of files."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from hopline.errors import InvalidInput
from hopline.sidecars import SIDECAR, almost_sidecars, document_of, folded, is_sidecar, may_have_sidecar

Kind = Literal["file", "folder", "fault"]
_MAGIC = re.compile(r"[*?\[]")


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
                if entry.kind != "folder" and belongs(name, there):
                    continue
                beside = name + SIDECAR in there and may_have_sidecar(name)
                entry = with_sidecar(entry, follow=self._follow) if beside else entry
                yield with_unread_of(entry, almost)


def belongs(name: str, there: Collection[str]) -> bool:
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


def with_unread_of(entry: Entry, almost: Mapping[str, str]) -> Entry:
    """Return an entry with the file that is almost its sidecar, of those of its folder."""
    if not almost or entry.kind != "file" or entry.sidecar or not may_have_sidecar(entry.path):
        return entry
    name = entry.path.rpartition("/")[2]
    return entry._replace(unread=almost.get(folded(name), ""))


def file_at(path: str, *, follow: bool = False) -> Entry:
    """Return the entry of a local file that is named itself."""
    entry = Entry(path, "file", os.path.getsize(path))  # noqa: PTH202 - paths are texts here
    if not may_have_sidecar(path):
        return entry
    entry = with_sidecar(entry, follow=follow) if os.path.lexists(path + SIDECAR) else entry
    folder = os.path.dirname(path)  # noqa: PTH120 - as above
    return with_unread_of(entry, _almost_sidecars(folder, os.stat(folder).st_mtime_ns))  # noqa: PTH116


@lru_cache(maxsize=1)
def _almost_sidecars(folder: str, _changed: int) -> dict[str, str]:
    """List a folder once for all of its files that a command names."""
    return almost_sidecars(set(os.listdir(folder)))  # noqa: PTH208 - names, not paths


def walk(tree: Tree, root: str, enters: Callable[[str], bool] = lambda _folder: True) -> Iterator[Entry]:
    """Yield all files in a folder and its subfolders.

    Args:
        tree: lists folders.
        root: the folder.
        enters: tells which folders below it are listed.
    """
    open_folders = [_entries(tree, root)]  # a list: folders may be nested deeper than Python calls
    while open_folders:
        entry = next(open_folders[-1], None)
        if entry is None:
            open_folders.pop()
        elif entry.kind != "folder":
            yield entry
        elif enters(entry.path):
            open_folders.append(_entries(tree, entry.path))


def is_pattern(path: str) -> bool:
    """Return whether a path has signs of a pattern; a file of this name may exist nevertheless."""
    return bool(_MAGIC.search(path))


def matching(tree: Tree, pattern: str, is_folder: Callable[[str], bool] = os.path.isdir) -> Iterator[Entry]:
    """Yield the files that match a pattern; `**` means any number of folders.

    Args:
        tree: lists folders, from the last one before the first part with a sign of a pattern.
        pattern: as whole as the tree's paths are.
        is_folder: tells whether there is a folder at a path of the tree.

    Raises:
        ValueError: `**` is only a part of a name.
    """
    parts = pattern.split("/")
    if parts[-1] == "**":  # at the end: whatever lies below
        parts.append("*")
    if any("**" in part and part != "**" for part in parts):
        raise ValueError("in a pattern, '**' must stand alone between two '/'")
    fixed = next(n for n, part in enumerate(parts) if is_pattern(part))

    def reached(at: int) -> set[int]:
        return {at, *reached(at + 1)} if parts[at : at + 1] == ["**"] else {at}

    def expected(path: str) -> set[int]:
        """Return which parts the next name below a path may match; one past the last: the path matches."""
        parts_next = reached(fixed)
        for name in path.split("/")[fixed:]:
            met = (at for at in parts_next if at < len(parts) and fnmatchcase(name, parts[at]))
            parts_next = {after for at in met for after in reached(at + (parts[at] != "**"))}
        return parts_next

    root = "/".join(parts[:fixed]) or "/"
    if is_folder(root):
        for entry in walk(tree, root, lambda folder: min(expected(folder), default=len(parts)) < len(parts)):
            if entry.kind == "file" and len(parts) in expected(entry.path):
                yield entry


def _entries(tree: Tree, folder: str) -> Iterator[Entry]:
    try:
        yield from tree.entries(folder)
    except OSError as error:
        yield Entry(folder, "fault", fault=f"cannot be read: {error.strerror or error}")


def place_of(source: str | Path) -> str:
    """Return the absolute path of a source; an address such as s3://bucket/folder stays unchanged.

    Raises:
        InvalidInput: it begins with the home of an account that has none here.
    """
    named = str(source)
    return named if "://" in named else os.path.normpath(expanded(named).absolute())


def expanded(named: str | Path, field: str = "path") -> Path:
    """Return a path whose `~` is the home folder that it means.

    Raises:
        InvalidInput: it begins with the home of an account that has none here.
    """
    try:
        return Path(named).expanduser()
    except RuntimeError as error:
        message = f"{named}: the home folder of {Path(named).parts[0]} is unknown; give the absolute path"
        raise InvalidInput(field, str(named), "an absolute path", message=message) from error
