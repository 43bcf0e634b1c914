"""Packs files and addresses into upload requests of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from hopline.errors import no_document
from hopline.models.base import Frozen
from hopline.models.documents import DocumentReport
from hopline.sidecars import LONGEST_SIDECAR, SIDECAR, is_sidecar, without_document
from hopline.trees import Entry
from workers.sources.documents import open_place
from workers.sources.formats import FORMATS, LINES
from workers.sources.walk import files_of

_KNOWN = ", ".join(sorted((*FORMATS, LINES)))
_LONGEST_NAME = 500  # characters
_MOST_BYTES = 16_000_000  # of one request, which lies in memory


class Room(Frozen):
    """How much one request may bring."""

    body_bytes: int
    documents: int
    document_bytes: int
    lines: int = 2000  # of all .jsonl files of a request, empty ones not counted

    @property
    def file_bytes(self) -> int:
        """Bytes of files; a form's own lines need some room."""
        return min(_MOST_BYTES, self.body_bytes * 9 // 10)


@dataclass(frozen=True)
class Part:
    """A file, or some lines of one."""

    name: str  # as its document is called
    path: Path
    start: int = 0  # bytes
    size: int = 0
    lines: int = 0  # before it
    held: int = 0  # lines in it that are not empty
    sidecar: Path | None = None  # with its metadata

    def read(self) -> bytes:
        """Return its bytes, preceded by empty lines so that line numbers are kept."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            return b"\n" * self.lines + file.read(self.size)

    def read_sidecar(self) -> bytes | None:
        """Return its sidecar's bytes, of one that is too long enough for the server to refuse it."""
        if self.sidecar is None:
            return None
        with self.sidecar.open("rb") as file:
            return file.read(LONGEST_SIDECAR + 1)


@dataclass
class Named:
    """What some paths name."""

    parts: list[Part] = field(default_factory=list)
    uris: list[str] = field(default_factory=list)
    refused: list[DocumentReport] = field(default_factory=list)

    def refuse(self, place: str, reason: str) -> None:
        """List what was refused, once."""
        report = DocumentReport(uri=place, status="failed", error=reason)
        if report not in self.refused:
            self.refused.append(report)


def look_at(paths: Sequence[str | Path], room: Room) -> Named:
    """Return what some paths name: files, folders to their bottoms, patterns, addresses.

    A file's document is called by its whole path without the first slash; an address is the server's to read.
    """
    named = Named()
    for path in paths:
        text = str(path)
        if "://" in text and not text.startswith("file://"):
            named.uris += [text] if text not in named.uris else []
            continue
        try:
            _look_at(text, named, room)
        except (OSError, ValueError) as error:
            named.refuse(text, f"cannot be read: {error}")
    return named


def _look_at(path: str, named: Named, room: Room) -> None:
    system, root = open_place(path)
    entries = list(files_of(system, root))
    if not entries and not is_sidecar(root):
        named.refuse(path, "nothing there: no such file, an empty folder, or a pattern without a match")
    known = {part.path for part in named.parts}
    for entry in entries:
        file = Path(entry.path)
        fault = "" if file in known else _fault(entry, room)
        if fault:
            named.refuse(ascii(str(file)) if not str(file).isprintable() else str(file), fault)
        elif file not in known:
            named.parts += _parts(file, room, sidecar=entry.sidecar)
            if entry.sidecar_fault:
                named.refuse(entry.path + SIDECAR, entry.sidecar_fault)


def _fault(entry: Entry, room: Room) -> str:
    """Return why a file cannot be sent, empty if it can."""
    file = Path(entry.path)
    name, suffix = _name(file), file.suffix.lower()
    if entry.fault:
        return entry.fault
    if not name.isprintable() or "\\" in name or len(name) > _LONGEST_NAME:
        return f"its path must be printable, without '\\', and have {_LONGEST_NAME} characters at most"
    if is_sidecar(name):
        return without_document(name)
    if suffix not in (*FORMATS, LINES):
        return f"unknown suffix {suffix!r}, known are {_KNOWN}"
    size = entry.size or 0
    if suffix != LINES and size > room.document_bytes:
        return f"too large: {size} bytes, at most {room.document_bytes} are taken"
    return ""


def _name(file: Path) -> str:
    return PurePosixPath(file.as_posix()).relative_to("/").as_posix()


def _parts(file: Path, room: Room, *, sidecar: bool = False) -> Iterator[Part]:
    size = file.stat().st_size
    if file.suffix.lower() != LINES:
        beside = file.with_name(file.name + SIDECAR) if sidecar else None
        yield Part(_name(file), file, size=size, sidecar=beside)
        return
    start = at = lines = before = held = 0
    with file.open("rb") as opened:
        for line in opened:
            filled = bool(line.strip())
            full = at - start + before + len(line) > room.file_bytes or held + filled > room.lines
            if full and at > start:
                yield Part(_name(file), file, start, at - start, before, held)
                start, before, held = at, lines, 0
            at += len(line)
            lines += 1
            held += filled
    yield Part(_name(file), file, start, at - start, before, held)


def requests_of(parts: Sequence[Part], room: Room) -> Iterator[list[Part]]:
    """Yield the files of one request after another."""
    batch: list[Part] = []
    names: set[str] = set()
    filled = held = 0
    for part in parts:
        size = part.size + part.lines + (LONGEST_SIDECAR if part.sidecar else 0)
        full = (
            len(batch) == room.documents or filled + size > room.file_bytes or held + part.held > room.lines
        )
        if batch and (full or part.name in names):
            yield batch
            batch, names, filled, held = [], set(), 0, 0
        batch.append(part)
        names.add(part.name)
        filled += size
        held += part.held
    if batch:
        yield batch


def or_nothing(named: Named, paths: Sequence[str | Path]) -> Named:
    """Return what paths name.

    Raises:
        InvalidInput: it is nothing.
    """
    if not named.parts and not named.uris:
        refused = [(refusal.uri, refusal.error or "") for refusal in named.refused]
        raise no_document("paths", [str(path) for path in paths], refused)
    return named
