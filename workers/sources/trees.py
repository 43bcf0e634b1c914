"""Lists folders of object stores, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hopline.sidecars import SIDECAR, almost_sidecars, may_have_sidecar
from hopline.trees import Entry, Kind, belongs, with_unread_of


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
            if not name or name.startswith(".") or path == folder.rstrip("/") or belongs(path, there):
                continue  # a store may keep an object that stands for the folder itself
            kind: Kind = "folder" if info["type"] == "directory" else "file"
            beside = path + SIDECAR in there and may_have_sidecar(path)
            yield with_unread_of(Entry(path, kind, info.get("size"), sidecar=beside), almost)
