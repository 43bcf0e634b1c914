"""The list of a backup's files with sizes and hashes, checked before anything is restored."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from io import BufferedReader, FileIO
from pathlib import Path

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from producer.backup.folder import NOTE, Note, read_lines, write_lines

CONTENTS = "files.jsonl.gz"
BLOBS = "blobs/"
_OWN = re.compile(
    r"(?:nodes|relationships|spaces|ledger|points-hopline-(?:[0-9]+|collections))\.jsonl\.gz"
    r"|blobs/([0-9a-f]{2})/([0-9a-f]{2})/\1\2[0-9a-f]{60}(?:\.[A-Za-z0-9_-]{1,16}){0,2}"
    r"|blobs/history/(?:jobs|audit)/day=[0-9]{4}-[0-9]{2}-[0-9]{2}/[0-9]{1,20}-[0-9]{1,20}\.g[0-9]{1,10}\.parquet"
    r"|blobs/replies/([0-9a-f]{3})/\3[0-9a-f]{61}\.[0-9a-z-]{1,100}"
    r"|blobs/originals/([0-9A-Za-z]{3})/\4[0-9A-Za-z]{0,97}-[0-9a-f]{64}-[0-9a-f]{8}"
)


class Content(Frozen):
    """One file of a backup."""

    name: str  # below the backup's folder
    size: int  # bytes
    sha256: str  # hex


def is_own(name: str) -> bool:
    """Return whether a backup writes a file of this name."""
    return _OWN.fullmatch(name) is not None


def write_contents(folder: Path) -> str:
    """Write the list of files; return its hash."""
    write_lines(folder / CONTENTS, (_content(folder, name).model_dump() for name in sorted(_files(folder))))
    return _content(folder, CONTENTS).sha256


def check_contents(folder: Path, note: Note) -> list[str]:
    """Return the names of a backup's files.

    A backup of the first form has no list: its names are checked and its bytes are not.

    Raises:
        InvalidInput: a file is missing, of a foreign name, changed, or no plain file.
    """
    names = sorted(set(_files(folder)) - {NOTE, CONTENTS})
    for name in names:
        if not is_own(name):
            raise _not_as_written(name, "is not a file that a backup writes")
    if note.contents:
        if _content(folder, CONTENTS).sha256 != note.contents:
            raise _not_as_written(CONTENTS, "was changed since the backup")
        _compare(folder, names)
    return names


def _compare(folder: Path, names: list[str]) -> None:
    listed = {row["name"]: Content.read_stored(row) for row in read_lines(folder / CONTENTS)}
    for name in sorted(listed.keys() ^ set(names)):
        how = "is missing" if name in listed else "is not in the backup's list of files"
        raise _not_as_written(name, how)
    for name in names:
        if _content(folder, name) != listed[name]:
            raise _not_as_written(name, "was changed since the backup")


def open_plain(file: Path) -> BufferedReader:
    """Open a file to be read; a link is refused."""
    return BufferedReader(FileIO(os.open(file, os.O_RDONLY | os.O_NOFOLLOW)))


def _files(folder: Path, below: str = "") -> Iterator[str]:
    with os.scandir(folder / below) as entries:
        for entry in entries:
            name = f"{below}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _files(folder, f"{name}/")
            elif entry.is_file(follow_symlinks=False):
                yield name
            else:
                raise _not_as_written(name, "is neither a plain file nor a folder")


def _not_as_written(name: str, how: str) -> InvalidInput:
    message = f"{name} {how}: nothing was restored"
    return InvalidInput("folder", name, "what the backup wrote", message=message)


def _content(folder: Path, name: str) -> Content:
    with open_plain(folder / name) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return Content(name=name, size=os.fstat(file.fileno()).st_size, sha256=digest)
