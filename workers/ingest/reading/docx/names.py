"""Names of elements and attributes in Office Open XML, written with their usual prefixes."""

from __future__ import annotations

import re
from functools import cache

from lxml.etree import _Element

Element = _Element

_NAMESPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "o": "urn:schemas-microsoft-com:office:office",
    "v": "urn:schemas-microsoft-com:vml",
    "dc": "http://purl.org/dc/elements/1.1/",
    "rel": "http://schemas.openxmlformats.org/package/2006/relationships",
    "s": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "tc": "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments",
}
# The same vocabularies in files that were saved as "Strict Open XML".
STRICT = {
    b"http://purl.oclc.org/ooxml/wordprocessingml/main": _NAMESPACES["w"].encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/math": _NAMESPACES["m"].encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/relationships": _NAMESPACES["r"].encode(),
    b"http://purl.oclc.org/ooxml/drawingml/main": _NAMESPACES["a"].encode(),
    b"http://purl.oclc.org/ooxml/drawingml/chart": _NAMESPACES["c"].encode(),
    b"http://purl.oclc.org/ooxml/drawingml/diagram": _NAMESPACES["dgm"].encode(),
    b"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": _NAMESPACES["wp"].encode(),
    b"http://purl.oclc.org/ooxml/spreadsheetml/main": _NAMESPACES["s"].encode(),
    b"http://purl.oclc.org/ooxml/presentationml/main": _NAMESPACES["p"].encode(),
}


@cache
def name(short: str) -> str:
    """Return lxml's name of "w:p"."""
    prefix, _, local = short.partition(":")
    return f"{{{_NAMESPACES[prefix]}}}{local}"


def names(short: str) -> frozenset[str]:
    """Return lxml's names of "w:ins w:moveTo"."""
    return frozenset(map(name, short.split()))


_VALUES = (name("w:val"), name("m:val"), "val")
_WHOLE = re.compile("-?[0-9]{1,9}")  # larger ones mean nothing in a document
_OFF = ("0", "false", "off", "none")


def below(element: Element | None, *shorts: str) -> Element | None:
    """Return the first descendant along a path of names; else None."""
    for short in shorts:
        if element is None:
            return None
        element = next(element.iterchildren(name(short)), None)
    return element


def value(element: Element | None) -> str:
    """Return the attribute `val` of an element; "" if either is missing."""
    if element is None:
        return ""
    return next((found for key in _VALUES if (found := element.get(key)) is not None), "")


def number(text: str | None, default: int = 0) -> int:
    """Return a whole number of at most nine digits that a document states, else `default`."""
    stated = text or ""
    return int(stated) if _WHOLE.fullmatch(stated) else default


def is_on(element: Element | None) -> bool:
    """Return whether a switch such as <w:vanish/> is present and not turned off."""
    return element is not None and value(element) not in _OFF
