"""Tells by suffix which files are documents and which are lists of documents."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import BinaryIO, NamedTuple
from urllib.parse import urlsplit

from hopline.contents import format_of_content
from hopline.models.formats import CODE, DOCUMENT_FORMATS, is_judged
from workers.core.jobs.params import DocumentParams

FORMATS = {
    suffix: form.name for form in DOCUMENT_FORMATS.values() for suffix in form.suffixes if not form.is_asked
}
URIS = ".uris"  # one document's address a line
WEB = ("http://", "https://")


def format_of_file(name: str, file: BinaryIO, *, code: bool) -> str:
    """Return the name of a file's format, by its suffix or else by its content; "" for none that is read.

    Args:
        name: name of the file, or its address.
        file: which can be sought.
        code: whether source code is read.
    """
    suffix = suffix_of(name)
    if code and suffix in CODE:
        return "code"
    return FORMATS.get(suffix) or (format_of_content(file) if is_judged(suffix) else "")


class Found(NamedTuple):
    """A document that a source names."""

    place: str  # where: its address, or the line of a list
    document: DocumentParams
    size: int | None = None  # bytes, where they are known without reading it


class Refused(NamedTuple):
    """An entry of a source that was refused."""

    place: str
    reason: str


Named = Found | Refused


def suffix_of(address: str) -> str:
    """Return the suffix of a path's or an address's last part, in small letters."""
    path = urlsplit(address).path if address.lower().startswith(WEB) else address
    return PurePosixPath(path).suffix.lower()


def is_address(text: str) -> bool:
    """Return whether a source is the address of a store rather than a path."""
    return "://" in text


def is_utf8(text: str) -> bool:
    """Return whether a file name is valid text; on some file systems it need not be."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
