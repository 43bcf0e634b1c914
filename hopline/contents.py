"""Tells by its content which format a file has, whatever it is called. The standard library alone."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Collection
from typing import BinaryIO

_HEAD = 16_384  # bytes
_SLICE = 1024 * 1024  # bytes
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of a compound file, as Office wrote them before 2007
_IN_OLE = {  # names within
    f"{name}\0".encode("utf-16-le"): form
    for name, form in (("Workbook", "xls"), ("Book", "xls"), ("__properties_version1.0", "msg"))
}
_IN_ZIP = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))
_MIME_TYPES = {
    b"application/epub+zip": "epub",
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
}
_MARKS = (
    (b"{\\rtf", "rtf"), (b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
)  # fmt: skip
_PDF, _PDF_WITHIN = b"%PDF-", 1_024
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)?(?:<!doctype\s+html|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_MAIL = re.compile(
    rb"(?:From [^\n]{0,200}\n)?(?:[\w-]{2,40}:[^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n){0,40}){2,100}"
)
_MAIL_HEADS = (rb"(?im)^from:", rb"(?im)^(?:mime-version|message-id|received|delivered-to):")
_PAGE = re.compile(rb"(?im)^content-type:\s*multipart/related")
_SAVED = re.compile(rb"(?im)^(?:snapshot-content-location|from:\s*<?saved by)")
_CONTROL = bytes(range(0x09)) + bytes(range(0x0E, 0x1B)) + bytes(range(0x1C, 0x20))
MOST_LISTED = 4_000_000  # bytes of an office file's list of files, which zipfile reads at once
# The records at the end of a zip, which are found as zipfile finds them, and their bytes.
_END, _LOCATOR, _END_64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_END_BYTES, _LOCATOR_BYTES, _END_64_BYTES, _COMMENT_BYTES = 22, 20, 56, 1 << 16
_CUT_OFF = "its list of files is cut off"


def format_of_content(file: BinaryIO) -> str:
    """Return the name of the format of a file's content; "" if it is not recognised.

    Args:
        file: which can be sought.
    """
    file.seek(0)
    head = file.read(_HEAD)
    if _PDF in head[:_PDF_WITHIN]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _zipped(file)
    if head.startswith(OLE_MARK):
        found = marks_in(file, _IN_OLE)
        return next((form for mark, form in _IN_OLE.items() if mark in found), "")
    marked = next((form for mark, form in _MARKS if head.startswith(mark)), "")
    if not marked and head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        marked = "webp"
    return marked or _text(head)


def _zipped(file: BinaryIO) -> str:
    try:
        if listed_bytes(file) > MOST_LISTED:
            return ""
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            stated = archive.open("mimetype").read(100) if "mimetype" in names else b""
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError, EOFError):
        return ""
    if stated.strip() in _MIME_TYPES:
        return _MIME_TYPES[stated.strip()]
    if "[Content_Types].xml" in names:
        return next((form for folder, form in _IN_ZIP if any(name.startswith(folder) for name in names)), "")
    return "epub" if "META-INF/container.xml" in names else ""


def listed_bytes(file: BinaryIO) -> int:
    """Return how many bytes zipfile would read as a zip's list of files; 0 if it is not a zip.

    Of two sizes, in the zip64 record that zipfile reads and in the one that its locator leads to, the larger.

    Raises:
        BadZipFile: the zip's own account of it is cut off.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _COMMENT_BYTES - _END_BYTES - _LOCATOR_BYTES - _END_64_BYTES))
    tail = file.read()
    last = len(tail) - _END_BYTES
    is_last = last >= 0 and tail.startswith(_END, last) and tail.endswith(b"\0\0")  # without a comment
    at = last if is_last else tail.rfind(_END, max(0, last - _COMMENT_BYTES))
    if at < 0:
        return 0  # zipfile says that it is none
    if at > last:
        raise zipfile.BadZipFile(_CUT_OFF)
    listed = int(struct.unpack_from("<I", tail, at + 12)[0])
    locator = at - _LOCATOR_BYTES
    if locator < 0 or not tail.startswith(_LOCATOR, locator):
        return listed
    (address,) = struct.unpack_from("<Q", tail, locator + 8)
    if address > size - _END_64_BYTES:
        raise zipfile.BadZipFile(_CUT_OFF)
    file.seek(address)
    there, before = file.read(_END_64_BYTES), tail[max(0, locator - _END_64_BYTES) : locator]
    return max(_listed_64(before, listed), _listed_64(there, 0))


def _listed_64(record: bytes, otherwise: int) -> int:
    """Return the length of the file list in a zip64 record, or another number if it is not a record."""
    is_record = len(record) == _END_64_BYTES and record.startswith(_END_64)
    return int(struct.unpack_from("<Q", record, 40)[0]) if is_record else otherwise


def marks_in(file: BinaryIO, marks: Collection[bytes]) -> set[bytes]:
    """Return which signatures occur in a file, reading little of it into memory at a time."""
    longest, before, found = max(map(len, marks)), b"", set[bytes]()
    file.seek(0)
    while part := file.read(_SLICE):
        seen = before + part
        found |= {mark for mark in marks if mark in seen}
        before = seen[-longest:]
    return found


def _text(head: bytes) -> str:
    """Return which text a file is: a page, a mail, or a plain one in UTF-8."""
    if not head.strip() or b"\0" in head or len(head.translate(None, _CONTROL)) < len(head):
        return ""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(head) < _HEAD or error.start < len(head) - 3:  # else a sign is cut off
            return ""
    plain = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    if _HTML.match(plain):
        return "html"
    if heads := _MAIL.match(plain):
        if _PAGE.search(heads[0]) and _SAVED.search(heads[0]):
            return "mhtml"
        if all(re.search(pattern, heads[0]) for pattern in _MAIL_HEADS):
            return "eml"
    return "txt"
