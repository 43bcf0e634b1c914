"""Reads books (EPUB): the title, and the chapters in reading order (EPUB 3.3, 5 and 6)."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

from lxml import etree

from workers.ingest.reading.blocks import (
    LONGEST_NAME,
    Block,
    FileBytes,
    Quality,
    Reading,
    UnreadableError,
    count_signs,
)
from workers.ingest.reading.docx.package import Package
from workers.ingest.reading.html import reader as html
from workers.ingest.reading.loose_parts import decoded, words_of

_ENCODING = re.compile(rb"^<\?xml[^>]{0,200}encoding=[\"']([\w-]{1,40})[\"']")
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


MAPS_FILE = True


def read(data: FileBytes, options: dict[str, str]) -> Reading:
    """Return the chapters of a book as shown on their pages, without the table of contents.

    Raises:
        UnreadableError: it has no list of chapters, or its chapters are encrypted.
    """
    package = Package(data)
    if (
        package.content("meta-inf/encryption.xml") is not None
        and package.content("meta-inf/rights.xml") is not None
    ):
        raise UnreadableError("protected against copying: only the shop's own reader opens it")
    container = package.part("meta-inf/container.xml")
    place = next((one.get("full-path", "") for one in _all(container, "rootfile")), "").lower()
    root = package.part(place)
    if root is None:
        raise UnreadableError("not an .epub, whatever its name says: it has no list of chapters")
    items = {one.get("id"): one for one in _all(root, "item")}
    blocks: list[Block] = []
    left_out: Counter[str] = Counter()
    read_before: set[str | None] = set()
    for reference in _all(root, "itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("id") in read_before:
            continue
        read_before.add(item.get("id"))
        if item.get("media-type") not in _PAGES:
            left_out["page that is a picture"] += 1
            continue
        if "nav" in item.get("properties", "").split():
            left_out["table of contents"] += 1
            continue
        chapter = posixpath.normpath(
            posixpath.join(posixpath.dirname(place), unquote(item.get("href", "").partition("#")[0]))
        ).lower()
        content = package.content(chapter)
        if content is None:
            left_out["missing chapter"] += 1
            continue
        shown = html.read(_in_utf_8(content), options)
        blocks += _in_chapters(shown)
        left_out += shown.left_out
    titles = [words_of(one) for one in _all(root, "title")]
    people = [words_of(one) for one in _all(root, "creator")]
    return Reading(
        blocks,
        next(iter(titles), ""),
        +(left_out + package.broken),
        Quality(signs=count_signs(blocks)),
        {"author": people[0] if len(people) == 1 else people} if people else {},
    )


def _in_chapters(shown: Reading) -> Iterator[Block]:
    """Yield the blocks of a page, each with the chapter of the last top-level heading."""
    name = shown.title
    top = min((block.level for block in shown.blocks if block.kind == "heading"), default=0)
    for block in shown.blocks:
        if block.kind == "heading" and block.level == top:
            name = block.text
        yield replace(block, part=f"chapter {name[:LONGEST_NAME]}" if name else "")


def _all(root: etree._Element | None, local: str) -> list[etree._Element]:
    return [] if root is None else list(root.iter(f"{{*}}{local}"))


def _in_utf_8(content: bytes) -> bytes:
    declared = _ENCODING.match(content)
    return decoded(content, declared[1].decode() if declared else "utf-8").encode()
