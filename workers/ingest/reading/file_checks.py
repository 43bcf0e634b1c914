"""Checks that a file matches its suffix before it is parsed."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from functools import partial
from typing import BinaryIO

from hopline.contents import MOST_LISTED, OLE_MARK, listed_bytes, marks_in
from hopline.errors import DocumentUnreadable

_PDF_MARK_WITHIN = 1024  # readers accept that many bytes before the mark
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # within it, where a password protects an office file
_ENTRIES = 5_000
_XML_BYTES = 60_000_000  # unpacked; a novel has some 5 MB
_BYTES = 300_000_000  # unpacked, with pictures
_PICTURES = 2  # times a large file unpacks to so much: most of it are pictures and films, which are not read
_RATIO = 250  # unpacked over packed; real XML stays below 50
_RATIO_COUNTS_FROM = 1_000_000  # bytes; tiny entries may compress well
_ENCRYPTED_FLAG = 0x1
# Lines of a mail's head at its beginning, which include a statement of several parts.
_MHTML = re.compile(
    rb"(?:[\w-]{2,40}:[^\n]{0,500}\n(?:[ \t][^\n]{0,500}\n){0,20}){0,20}?Content-Type:\s*multipart/",
    re.IGNORECASE,
)
_TAG = re.compile(r"<\s*[a-zA-Z!][^<>]{0,2000}>")


def check_pdf(file: BinaryIO) -> None:
    """Raise DocumentUnreadable unless the file has the signature of a PDF."""
    if b"%PDF-" not in _start(file, _PDF_MARK_WITHIN):
        raise DocumentUnreadable("not a PDF, whatever its name says: the mark %PDF- is missing")


def check_zip(file: BinaryIO, form: str) -> None:
    """Raise DocumentUnreadable unless the file is a zip archive that unpacks to a sane size.

    Args:
        file: the file to check.
        form: suffix of the expected format.
    """
    if _is_compound(file):
        if marks_in(file, [_ENCRYPTED]):
            raise DocumentUnreadable("protected by a password: save it without one")
        raise DocumentUnreadable(
            f"a file of an old Office version, or protected by a password: save it as .{form}, unprotected"
        )
    _check_unpacked(file, f"not .{form}, whatever its name says: it is not a zip archive")


def check_workbook(file: BinaryIO) -> None:
    """Raise DocumentUnreadable unless the file may be a workbook, unprotected and of a sane size unpacked.

    Its exact suffix does not matter, because programs also recognise workbooks by content.
    """
    if not _is_compound(file) or marks_in(file, [_ENCRYPTED]):
        check_zip(file, "xlsx")


def _start(file: BinaryIO, size: int) -> bytes:
    file.seek(0)
    return file.read(size)


def _is_compound(file: BinaryIO) -> bool:
    return _start(file, len(OLE_MARK)) == OLE_MARK


def _check_unpacked(file: BinaryIO, otherwise: str) -> None:
    try:
        if (listed := listed_bytes(file)) > MOST_LISTED:
            raise DocumentUnreadable(f"refused: its list of files has {listed} bytes (a zip bomb?)")
        with zipfile.ZipFile(file) as archive:
            entries, packed = archive.infolist(), file.seek(0, io.SEEK_END)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DocumentUnreadable(otherwise) from error
    if any(entry.flag_bits & _ENCRYPTED_FLAG for entry in entries):
        raise DocumentUnreadable("encrypted: remove the password and try again")
    unpacked = sum(entry.file_size for entry in entries)
    xml = sum(entry.file_size for entry in entries if entry.filename.endswith((".xml", ".rels")))
    bomb = unpacked > _RATIO_COUNTS_FROM and unpacked > _RATIO * packed
    if bomb or unpacked > max(_BYTES, _PICTURES * packed) or xml > _XML_BYTES or len(entries) > _ENTRIES:
        raise DocumentUnreadable(
            f"refused: {packed} bytes would unpack to {unpacked} in {len(entries)} entries (a zip bomb?)"
        )


def check_html(file: BinaryIO) -> None:
    """Raise DocumentUnreadable unless the text, in UTF-8, contains a tag and is not a web archive."""
    file.seek(0)
    data = file.read()
    if _MHTML.match(data):
        raise DocumentUnreadable("an archive of a web page (MHTML), not HTML: name it .mhtml")
    if not _TAG.search(data.decode()):
        raise DocumentUnreadable("not HTML, whatever its name says: it contains no tags; name it .txt")


# By the name of a format: called before its parser is.
CHECKS: dict[str, Callable[[BinaryIO], None]] = {
    "pdf": check_pdf,
    "html": check_html,
    **{form: partial(check_zip, form=form) for form in ("docx", "pptx", "epub", "odt")},
    **dict.fromkeys(("xlsx", "xls", "ods"), check_workbook),
}
