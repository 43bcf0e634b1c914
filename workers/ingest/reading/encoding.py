"""Decodes bytes to text strictly: refuses what is not clearly text instead of guessing."""

from __future__ import annotations

import codecs
import re

from hopline.errors import DocumentUnreadable

# The longer mark first: UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Characters above ASCII that Western European texts really hold, as Windows-1252 encodes them. Bytes outside
# this set speak for another encoding (Latin-2's l with stroke would come out as a superscript three).
_WESTERN = frozenset(
    "äöüÄÖÜßéèêëàâçîïôûùÿœæÉÈÊËÀÂÇÎÏÔÛÙŒÆñáíóúÑÁÍÓÚìòÌÒãõÃÕåøÅØ€£§°«»“”„‘’‚–—…©®™ºª¿¡·µ½¼¾²×\xa0"
)
_UTF8_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CONTROL_BYTE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")
_HIGH_SHARE = 0.25  # a Western text has fewer bytes above ASCII; Cyrillic and CJK encodings have most
_CONTROL_SHARE = 0.002
_NO_CHARSETS = frozenset(("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"))
_ADVICE = "save it as UTF-8 (iconv -f <its encoding> -t UTF-8) and try again"


def decode_text(data: bytes, declared: str | None = None) -> tuple[str, str]:
    """Return (text without byte order mark, encoding).

    A byte order mark decides, then UTF-8, then the encoding that the document itself declares, then
    Windows-1252 if the bytes are clearly Western European text.

    Raises:
        DocumentUnreadable: binary, broken UTF-8, or an encoding that cannot be told.
    """
    text, encoding = _decode(data, declared)
    controls = len(_CONTROL.findall(text))
    if controls and ("\0" in text or controls > _CONTROL_SHARE * len(text)):
        raise DocumentUnreadable("not text: it holds control characters; only text can be ingested")
    return text, encoding


def _decode(data: bytes, declared: str | None) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding), encoding
    if b"\0" in data:
        raise DocumentUnreadable("not text: it holds zero bytes (binary, or UTF-16 without its mark)")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if len(_CONTROL_BYTE.findall(data)) > _CONTROL_SHARE * len(data):
            raise DocumentUnreadable("not text: neither UTF-8 nor free of control characters") from error
        if declared and declared != "utf-8":
            return _strict(data, declared), declared
        return _western(data, error), "cp1252"


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(f"not valid {encoding} at byte {error.start}: {_ADVICE}") from error


def _western(data: bytes, broken: UnicodeDecodeError) -> str:
    if _UTF8_SEQUENCE.search(data):
        raise DocumentUnreadable(f"broken UTF-8 at byte {broken.start}: {_ADVICE}")
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    high = [character for character in text if character > "\x7f"]
    if not text or len(high) > _HIGH_SHARE * len(data) or not _WESTERN.issuperset(high):
        raise DocumentUnreadable(
            f"neither UTF-8 (byte {broken.start}) nor clearly Western European text: {_ADVICE}"
        )
    return text


def known_encoding(name: str) -> str | None:
    """Return Python's name of a declared encoding; None if it is unknown or no encoding of text."""
    if name.strip().lower() in {"iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"}:
        return "cp1252"  # what browsers read these labels as
    try:
        codec = codecs.lookup(name.strip())
        "".encode(codec.name)
    except (LookupError, ValueError):
        return None
    return None if codec.name in _NO_CHARSETS else codec.name
