"""Reads .uris files: one address a line, relative ones beside the list; # begins a comment.

A list that a user names may name any place. One that was only found by walking may name what lies in its
own folder and below, and nothing else: whoever put it there does not choose what a worker reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote

from hopline.errors import InvalidInput
from hopline.models.formats import unknown_suffix
from workers.core.jobs.params import DocumentParams, parse_params
from workers.sources.formats import FORMATS, Found, Named, Refused, is_address, suffix_of

_LONGEST = 10_000  # bytes of a line
_BOM = b"\xef\xbb\xbf"
_OUTSIDE = "a list found in a folder reaches no further than its own; to ingest this, name the list itself"


class Bounds(NamedTuple):
    """The reach of a list that was found by walking."""

    follow: bool  # links are followed

    def hold(self, uri: str, folder: str) -> bool:
        """Return whether a path or address is inside a folder, by its text and with links resolved."""
        if not uri.startswith(f"{folder}/") or ".." in unquote(uri).split("/"):
            return False
        if is_address(uri) or self.follow:
            return True
        below = uri.removeprefix(folder)
        return os.path.realpath(uri) == os.path.realpath(folder) + below


def documents_of_uris(file: BinaryIO, address: str, bounds: Bounds | None = None) -> Iterator[Named]:
    """Yield a document per line, or what is wrong with it; nothing is read, workers find out.

    Args:
        file: the opened list.
        address: its own.
        bounds: how far it reaches; anywhere, unless given.
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
            yield _named(line, place, folder, bounds)


def _named(line: bytes, place: str, folder: str, bounds: Bounds | None) -> Named:
    try:
        uri = _whole(line.decode("utf-8"), folder)
    except UnicodeDecodeError:
        return Refused(place, "not UTF-8")
    if bounds is not None and not bounds.hold(uri, folder):
        return Refused(f"{place}: {uri}", _OUTSIDE)
    suffix = suffix_of(uri)
    if suffix not in FORMATS:
        return Refused(f"{place}: {uri}", unknown_suffix(suffix, FORMATS))
    try:
        params = {"uri": uri, "source": uri, "format": FORMATS[suffix]}
        return Found(place, parse_params(DocumentParams, params))
    except InvalidInput as error:
        return Refused(place, str(error))


def _whole(uri: str, folder: str) -> str:
    if is_address(uri):
        return uri
    if is_address(folder):
        return uri if uri.startswith("/") else f"{folder}/{uri}"
    return os.path.normpath(os.path.join(folder, uri))  # noqa: PTH118 - a text, not a place
