"""The parts of an Office Open XML file and their relations (ECMA-376, part 2)."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections import Counter
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from workers.ingest.reading.blocks import FileBytes, UnreadableError, as_file
from workers.ingest.reading.docx.names import STRICT, Element, below, name

_PART_BYTES = 60_000_000  # unpacked; the main part of a novel has some 5 MB
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError)


class Relation(NamedTuple):
    """The target of a part's reference by id."""

    kind: str  # last word of its type: "header", "image"
    target: str  # the name of a part; "" where it lies outside the file


class Package:
    """A file's parts by name. Names are compared without regard to case, as the standard requires."""

    def __init__(self, data: FileBytes) -> None:
        """Open a file whose archive has been checked."""
        self.broken: Counter[str] = Counter()
        self._reason = ""  # for which the last broken part is broken
        self._archive = zipfile.ZipFile(as_file(data))
        self._entries = {_normal(entry.filename): entry for entry in self._archive.infolist()}
        mains = [one.target for one in self.relations("").values() if one.kind == "officeDocument"]
        self.main = next((part for part in mains if part in self._entries), "word/document.xml")

    def part(self, part: str) -> Element | None:
        """Return the root of a part; None if it is missing, or broken, which `broken` counts.

        Raises:
            UnreadableError: the part is too large to be parsed.
        """
        content = self.content(part)
        try:
            return etree.fromstring(content, _parser()) if content is not None else None
        except (etree.XMLSyntaxError, ValueError) as error:
            self._is_broken(error)
            return None

    def content(self, part: str) -> bytes | None:
        """Return the XML of a part; errors are handled as in `part`."""
        entry = self._entries.get(part)
        if entry is None:
            return None
        if entry.file_size > _PART_BYTES:
            raise UnreadableError(f"too large: {part} has {entry.file_size} bytes, at most {_PART_BYTES}")
        try:
            content = self._archive.read(entry)
        except _BROKEN as error:
            self._is_broken(error)
            return None
        if b"http://purl.oclc.org/ooxml/" in content:
            for strict, usual in STRICT.items():
                content = content.replace(strict, usual)
        return content

    def _is_broken(self, error: Exception) -> None:
        self.broken["broken part"] += 1
        self._reason = str(error)[:200]

    def main_root(self) -> Element:
        """Return the root of the main part.

        Raises:
            UnreadableError: it is missing, broken or too large.
        """
        root = self.part(self.main)
        if root is None and self._reason:
            raise UnreadableError(f"broken: its part {self.main} cannot be read ({self._reason})")
        if root is None or root.tag != name("w:document"):
            raise UnreadableError(
                "not a .docx, whatever its name says: it has no part with a document's text"
            )
        return root

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the targets of a part's references by id; "" means the file itself."""
        folder, file = posixpath.split(part)
        root = self.part(posixpath.join(folder, "_rels", f"{file}.rels"))
        if root is None:
            return {}
        return {
            relation.get("Id", ""): Relation(
                relation.get("Type", "").rpartition("/")[2],
                ""
                if relation.get("TargetMode") == "External"
                else _target(folder, relation.get("Target", "")),
            )
            for relation in root.iterchildren(name("rel:Relationship"))
        }

    def related(self, part: str, kind: str) -> Element | None:
        """Return the root of the first part of a kind that a part refers to."""
        targets = (relation.target for relation in self.relations(part).values() if relation.kind == kind)
        return next((root for target in targets if (root := self.part(target)) is not None), None)

    def count(self, folder: str) -> int:
        """Return the number of parts in a folder."""
        return sum(1 for part in self._entries if part.startswith(folder))

    def title(self) -> str:
        """Return the title in the file's properties; "" if there is none."""
        title = below(self.related("", "core-properties"), "dc:title")
        return "" if title is None else " ".join((title.text or "").split())


def _parser() -> etree.XMLParser:
    """Return a parser that resolves no entities and addresses; libxml2 itself stops at 256 levels."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _normal(filename: str) -> str:
    return posixpath.normpath(filename.replace("\\", "/")).lstrip("/").lower()


def _target(folder: str, target: str) -> str:
    return _normal(target if target.startswith("/") else posixpath.join(folder, unquote(target)))
