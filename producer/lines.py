"""A .jsonl file: one document a line, {id?, title?, chapter?, order?, text}."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from workers.core.errors import InvalidInput
from workers.core.params import DocumentParams, parse_params
from workers.core.ports import Blobs

_BOM = b"\xef\xbb\xbf"


def documents_of_lines(
    file: BinaryIO,
    uri: str,
    blobs: Blobs,
    refuse: Callable[[str, str], None],
    check: Callable[[str], object] | None = None,
) -> Iterator[tuple[str, DocumentParams]]:
    """Yield (place, document) per line, its text put into the blob store; empty lines are skipped.

    A given id names the document wherever its file lies; without one the file and the line do.

    Args:
        file: the opened file.
        uri: the file's address; with #id or #line it is the document's.
        blobs: where the texts go.
        refuse: told the place and the reason of each line that is no document.
        check: told the id of each line that has one; raises InvalidInput where it must not name a document.
    """
    for number, raw in enumerate(file, start=1):
        line = raw.removeprefix(_BOM).strip() if number == 1 else raw.strip()
        if not line:
            continue
        place = f"{uri} line {number}"
        try:
            yield place, _document(line, uri, number, blobs, check)
        except InvalidInput as error:
            refuse(place, str(error))


def _document(
    line: bytes, uri: str, number: int, blobs: Blobs, check: Callable[[str], object] | None
) -> DocumentParams:
    entry = _entry(line)
    text, given = entry["text"], entry.get("id")
    if given is not None and (isinstance(given, bool) or not isinstance(given, str | int) or given == ""):
        raise InvalidInput("id", given, "a text or a whole number")
    if given is not None and check is not None:
        check(str(given))
    return parse_params(
        DocumentParams,
        {
            "uri": f"{uri}#{number if given is None else given}",
            "source": "blob:" + blobs.put(text.encode("utf-8"), ".txt"),
            "format": "txt",
            "name": "" if given is None else str(given),
            "title": entry.get("title") or "",
            "chapter": entry.get("chapter"),
            "order": entry.get("order"),
        },
    )


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry = orjson.loads(line)
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
