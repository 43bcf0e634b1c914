"""Walks the files of a folder tree or a pattern lazily, one after another."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from fsspec.utils import glob_translate

from hopline.sidecars import SIDECAR, document_of, is_sidecar, may_have_sidecar
from hopline.trees import Entry, LocalTree, Tree, entry_at, file_at, walk
from workers.sources.trees import StoreTree

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
        yield from walk(tree, root)
    elif _PATTERN.search(root):
        yield from _matching(tree, system, root)
    elif is_local(system) and os.path.lexists(root):
        yield entry_at(root)


def _file(system: Any, path: str, *, follow: bool) -> Entry:
    if is_local(system):
        return file_at(path, follow=follow)
    beside = may_have_sidecar(path) and bool(system.isfile(path + SIDECAR))
    return Entry(path, "file", system.size(path), sidecar=beside)


def is_local(system: Any) -> bool:
    """Return whether it is this machine's file system."""
    return "file" in system.protocol


def _matching(tree: Tree, system: Any, pattern: str) -> Iterator[Entry]:
    match = _PATTERN.search(pattern)
    fixed = (pattern[: match.start()].rpartition("/")[0] if match else pattern) or "/"
    meant = re.compile(glob_translate(pattern))
    if not system.isdir(fixed):
        return
    for entry in walk(tree, fixed, _may_lead_to(pattern)):
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
