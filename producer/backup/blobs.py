"""The blob store's files, replies included, into a backup and back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec

from workers.settings import Settings


def _store(settings: Settings) -> tuple[Any, str]:
    url = settings.blob_url or str((settings.var / "blobs").resolve())
    system, root = fsspec.core.url_to_fs(url)
    return system, str(root)


def save_blobs(settings: Settings, folder: Path) -> Iterator[int]:
    """Copy every blob into a folder; yield the bytes of each. What vanishes meanwhile is not missed."""
    system, root = _store(settings)
    if not system.exists(root):
        return
    for path in system.find(root):
        place = folder / PurePosixPath(path).relative_to(PurePosixPath(root))
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with system.open(path, "rb") as source, place.open("wb") as target:
                shutil.copyfileobj(source, target)
        except FileNotFoundError:
            place.unlink(missing_ok=True)
            continue
        yield place.stat().st_size


def load_blobs(settings: Settings, folder: Path) -> Iterator[int]:
    """Copy every blob of a folder into the store; yield the bytes of each."""
    system, root = _store(settings)
    for name, _folders, files in os.walk(folder):
        for file in files:
            source = Path(name) / file
            target = f"{root}/{source.relative_to(folder).as_posix()}"
            system.makedirs(target.rpartition("/")[0], exist_ok=True)
            with source.open("rb") as given, system.open(target, "wb") as taken:
                shutil.copyfileobj(given, taken)
            yield source.stat().st_size
