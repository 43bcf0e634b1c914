"""Walks the files of a folder tree or a pattern lazily, one after another."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

from fsspec.utils import glob_translate

from workers.sources.sidecars import SIDECAR, almost_sidecars, document_of, is_sidecar, may_have_sidecar
from workers.sources.trees import Entry, LocalTree, StoreTree, Tree, entry_at, with_sidecar, with_unread_of

_PATTERN = re.compile(r"[*?\[]")


def files_of(system: Any, root: str, *, follow: bool = False) -> Iterator[Entry]:
    """Yield a file, the files of a folder to its bottom, or those that a pattern means; no hidden ones.

    What lies in a folder and is no file comes with its fault; of a pattern only files come.

    Args:
        system: fsspec's file system.
        root: the path in it.
        follow: links are followed below the root; the root itself always is.
    """
    tree: Tree = LocalTree(follow=follow) if is_local(system) else StoreTree(system)
    if system.isfile(root):  # first: a file's name may hold brackets that a pattern would read otherwise
        if not (is_sidecar(root) and system.exists(document_of(root))):  # it is read with its document
            yield _file(system, root, follow=follow)
    elif system.isdir(root):
        yield from _walk(tree, root)
    elif _PATTERN.search(root):
        yield from _matching(tree, system, root)
    elif is_local(system) and os.path.lexists(root):
        yield entry_at(root)


def _file(system: Any, path: str, *, follow: bool) -> Entry:
    entry, beside = Entry(path, "file", system.size(path)), path + SIDECAR
    if not may_have_sidecar(path):
        return entry
    if is_local(system):
        entry = with_sidecar(entry, follow=follow) if os.path.lexists(beside) else entry
        folder = os.path.dirname(path)  # noqa: PTH120 - paths are texts here
        return with_unread_of(entry, _almost_sidecars(folder, os.stat(folder).st_mtime_ns))  # noqa: PTH116
    return entry._replace(sidecar=bool(system.isfile(beside)))


@lru_cache(maxsize=1)
def _almost_sidecars(folder: str, _changed: int) -> dict[str, str]:
    """List a folder once for all of its files that a command names."""
    return almost_sidecars(set(os.listdir(folder)))  # noqa: PTH208 - names, not paths


def is_local(system: Any) -> bool:
    """Return whether it is this machine's file system."""
    return "file" in system.protocol


def _walk(tree: Tree, root: str, enters: Callable[[str], bool] = lambda _folder: True) -> Iterator[Entry]:
    open_folders = [_entries(tree, root)]  # a list: folders may be nested deeper than Python calls
    while open_folders:
        entry = next(open_folders[-1], None)
        if entry is None:
            open_folders.pop()
        elif entry.kind != "folder":
            yield entry
        elif enters(entry.path):
            open_folders.append(_entries(tree, entry.path))


def _entries(tree: Tree, folder: str) -> Iterator[Entry]:
    try:
        yield from tree.entries(folder)
    except OSError as error:
        yield Entry(folder, "fault", fault=f"cannot be read: {error.strerror or error}")


def _matching(tree: Tree, system: Any, pattern: str) -> Iterator[Entry]:
    match = _PATTERN.search(pattern)
    fixed = (pattern[: match.start()].rpartition("/")[0] if match else pattern) or "/"
    meant = re.compile(glob_translate(pattern))
    if not system.isdir(fixed):
        return
    for entry in _walk(tree, fixed, _may_lead_to(pattern)):
        if entry.kind == "file" and meant.match(entry.path):
            yield entry


def _may_lead_to(pattern: str) -> Callable[[str], bool]:
    """Return a predicate: whether a folder may contain matches of a pattern below it."""
    parts = pattern.split("/")

    @cache
    def beginning(depth: int) -> re.Pattern[str] | None:
        upper = parts[:depth]
        return None if "**" in upper else re.compile(glob_translate("/".join(upper)))

    def enters(folder: str) -> bool:
        depth = folder.count("/") + 1
        meant = beginning(depth)
        return meant is None or (depth < len(parts) and meant.match(folder) is not None)

    return enters
