"""A .uris file: one document's address a line; what is relative lies beside the list, # begins a remark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

from workers.core.errors import InvalidInput
from workers.core.params import DocumentParams, parse_params
from workers.sources.kinds import FORMATS, Found, Named, Refused, is_address, suffix_of

_LONGEST = 10_000  # bytes of a line
_BOM = b"\xef\xbb\xbf"
_KNOWN = ", ".join(sorted(FORMATS))


def documents_of_uris(file: BinaryIO, address: str) -> Iterator[Named]:
    """Yield a document per line, or what is wrong with it; nothing is looked at, workers find out.

    Args:
        file: the opened list.
        address: its own.
    """
    folder = address.rpartition("/")[0]
    number = 0
    while raw := file.readline(_LONGEST):
        number += 1
        place = f"{address} line {number}"
        if not raw.endswith(b"\n") and len(raw) == _LONGEST:
            while (rest := file.readline(_LONGEST)) and not rest.endswith(b"\n"):
                pass
            yield Refused(place, f"too long: an address has at most {_LONGEST} bytes")
            continue
        line = (raw.removeprefix(_BOM) if number == 1 else raw).strip()
        if line and not line.startswith(b"#"):
            yield _named(line, place, folder)


def _named(line: bytes, place: str, folder: str) -> Named:
    try:
        uri = _whole(line.decode("utf-8"), folder)
    except UnicodeDecodeError:
        return Refused(place, "not UTF-8")
    suffix = suffix_of(uri)
    if suffix not in FORMATS:
        return Refused(f"{place}: {uri}", f"unknown suffix {suffix!r}; a list names documents: {_KNOWN}")
    try:
        given = {"uri": uri, "source": uri, "format": FORMATS[suffix]}
        return Found(place, parse_params(DocumentParams, given))
    except InvalidInput as error:
        return Refused(place, str(error))


def _whole(uri: str, folder: str) -> str:
    if is_address(uri):
        return uri
    if is_address(folder):
        return uri if uri.startswith("/") else f"{folder}/{uri}"
    return os.path.normpath(os.path.join(folder, uri))  # noqa: PTH118 - a text, not a place
