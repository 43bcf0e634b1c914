"""What sources name, looked at without a server and without keeping any of it: for an estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec
import orjson

from workers.core.errors import DocumentUnreadable
from workers.sources.kinds import FORMATS, LINES
from workers.sources.walk import files_of

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Listed:
    """A document that a source names.

    Attributes:
        place: where it stands, for people.
        format: txt, md, html, pdf or docx; "" where it is no document that hopline reads.
        size: bytes.
        read: returns its bytes.
        title: given with it, or "".
        lines: whether it is a line of a .jsonl file.
    """

    place: str
    format: str
    size: int
    read: Callable[[], bytes]
    title: str = ""
    lines: bool = False


def list_sources(sources: Sequence[str]) -> Iterator[Listed]:
    """Yield the documents of files, folders, patterns and addresses; only .jsonl files are read.

    Raises:
        DocumentUnreadable: a source leads nowhere.
    """
    for source in sources:
        address = source if "://" in source else str(Path(source).expanduser().absolute())
        try:
            system, root = fsspec.core.url_to_fs(address)
            found = False
            for entry in files_of(system, root):
                found = True
                if entry.kind == "file":
                    yield from _of_file(system, entry.path)
        except (OSError, ValueError, ImportError) as error:
            raise DocumentUnreadable(f"{source} cannot be read: {error}") from error
        if not found:
            raise DocumentUnreadable(
                f"{source}: nothing there: no such file, an empty folder, or a pattern without a match"
            )


def _of_file(system: Any, file: str) -> Iterator[Listed]:
    suffix = PurePosixPath(file).suffix.lower()
    if suffix == LINES:
        with system.open(file, "rb") as opened:
            for number, raw in enumerate(opened, start=1):
                line = raw.removeprefix(_BOM).strip()
                if line:
                    yield Listed(
                        f"{file} line {number}", "txt", len(line), partial(_text, line), "", lines=True
                    )
        return
    yield Listed(file, FORMATS.get(suffix, ""), system.size(file) or 0, partial(_whole, system, file))


def _whole(system: Any, file: str) -> bytes:
    data: bytes = system.cat_file(file)
    return data


def _text(line: bytes) -> bytes:
    """Return the text of a line of a .jsonl file.

    Raises:
        DocumentUnreadable: it holds none.
    """
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise DocumentUnreadable(f"the line is not JSON ({error})") from error
    text = entry.get("text") if isinstance(entry, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise DocumentUnreadable("the line has no text: an object {id, title, text} is allowed")
    return text.encode("utf-8", "replace")
