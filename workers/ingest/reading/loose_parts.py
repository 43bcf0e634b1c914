"""Functions shared by readers of several formats: decoding, and texts and attributes of XML."""

from __future__ import annotations

from lxml import etree


def decoded(data: bytes, encoding: str) -> str:
    """Decode a text in its declared encoding or UTF-8; invalid bytes become U+FFFD."""
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")


def words_of(element: etree._Element) -> str:
    """Return the whole text of an element on one line."""
    return " ".join("".join(map(str, element.itertext())).split())


def attribute(element: etree._Element, name: str) -> str:
    """Return an attribute by its local name; "" if there is none."""
    return next((str(said) for key, said in element.items() if str(key).rpartition("}")[2] == name), "")
