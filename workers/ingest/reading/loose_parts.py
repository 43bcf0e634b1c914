"""Parts of a file that readers of several formats share: decoded texts, words and attributes of XML."""

from __future__ import annotations

from lxml import etree


def decoded(data: bytes, encoding: str) -> str:
    """Return a text in the encoding that is stated of it, or in UTF-8; what neither has becomes U+FFFD."""
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")


def words_of(element: etree._Element) -> str:
    """Return the text of an element and of all within it, in one line."""
    return " ".join("".join(map(str, element.itertext())).split())


def attribute(element: etree._Element, name: str) -> str:
    """Return an attribute by its name without a namespace; "" where there is none."""
    return next((str(said) for key, said in element.items() if str(key).rpartition("}")[2] == name), "")
