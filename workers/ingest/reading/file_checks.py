"""Checks that a file is what its suffix says before it is parsed."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

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
# Lines of a mail's head at its beginning, one of which says that there are several parts.
_MHTML = re.compile(
    rb"(?:[\w-]{2,40}:[^\n]{0,500}\n(?:[ \t][^\n]{0,500}\n){0,20}){0,20}?Content-Type:\s*multipart/",
    re.IGNORECASE,
)
_TAG = re.compile(r"<\s*[a-zA-Z!][^<>]{0,2000}>")


def check_pdf(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes carry the mark of a PDF."""
    if b"%PDF-" not in data[:_PDF_MARK_WITHIN]:
        raise DocumentUnreadable("not a PDF, whatever its name says: the mark %PDF- is missing")


def check_docx(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes are a zip archive that unpacks to a sane size."""
    if data.startswith(_OLE_MARK):
        raise DocumentUnreadable("an old .doc or a password-protected file: save it as .docx, unprotected")
    _check_unpacked(data, "not a .docx, whatever its name says: it is not a zip archive")


def check_workbook(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes may be a workbook, unprotected and of a sane size unpacked.

    Which of its suffixes it has does not matter: programs tell workbooks by their content, too.
    """
    if data.startswith(_OLE_MARK):
        if _ENCRYPTED in data:
            raise DocumentUnreadable("protected by a password: save it without one")
        return
    _check_unpacked(
        data,
        "no spreadsheet, whatever its name says: name it .csv or .html if it is that, or save it as .xlsx",
    )


def check_presentation(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes are a zip archive that unpacks to a sane size."""
    if data.startswith(_OLE_MARK):
        raise DocumentUnreadable("an old .ppt or a password-protected file: save it as .pptx, unprotected")
    _check_unpacked(data, "not a .pptx, whatever its name says: it is not a zip archive")


def check_open_document(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes are a zip archive that unpacks to a sane size."""
    _check_unpacked(data, "not an .odt, whatever its name says: it is not a zip archive")


def check_book(data: bytes) -> None:
    """Raise DocumentUnreadable unless the bytes are a zip archive that unpacks to a sane size."""
    _check_unpacked(data, "not an .epub, whatever its name says: it is not a zip archive")


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
    "docx": check_docx,
    "html": check_html,
    "pptx": check_presentation,
    "epub": check_book,
    "odt": check_open_document,
    "xlsx": check_workbook,
    "xls": check_workbook,
    "ods": check_workbook,
}
