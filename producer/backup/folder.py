"""A backup's folder: pages of JSON lines, compressed, and a note that is written last."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import orjson

from workers.core.errors import InvalidInput
from workers.core.model import Frozen

FORM = 1  # of the folder; another is refused
_NOTE = "backup.json"
_LEVEL = 3  # of compression: half of the time of the default, and little more space
Anything = TypeVar("Anything")


class Note(Frozen):
    """What a backup holds; a folder without one is no whole backup."""

    form: int = FORM
    hopline: str
    taken: float  # seconds since the epoch
    graph_version: int
    nodes: int = 0
    relationships: int = 0
    points: int = 0
    keys: int = 0
    blobs: int = 0  # files
    blob_bytes: int = 0


def new_folder(path: Path) -> Path:
    """Make the folder.

    Raises:
        InvalidInput: something lies there.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InvalidInput("folder", str(path), "a folder that does not exist yet, or an empty one")
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)  # it holds the hashes of API keys, and all texts
    return path


def write_note(folder: Path, note: Note) -> None:
    """Say that the backup is whole."""
    (folder / _NOTE).write_text(note.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_note(folder: Path) -> Note:
    """Return what the backup holds.

    Raises:
        InvalidInput: it is none, was not finished, or is of another form.
    """
    try:
        note = Note.read_stored((folder / _NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput("folder", str(folder), f"a finished backup: {error}") from error
    if note.form != FORM:
        raise InvalidInput("folder", f"{folder}, form {note.form}", f"a backup of form {FORM}")
    return note


def write_lines(file: Path, rows: Iterable[Any]) -> int:
    """Write a JSON line for each row; return how many."""
    count = 0
    with gzip.open(file, "wb", compresslevel=_LEVEL) as out:
        for row in rows:
            out.write(orjson.dumps(row) + b"\n")
            count += 1
    return count


def read_lines(file: Path) -> Iterator[Any]:
    """Yield what was written."""
    with gzip.open(file, "rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def pages(rows: Iterable[Anything], size: int) -> Iterator[list[Anything]]:
    """Yield so many rows at a time."""
    rest = iter(rows)
    while page := list(islice(rest, size)):
        yield page
