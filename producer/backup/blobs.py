"""Backs up and restores the files of the blob store, kept replies included."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec

from producer.backup.contents import BLOBS, is_own, open_plain
from producer.backup.folder import create_private
from workers.settings import Settings


def _store(settings: Settings) -> tuple[Any, str]:
    url = settings.blob_url or str((settings.var / "blobs").resolve())
    system, root = fsspec.core.url_to_fs(url)
    return system, str(root)


def save_blobs(settings: Settings, folder: Path) -> Iterator[int]:
    """Copy every blob into a folder; yield the bytes of each. What vanishes meanwhile is left."""
    system, root = _store(settings)
    if not system.exists(root):
        return
    for path in system.find(root):
        name = PurePosixPath(path).relative_to(PurePosixPath(root)).as_posix()
        if not is_own(BLOBS + name):
            continue
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with system.open(path, "rb") as source, create_private(place) as target:
                shutil.copyfileobj(source, target)
        except FileNotFoundError:
            place.unlink(missing_ok=True)
            continue
        yield place.stat().st_size


def load_blobs(settings: Settings, folder: Path, names: Iterable[str]) -> None:
    """Copy blobs of a folder into the store.

    Args:
        settings: address of the store.
        folder: folder of the blobs.
        names: names of the blobs in it, as `check_contents` knows them.
    """
    system, root = _store(settings)
    for name in names:
        target = f"{root}/{name}"
        system.makedirs(target.rpartition("/")[0], exist_ok=True)
        with open_plain(folder / name) as source, system.open(target, "wb") as taken:
            shutil.copyfileobj(source, taken)
