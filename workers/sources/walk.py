"""Walks the files of a folder tree or a pattern lazily, one after another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from hopline.sidecars import SIDECAR, document_of, is_sidecar, may_have_sidecar
from hopline.trees import Entry, LocalTree, Tree, entry_at, file_at, is_pattern, matching, walk
from workers.sources.trees import StoreTree


def files_of(system: Any, root: str, *, follow: bool = False) -> Iterator[Entry]:
    """Yield a file, the files of a folder to its bottom, or those that a pattern means; no hidden ones.

    Entries of a folder that are not files are yielded with the reason; a pattern yields only files.

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
    elif is_pattern(root):
        yield from matching(tree, root, system.isdir)
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
