"""Removes the files of the local stack from this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from infra.local.launch import FILE as ENVIRONMENT_FILE
from infra.local.settings import STARTED_FILE, SUPERVISOR_FILE
from infra.local.state import STATE_FILE

# What the stack and its programs write into the folder HOPLINE_VAR. Whatever else lies there is not theirs.
_NAMES = (
    "redis",
    "neo4j",
    "tools",
    "vectors",
    "vectors.key",
    "model",
    "model.key",
    "flower",
    "blobs",
    "eval",
    "log",
    "stack.env",
    STARTED_FILE,
    ENVIRONMENT_FILE,
    "api.json",
    "supervisor.sock",
    "supervisord.pid",
    SUPERVISOR_FILE,
    STATE_FILE,
    ".lock",
)
_JARS = "neo4j"  # in the cache
_FETCHED = ("jars", "plugins-*", ".lock")  # what is fetched into it


def find_remains(var: Path) -> list[Path]:
    """Return the stack's remaining files; none in a folder where no stack was started."""
    ours = [var / name for name in _NAMES] if (var / STATE_FILE).is_file() else []
    return [path for path in ours if path.exists() or path.is_symlink()]


def find_fetched(cache: Path) -> list[Path]:
    """Return the downloaded files of Neo4j, which all stacks of this user share."""
    folder = cache / _JARS
    if not (folder / ".lock").is_file():
        return []
    return sorted(path for pattern in _FETCHED for path in folder.glob(pattern))


def size_in_words(path: Path) -> str:
    """Return the size of a file, or of all files in a folder, such as 12.3 MB; a link is called a link."""
    if path.is_symlink():
        return "only a link"
    files = path.rglob("*") if path.is_dir() else (path,)
    size = sum(file.lstat().st_size for file in files if not file.is_dir())
    return f"{size / 1e6:.1f} MB"


def remove(remains: Iterable[Path], folders: Iterable[Path]) -> None:
    """Remove files and folders, then their parent folders if these are empty.

    Raises:
        OSError: one cannot be removed; earlier ones are gone.
    """
    for path in remains:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
