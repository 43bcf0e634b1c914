"""Decodes bytes to text: by their declared encoding, then by detection, else not at all."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from w3lib.encoding import html_body_declared_encoding, resolve_encoding, to_unicode

from hopline.errors import DocumentUnreadable
from hopline.models.params import NOT_OF_TEXTS

# The longer mark first: UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE = ("utf-16", "utf-32")  # the encodings whose texts hold zero bytes
_IN_ASCII = ("iso2022", "hz")  # write every sign in bytes of ASCII
_SHIFT = b"\x1b$"  # begins Chinese, Japanese or Korean letters in ISO-2022, else in ASCII alone
_CONTROL_BYTES = bytes((*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F))
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")
_CONTROL_SHARE = 0.002
_REPLACED = "\ufffd"
_TELLING = re.compile(rb"[\x80-\xff]|\x1b\$")  # where a text begins to tell its encoding
_MOST_BEFORE = 500  # bytes: a guess from much ASCII is less sure
# In other encodings than UTF-8, at most 0.7 times as many signs look like UTF-8 as do not.
_SIGNS_PER_STRAY = 4
# Of 461 samples in 45 languages guesses below that are right 94 times of 109, above it 337 times of 344; all
# 90 samples of 80 signs and more are above it, and right.
_FEWEST_CONFIDENCE = 0.15
_OF_PAGES = "cp1252"  # what browsers take a page for that declares nothing
_WESTERN = ("cp1252", "iso8859-15")
_LETTER = r"[^\W\d_]"
# However unsure a guess of these is, it holds where the signs outside ASCII are few, usual in Western Europe,
# and where such texts have them: not "Husleien ¿kte", which is in Mac Roman, nor "donÕt". Of pieces of 1 to
# 12 words in 45 languages this reads 264 rightly and 4 wrongly, none of Central Europe (see the bench).
_WESTERN_SIGNS = frozenset(
    "äöüÄÖÜßéèêëàâçîïôûùÿœæÉÈÊËÀÂÇÎÏÔÛÙŒÆñáíóúÑÁÍÓÚìòÌÒãõÃÕåøÅØ€£§°«»“”„‘’‚–—…©®™ºª¿¡·µ½¼¾²×\xa0"
)
_WESTERN_SHARE = 0.25  # of signs outside ASCII
_OUT_OF_PLACE = re.compile(
    rf"{_LETTER}[^\w\s\x00-\x7f’·–—…]{_LETTER}|{_LETTER}[§¼½¾]|[§¼½¾]{_LETTER}|[a-zß-öø-ÿœ][À-ÖØ-ÞŒ]"
    r"|¿[^?¿]*+(?!\?)|¡[^!¡]*+(?!!)"
)
# Of Chinese, Japanese and Korean encodings: one with the same signs in their order of use, and the last lead
# byte of the common ones. A guess of these holds, however unsure, where there are four signs or more, nine of
# ten of them common: of the bench's samples and pieces, and of pieces of 4 to 20 signs, that were refused
# before, it reads 25 rightly and none wrongly.
_COMMON = {
    "cp932": ("euc_jp", 0xCF),
    "euc_jp": ("euc_jp", 0xCF),
    "gb18030": ("gb2312", 0xD7),
    "big5": ("big5", 0xC6),
    "cp949": ("euc_kr", 0xC8),
}
_COMMON_FROM = 0xA1
_COMMON_SHARE = 0.9
_FEWEST_COMMON = 4
_ADVICE = "name the encoding (--encoding gbk), or save it as UTF-8"


class Decoded(NamedTuple):
    """A text without its byte order mark."""

    text: str
    encoding: str  # Python's name
    replaced: int = 0  # signs that stand for bytes which no text of the encoding has


def decode_text(
    data: bytes, declared: str | None = None, given: str = "", *, is_page: bool = False
) -> Decoded:
    """Decode bytes to text.

    The encoding is the first of these that fits: that of a byte order mark if most of the text agrees, UTF-8,
    the given encoding, the one that the document declares, UTF-8 with a few stray bytes, the detected one.

    Args:
        data: bytes of the document.
        declared: Python's name of the encoding that an HTML document declares.
        given: encoding given by the submitter, with browsers' names, so that gb2312 means GB 18030.
        is_page: whether it is an HTML document, which like browsers is assumed to be Western European if it
            declares nothing and looks so.

    Raises:
        DocumentUnreadable: it is binary, not in the given encoding, or in one that cannot be detected; or the
            given name is unknown.
    """
    encoding = known_encoding(given) or ""
    if given and not encoding:
        raise DocumentUnreadable(f"there is no text encoding called {given}: {_ADVICE}")
    decoded = _decode(data, declared, encoding, is_page=is_page)
    controls = sum(1 for _ in _CONTROL.finditer(decoded.text))
    if controls and ("\0" in decoded.text or controls > _CONTROL_SHARE * len(decoded.text)):
        raise DocumentUnreadable("not text: it contains control characters; only text can be ingested")
    return decoded


def _decode(data: bytes, declared: str | None, given: str, *, is_page: bool) -> Decoded:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            data = data[len(mark) :]
            marked = _replacing(data, encoding)
            if _signs(marked) >= marked.replaced:
                return marked
            break  # a program put the mark before a text in another encoding
    has_wide_signs = b"\0" in data or _SHIFT in data
    utf8 = _replacing(data, "utf-8")
    if not utf8.replaced and not has_wide_signs and not given.startswith(_IN_ASCII):
        return utf8
    if given:
        decoded = _replacing(data, given)
        if not _fits(decoded):
            raise DocumentUnreadable(
                f"neither {given} nor UTF-8: give its real encoding, or save it as UTF-8"
            )
        return decoded
    if has_wide_signs:
        return _of_its_look(data, is_page=False)
    return _not_all_utf8(data, utf8, declared, is_page=is_page)


def _not_all_utf8(data: bytes, utf8: Decoded, declared: str | None, *, is_page: bool) -> Decoded:
    if len(data) - len(data.translate(None, _CONTROL_BYTES)) > _CONTROL_SHARE * len(data):
        raise DocumentUnreadable("not text: neither UTF-8 nor free of control characters")
    if declared and declared != "utf-8" and _fits(decoded := _replacing(data, declared)):
        return decoded
    if _fits(utf8):
        return utf8
    if _signs(utf8) > utf8.replaced:
        raise DocumentUnreadable(f"broken UTF-8 at byte {_first_stray(data)}: fix it and try again")
    return _of_its_look(data, is_page=is_page)


def _replacing(data: bytes, encoding: str) -> Decoded:
    """Decode, with U+FFFD for invalid bytes."""
    text = to_unicode(data, encoding)
    replaced = text.count(_REPLACED)
    if replaced and encoding.startswith(("utf", "gb18030")):
        replaced -= data.count(_REPLACED.encode(encoding))  # which the text has itself
    return Decoded(text, encoding, replaced)


def _fits(decoded: Decoded) -> bool:
    return _signs(decoded) >= _SIGNS_PER_STRAY * decoded.replaced


def _signs(decoded: Decoded) -> int:
    """Return the number of decoded non-ASCII characters, since others are the same in most encodings."""
    if decoded.encoding.startswith(_WIDE):
        return len(decoded.text) - decoded.replaced
    return _beyond_ascii(decoded.text) - decoded.replaced


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _first_stray(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def _of_its_look(data: bytes, *, is_page: bool) -> Decoded:
    """Decode with the detected encoding.

    Raises:
        DocumentUnreadable: none fits, or several do.
    """
    from chardet import detect  # noqa: PLC0415 - its models take 36 MB, and few documents need them

    guess = detect(_telling_part(data), compat_names=False)
    encoding = known_encoding(guess["encoding"] or "")
    if b"\0" in data and not (encoding or "").startswith(_WIDE):
        raise DocumentUnreadable("not text: it contains zero bytes")
    decoded = _replacing(data, encoding or "ascii")
    is_sure = guess["confidence"] >= _FEWEST_CONFIDENCE or (is_page and encoding == _OF_PAGES)
    is_sure = is_sure or (encoding in _WESTERN and _is_western(decoded.text))
    if encoding is None or not (is_sure or _is_common(decoded)):
        raise DocumentUnreadable(f"not UTF-8, and its encoding cannot be detected: {_ADVICE}")
    if not _fits(decoded):
        raise DocumentUnreadable(f"it looks like {encoding} but is not: {_ADVICE}")
    return decoded


def _telling_part(data: bytes) -> bytes:
    """Leave out text long before the first non-ASCII bytes, because chardet reads only 200,000 bytes."""
    telling = None if b"\0" in data else _TELLING.search(data)
    before = max(0, telling.start() - _MOST_BEFORE) if telling else 0
    return data[before - before % 4 :]  # not within a sign of UTF-16 or UTF-32


def short_western_text(data: bytes) -> str:
    """Return a text that is too short to detect its encoding, if it looks like Windows-1252; else ""."""
    text = data.decode(_OF_PAGES, "replace")
    return text if _is_western(text) else ""


def _is_western(text: str) -> bool:
    is_usual = _WESTERN_SIGNS.issuperset(sign for sign in set(text) if not sign.isascii())
    is_rare = _beyond_ascii(text) <= _WESTERN_SHARE * len(text)
    return is_usual and is_rare and not _OUT_OF_PLACE.search(text)


def _is_common(decoded: Decoded) -> bool:
    """Return whether a text in a Chinese, Japanese or Korean encoding has frequent characters."""
    if decoded.encoding not in _COMMON or decoded.replaced:
        return False
    ordered, last = _COMMON[decoded.encoding]
    leads = [sign.encode(ordered, "replace")[0] for sign in decoded.text if not sign.isascii()]
    common = sum(1 for lead in leads if _COMMON_FROM <= lead <= last)
    return common >= _FEWEST_COMMON and common >= _COMMON_SHARE * len(leads)


def declared_encoding(data: bytes) -> str | None:
    """Return Python's name of the encoding that an HTML document declares, if known."""
    return known_encoding(html_body_declared_encoding(data) or "")


def known_encoding(name: str) -> str | None:
    """Return Python's name of an encoding named as in browsers; None if unknown or not a text encoding."""
    encoding = resolve_encoding(name.strip())
    if not encoding or encoding in NOT_OF_TEXTS:
        return None
    try:
        b"a".decode(encoding, "replace")
    except LookupError:  # of bytes, such as base64
        return None
    return encoding
