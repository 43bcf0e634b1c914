"""Reads .jsonl files: one document a line, {id?, title?, chapter?, order?, metadata?, allow?, text}."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

import orjson

from hopline.errors import InvalidInput
from hopline.models.metadata import is_allow
from hopline.principals import ALLOW
from workers.core.jobs.params import DocumentParams, parse_params
from workers.core.json_objects import parse_json
from workers.sources.addresses import Keeping
from workers.sources.formats import Found, Named, Refused
from workers.sources.line_address import LONGEST_LINE, LineAddress, line_digest

_BOM = b"\xef\xbb\xbf"
_TIMED = re.compile(r"(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?")
_SLICE = 256 * 1024  # bytes of lines that are kept together: what a worker reads to have one of them
_Check = Callable[[str], object]


class Line(NamedTuple):
    """A line that is not empty."""

    number: int  # from 1
    start: int  # byte of the file
    data: bytes  # without the white space around it


def documents_of_lines(
    file: BinaryIO, address: str, keeping: Keeping, check: _Check | None = None
) -> Iterator[Named]:
    """Yield a document per line, or what is wrong with it; empty lines are skipped.

    A given id identifies the document wherever its file is; without one, the file and the line do. For a file
    of millions of lines, only a few hundred kilobytes are held in memory.

    Args:
        file: the opened file.
        address: the file's; with #id or #line it is the document's.
        keeping: gives the address of the lines for workers.
        check: called with the id of each line that has one; raises InvalidInput if it is not allowed.
    """
    for data, lines in _slices(file, address):
        if isinstance(lines, Refused):
            yield lines
            continue
        kept, offset = keeping.keep_lines(address, lines[0].start, data)
        for line in lines:
            start = offset + line.start - lines[0].start
            source = LineAddress(
                start=start, length=len(line.data), digest=line_digest(line.data), address=kept
            )
            place = f"{address} line {line.number}"
            try:
                document = _document(line, address, str(source), check)
            except InvalidInput as error:
                yield Refused(place, str(error))
            else:
                yield Found(place, document, len(line.data))


def text_of_line(line: bytes) -> str:
    """Return the text of a line's document.

    Raises:
        InvalidInput: it is not valid.
    """
    text: str = _entry(line)["text"]
    return text


def _slices(file: BinaryIO, address: str) -> Iterator[tuple[bytes, list[Line] | Refused]]:
    """Yield (bytes from the first line's first to the last one's last, lines), in order."""
    held: list[Line] = []
    chunk = bytearray()
    for line in _lines(file, address):
        if held and (isinstance(line, Refused) or line.start + len(line.data) - held[0].start > _SLICE):
            yield bytes(chunk), held
            held, chunk = [], bytearray()
        if isinstance(line, Refused):
            yield b"", line
            continue
        if held:
            chunk += b"\n" * (line.start - held[0].start - len(chunk))
        chunk += line.data
        held.append(line)
    if held:
        yield bytes(chunk), held


def _lines(file: BinaryIO, address: str) -> Iterator[Line | Refused]:
    number = at = 0
    while raw := file.readline(LONGEST_LINE):
        number += 1
        start, whole = at, len(raw)
        while not raw.endswith(b"\n") and whole >= LONGEST_LINE and (rest := file.readline(LONGEST_LINE)):
            raw, whole = rest, whole + len(rest)
        at += whole
        if whole > LONGEST_LINE:
            yield Refused(f"{address} line {number}", f"too long: {whole} bytes, at most {LONGEST_LINE}")
            continue
        text = raw.removeprefix(_BOM) if number == 1 else raw
        data = text.lstrip()
        if data:
            yield Line(number, start + whole - len(data), data.rstrip())


def _document(line: Line, address: str, source: str, check: _Check | None) -> DocumentParams:
    entry = _entry(line.data)
    name = entry.get("id")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int) or name == ""):
        raise InvalidInput("id", name, "a text or a whole number")
    if name is not None and check is not None:
        check(str(name))
    return parse_params(
        DocumentParams,
        {
            "uri": f"{address}#{line.number if name is None else name}",
            "source": source,
            "format": "txt",
            "name": "" if name is None else str(name),
            "title": entry.get("title") or "",
            "chapter": entry.get("chapter"),
            "order": entry.get("order"),
            "metadata": _metadata(entry),
        },
    )


def _metadata(entry: dict[str, Any]) -> Any:
    """Return a line's metadata, including an `allow` beside it."""
    fields = {} if entry.get("metadata") is None else entry["metadata"]
    if isinstance(fields, dict):
        fields = {name: _as_field(name, value) for name, value in fields.items()}
    beside = [name for name in entry if is_allow(name)]
    within = [name for name in fields if is_allow(name)] if isinstance(fields, dict) else []
    if not beside:
        return fields
    if len(beside) > 1 or within or not isinstance(fields, dict):
        allowed = "given once: beside `metadata`, an object, or within it"
        raise InvalidInput(ALLOW, entry[beside[0]], allowed)
    return fields | {ALLOW: entry[beside[0]]}


def _as_field(name: str, value: Any) -> Any:
    """Return a value as a field has it: true and false as texts, of a time in `date` the day."""
    if isinstance(value, bool):
        return "true" if value else "false"
    timed = _TIMED.fullmatch(value) if name.strip().lower() == "date" and isinstance(value, str) else None
    return timed[1] if timed else value


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry = parse_json(line)
    except orjson.JSONDecodeError as error:
        raise InvalidInput("line", line[:80].decode("utf-8", "replace"), f"JSON ({error})") from error
    if not isinstance(entry, dict):
        raise InvalidInput("line", entry, "an object {id, title, text}")
    text = entry.get("text")
    if not isinstance(text, str):
        raise InvalidInput("text", text, "the document's text; the field is missing or not a text")
    if not text.strip():
        raise InvalidInput("text", text, "a text that is not empty")
    return entry
