"""Packs local files into upload requests of bounded size."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from hopline.contents import format_of_content
from hopline.errors import no_document
from hopline.models.about import About
from hopline.models.base import Frozen
from hopline.models.documents import DocumentReport
from hopline.models.formats import ARCHIVES, CODE, LINES, SUFFIXES, is_judged, unknown_suffix
from hopline.sidecars import (
    LONGEST_SIDECAR,
    SIDECAR,
    document_of,
    is_almost_sidecar,
    is_sidecar,
    not_read,
    with_unread,
    without_document,
)
from hopline.trees import Entry, LocalTree, entry_at, expanded, file_at, is_pattern, matching, place_of, walk

_SUFFIXES = (*SUFFIXES, *LINES, *ARCHIVES)
_LONGEST_NAME = 500  # characters
_MOST_BYTES = 16_000_000  # of one request with several files


class Room(Frozen):
    """Capacity of one request."""

    body_bytes: int
    documents: int
    document_bytes: int
    lines: int  # of all .jsonl files of a request, empty ones not counted

    @classmethod
    def of(cls, about: About) -> Room:
        """Return the limits that a server publishes."""
        return cls(**{name: int(about.limits[name]) for name in cls.model_fields})

    @property
    def file_bytes(self) -> int:
        """Bytes of files; a form's own lines need some room."""
        return min(_MOST_BYTES, self.body_bytes * 9 // 10)


@dataclass(frozen=True)
class FilePart:
    """A file, or some lines of one."""

    name: str  # as its document is called
    path: Path
    start: int = 0  # bytes
    size: int = 0
    lines: int = 0  # before it
    held: int = 0  # lines in it that are not empty
    sidecar: Path | None = None  # with its metadata

    def open(self, opened: ExitStack) -> list[tuple[str, bytes | BinaryIO]]:
        """Return the files to send, by name; empty lines before a part preserve its line numbers.

        Of a sidecar that is too long as much is sent as makes the server refuse it.

        Args:
            opened: closes the file, which is read while it is sent.

        Raises:
            OSError: it cannot be read.
        """
        file = opened.enter_context(self.path.open("rb"))
        sent: list[tuple[str, bytes | BinaryIO]] = [(self.name, file)]
        if self.path.suffix.lower() in LINES:
            file.seek(self.start)
            sent = [(self.name, b"\n" * self.lines + file.read(self.size))]
        if self.sidecar is not None:
            with self.sidecar.open("rb") as file:
                sent.append((self.name + SIDECAR, file.read(LONGEST_SIDECAR + 1)))
        return sent


@dataclass
class Named:
    """The files and addresses that some paths name."""

    parts: list[FilePart] = field(default_factory=list)
    uris: list[str] = field(default_factory=list)  # for the server to read
    refused: list[DocumentReport] = field(default_factory=list)

    def refuse(self, place: str, reason: str) -> None:
        """List what was refused, once."""
        report = DocumentReport(uri=place, status="failed", error=reason)
        if report not in self.refused:
            self.refused.append(report)

    def check(self, paths: Sequence[str | Path]) -> None:
        """Check that there is something to send.

        Raises:
            InvalidInput: there is not.
        """
        if not self.parts and not self.uris:
            raise no_document("paths", [str(path) for path in paths], [each.refusal for each in self.refused])


def look_at(paths: Sequence[str | Path], room: Room, *, code: bool = False) -> Named:
    """Return what some paths name: files, folders to their bottoms, patterns, addresses.

    A document is called by the path of its file, as far as the caller named it: `reports/a.pdf` where that
    or `reports` is named relative to the current folder, or the folder by its whole path. An address is the
    server's to read, that of a file (file:///…) excepted.
    """
    named = Named()
    for path in paths:
        given = str(path).removeprefix("file://")
        place = place_of(given)
        if "://" in place:
            named.uris += [place] if place not in named.uris else []
            continue
        try:
            _look_at(place, _folder_above(given, place), named, room, code=code)
        except (OSError, ValueError) as error:
            named.refuse(str(path), f"cannot be read: {error}")
    return named


def in_place(paths: Sequence[str | Path]) -> Named:
    """Return the sources of some paths for a server that reads this machine's files itself."""
    named = Named()
    for place in map(place_of, paths):
        try:
            place.encode()
        except UnicodeEncodeError:
            named.refuse(ascii(place)[1:-1], "its name is not valid UTF-8: rename it")
        else:
            named.uris.append(place)
    return named


def _folder_above(given: str, place: str) -> str:
    """Return the folder from which names of files lead on.

    Args:
        given: a path or a pattern as it was named.
        place: the same as a whole path.
    """
    here = Path.cwd()
    if not expanded(given).is_absolute():
        return str(next(each for each in (here, *here.parents) if Path(place).is_relative_to(each)))
    if is_pattern(place) and not os.path.lexists(place):
        parts = PurePosixPath(place).parts
        place = str(PurePosixPath(*takewhile(lambda part: not is_pattern(part), parts)))
    return os.path.dirname(place)  # noqa: PTH120 - paths are texts here


def _look_at(path: str, above: str, named: Named, room: Room, *, code: bool) -> None:
    entries = list(_files(path))
    if not entries and not is_sidecar(path):
        named.refuse(path, "nothing there: no such file, an empty folder, or a pattern without a match")
    known = {part.path for part in named.parts}
    names = {part.name: part.path for part in named.parts}
    for entry in entries:
        file = Path(entry.path)
        if file in known:
            continue
        if entry.sidecar_fault:
            named.refuse(entry.path + SIDECAR, entry.sidecar_fault)
        name = PurePosixPath(os.path.relpath(file, above)).as_posix()
        other = names.setdefault(name, file)
        fault = next(_faults(entry, name, room, code=code), None)
        if not fault and other != file:
            fault = f"its name {name} is also that of {other}: name a folder that holds both"
        if fault:
            named.refuse(ascii(entry.path)[1:-1] if not entry.path.isprintable() else entry.path, fault)
        else:
            named.parts += _parts(file, name, room, sidecar=entry.sidecar)


def _files(path: str) -> Iterator[Entry]:
    if os.path.isfile(path):  # noqa: PTH113 - paths are texts here
        if not (is_sidecar(path) and os.path.exists(document_of(path))):  # noqa: PTH110 - as above
            yield file_at(path)
    elif os.path.isdir(path):  # noqa: PTH112 - as above
        yield from walk(LocalTree(), path)
    elif os.path.lexists(path):
        yield entry_at(path)
    elif is_pattern(path):
        yield from matching(LocalTree(), path)


def _faults(entry: Entry, name: str, room: Room, *, code: bool) -> Iterator[str]:
    """Yield why a file cannot be sent; nothing if it can."""
    suffix, size = Path(entry.path).suffix.lower(), entry.size or 0
    if entry.fault:
        yield entry.fault
    if unread := entry.unread or (name + SIDECAR if entry.sidecar_fault else ""):
        yield with_unread(unread)
    if not name.isprintable() or "\\" in name or len(name) > _LONGEST_NAME:
        yield f"its path must be printable, without '\\', and have {_LONGEST_NAME} characters at most"
    if is_sidecar(name):
        yield without_document(name)
    if is_almost_sidecar(name):
        yield not_read(name)
    if not name.lower().endswith(_SUFFIXES) and not _is_read(entry.path, suffix, code=code):
        yield unknown_suffix(suffix, _SUFFIXES)
    if suffix not in LINES and size > room.document_bytes:
        yield f"too large: {size} bytes, at most {room.document_bytes} are taken"


def _is_read(path: str, suffix: str, *, code: bool) -> bool:
    """Return whether a file is read whose suffix names no document."""
    if code and suffix in CODE:
        return True
    if not is_judged(suffix):
        return False
    try:
        with Path(path).open("rb") as file:
            return format_of_content(file) != ""
    except OSError:
        return False


def _parts(file: Path, name: str, room: Room, *, sidecar: bool) -> Iterator[FilePart]:
    size = file.stat().st_size
    if file.suffix.lower() not in LINES:
        beside = file.with_name(file.name + SIDECAR) if sidecar else None
        yield FilePart(name, file, size=size, sidecar=beside)
        return
    start = at = lines = before = held = 0
    with file.open("rb") as opened:
        for line in opened:
            filled = bool(line.strip())
            full = at - start + before + len(line) > room.file_bytes or held + filled > room.lines
            if full and at > start:
                yield FilePart(name, file, start, at - start, before, held)
                start, before, held = at, lines, 0
            at += len(line)
            lines += 1
            held += filled
    yield FilePart(name, file, start, at - start, before, held)


def requests_of(parts: Sequence[FilePart], room: Room) -> Iterator[list[FilePart]]:
    """Yield the files of one request after another."""
    request: list[FilePart] = []
    names: set[str] = set()
    filled = held = 0
    for part in parts:
        size = part.size + part.lines + (LONGEST_SIDECAR if part.sidecar else 0)
        full = (
            len(request) == room.documents or filled + size > room.file_bytes or held + part.held > room.lines
        )
        if request and (full or part.name in names):
            yield request
            request, names, filled, held = [], set(), 0, 0
        request.append(part)
        names.add(part.name)
        filled += size
        held += part.held
    if request:
        yield request


def requests_of_texts(texts: Sequence[Mapping[str, Any]], room: Room) -> Iterator[list[Mapping[str, Any]]]:
    """Yield the texts of one request after another; as JSON a text may be six times as long."""
    request: list[Mapping[str, Any]] = []
    filled = 0
    for text in texts:
        size = len(json.dumps(text, ensure_ascii=False).encode())
        if request and (len(request) == room.documents or filled + size > room.file_bytes):
            yield request
            request, filled = [], 0
        request.append(text)
        filled += size
    if request:
        yield request


def requests_of_uris(uris: Sequence[str], room: Room) -> Iterator[Sequence[str]]:
    """Yield the addresses of one request after another."""
    for start in range(0, len(uris), room.documents):
        yield uris[start : start + room.documents]
