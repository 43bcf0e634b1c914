"""Format of a backup folder: compressed pages of JSON lines, and a manifest that is written last."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import orjson

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.times import Timestamp

FORM = 2  # of the folder; the first had no list of its files
_FORMS = (1, FORM)  # others are refused
NOTE = "backup.json"
_LEVEL = 3  # of compression: half of the time of the default, and little more space
Anything = TypeVar("Anything")


class Note(Frozen):
    """The contents of a backup; a folder without this note is incomplete."""

    form: int = FORM
    hopline: str
    taken: Timestamp
    graph_version: int
    nodes: int = 0
    relationships: int = 0
    points: int = 0
    keys: int = 0
    blobs: int = 0  # files
    blob_bytes: int = 0
    contents: str = ""  # sha-256 hex of the list of files; "" where there is none


def new_folder(path: Path) -> Path:
    """Make the folder.

    Raises:
        InvalidInput: something lies there.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        message = f"{path} is not empty: a backup goes into a new folder, or an empty one"
        raise InvalidInput("folder", str(path), "a new folder, or an empty one", message=message)
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)  # it holds all texts, hashes of API keys, and what signs webhooks
    return path


def create_private(file: Path) -> BinaryIO:
    """Create a file that only its owner reads (mode 600)."""
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def write_note(folder: Path, note: Note) -> None:
    """Mark the backup as complete."""
    with create_private(folder / NOTE) as file:
        file.write(note.model_dump_json(indent=1).encode() + b"\n")


def read_note(folder: Path) -> Note:
    """Return the contents of the backup.

    Raises:
        InvalidInput: it is none, was not finished, or is of another form.
    """
    try:
        note = Note.read_stored((folder / NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{folder} is not a finished backup: {error}"
        raise InvalidInput("folder", str(folder), "a finished backup", message=message) from error
    if note.form not in _FORMS:
        message = f"{folder} is a backup of form {note.form}; this hopline reads forms 1 to {FORM}"
        raise InvalidInput("folder", str(folder), f"a backup of format 1 to {FORM}", message=message)
    return note


def write_lines(file: Path, rows: Iterable[Any]) -> int:
    """Write a JSON line for each row; return how many."""
    count = 0
    with create_private(file) as raw, gzip.GzipFile("", "wb", _LEVEL, raw) as out:
        for row in rows:
            out.write(orjson.dumps(row) + b"\n")
            count += 1
    return count


def points_file(space: str) -> str:
    """Return the name of the file with the vectors of a Qdrant collection."""
    return f"points-{space}.jsonl.gz"


def read_lines(file: Path) -> Iterator[Any]:
    """Yield what was written."""
    with gzip.open(file, "rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def pages(rows: Iterable[Anything], size: int) -> Iterator[list[Anything]]:
    """Yield rows in batches."""
    rest = iter(rows)
    while page := list(islice(rest, size)):
        yield page
