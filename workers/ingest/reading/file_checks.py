"""Checks that a file is what its suffix says before it is parsed."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from functools import partial

from hopline.errors import DocumentUnreadable

_PDF_MARK_WITHIN = 1024  # readers accept that many bytes before the mark
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # within it, where a password protects an office file
_ENTRIES = 5_000
_XML_BYTES = 60_000_000  # unpacked; a novel has some 5 MB
_BYTES = 300_000_000  # unpacked, with pictures
_RATIO = 250  # unpacked over packed; real XML stays below 50
_RATIO_COUNTS_FROM = 1_000_000  # bytes; tiny entries may compress well
_ENCRYPTED_FLAG = 0x1
# Lines of a mail's head at its beginning, which include a statement of several parts.
_MHTML = re.compile(
    rb"(?:[\w-]{2,40}:[^\n]{0,500}\n(?:[ \t][^\n]{0,500}\n){0,20}){0,20}?Content-Type:\s*multipart/",
    re.IGNORECASE,
)
_TAG = re.compile(r"<\s*[a-zA-Z!][^<>]{0,2000}>")


def check_pdf(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes carry the mark of a PDF."""
    if b"%PDF-" not in data[:_PDF_MARK_WITHIN]:
        raise DocumentUnreadable("not a PDF, whatever its name says: the mark %PDF- is missing")


def check_zip(data: bytes, form: str) -> None:
    """Raise DocumentUnreadable unless the bytes are a zip archive that unpacks to a sane size.

    Args:
        data: of the file.
        form: the suffix of what it should be.
    """
    if data.startswith(_OLE_MARK) and _ENCRYPTED in data:
        raise DocumentUnreadable("protected by a password: save it without one")
    if data.startswith(_OLE_MARK):
        raise DocumentUnreadable(
            f"a file of an old Office, or protected by a password: save it as .{form}, unprotected"
        )
    _check_unpacked(data, f"not .{form}, whatever its name says: it is not a zip archive")


def check_workbook(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes may be a workbook, unprotected and of a sane size unpacked.

    Which of its suffixes it has does not matter: programs tell workbooks by their content, too.
    """
    if not data.startswith(_OLE_MARK) or _ENCRYPTED in data:
        check_zip(data, "xlsx")


def _check_unpacked(data: bytes, otherwise: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries, packed = archive.infolist(), len(data)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DocumentUnreadable(otherwise) from error
    if any(entry.flag_bits & _ENCRYPTED_FLAG for entry in entries):
        raise DocumentUnreadable("encrypted: remove the password and try again")
    unpacked = sum(entry.file_size for entry in entries)
    xml = sum(entry.file_size for entry in entries if entry.filename.endswith((".xml", ".rels")))
    bomb = unpacked > _RATIO_COUNTS_FROM and unpacked > _RATIO * packed
    if bomb or unpacked > _BYTES or xml > _XML_BYTES or len(entries) > _ENTRIES:
        raise DocumentUnreadable(
            f"refused: {packed} bytes would unpack to {unpacked} in {len(entries)} entries (a zip bomb?)"
        )


def check_html(data: bytes) -> None:
    """Raise DocumentUnreadable unless the text, in UTF-8, holds a tag and is no archive of a page."""
    if _MHTML.match(data):
        raise DocumentUnreadable("an archive of a web page (MHTML), not HTML: name it .mhtml")
    if not _TAG.search(data.decode()):
        raise DocumentUnreadable("not HTML, whatever its name says: it holds no tag; name it .txt")


# By the name of a format: called before its parser is.
CHECKS: dict[str, Callable[[bytes], None]] = {
    "pdf": check_pdf,
    "html": check_html,
    **{form: partial(check_zip, form=form) for form in ("docx", "pptx", "epub", "odt")},
    **dict.fromkeys(("xlsx", "xls", "ods"), check_workbook),
}
