"""From what a user names to documents: files, folders, patterns, addresses and .jsonl lists."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec

from producer.lines import documents_of_lines
from workers.core.errors import InvalidInput
from workers.core.model import Frozen
from workers.core.params import DocumentParams, parse_params
from workers.core.ports import Blobs

FORMATS = {".txt": "txt", ".md": "md", ".html": "html", ".htm": "html", ".pdf": "pdf", ".docx": "docx"}
LINES = ".jsonl"
_KNOWN = ", ".join(sorted((*FORMATS, LINES)))
_PATTERN = re.compile(r"[*?\[]")
_MAX_BYTES = 20_000_000  # as Limits.max_document_bytes


class Refused(Frozen):
    """What was named and is no document."""

    place: str
    reason: str


class Expansion(Frozen):
    """Documents to submit, and what cannot be."""

    documents: tuple[DocumentParams, ...]
    refused: tuple[Refused, ...]


class SourceExpander:
    """Collects the documents of some paths.

    Args:
        blobs: takes the texts of .jsonl lines, and with upload every file.
        upload: put files into the blob store, for workers that cannot read them by path.
        max_bytes: larger files are not uploaded.
    """

    def __init__(self, blobs: Blobs, *, upload: bool = False, max_bytes: int = _MAX_BYTES) -> None:
        self._blobs = blobs
        self._upload = upload
        self._max_bytes = max_bytes
        self._documents: dict[str, DocumentParams] = {}  # by what their id is a hash of
        self._places: dict[str, str] = {}
        self._refused: list[Refused] = []

    def expand(self, paths: Sequence[str | Path]) -> Expansion:
        """Return the documents of files, folders (searched to the bottom), patterns and addresses, in order.

        Hidden files of folders are passed over; everything else that is no document is listed with the
        reason: unknown suffix, nothing there, malformed line, or an id that was there before.
        """
        for path in paths:
            try:
                self._add_path(str(path))
            except (OSError, ValueError, ImportError) as error:
                self._refuse(str(path), f"cannot be read: {error}")
        return Expansion(documents=tuple(self._documents.values()), refused=tuple(self._refused))

    def _add_path(self, path: str) -> None:
        system, root = fsspec.core.url_to_fs(
            path if "://" in path else os.path.normpath(Path(path).expanduser().absolute())
        )
        files = list(files_of(system, root))
        if not files:
            self._refuse(path, "nothing there: no such file, an empty folder, or a pattern without a match")
        for file in files:
            self._add_file(system, file)

    def _add_file(self, system: Any, file: str) -> None:
        address = file if _is_local(system) else str(system.unstrip_protocol(file))
        suffix = PurePosixPath(file).suffix.lower()
        if not _is_text(address):
            self._refuse(ascii(address), "its name is not valid UTF-8: rename it")
        elif suffix == LINES:
            with system.open(file, "rb") as opened:
                for place, document in documents_of_lines(opened, address, self._blobs, self._refuse):
                    self._add(place, document)
        elif suffix not in FORMATS:
            self._refuse(address, f"unknown suffix {suffix!r}, known are {_KNOWN}")
        else:
            self._add_document(system, file, address, FORMATS[suffix])

    def _add_document(self, system: Any, file: str, address: str, kind: str) -> None:
        try:
            source = self._stored(system, file) if self._upload else address
            given = {"uri": address, "source": source, "format": kind}
            self._add(address, parse_params(DocumentParams, given))
        except (OSError, InvalidInput) as error:
            self._refuse(address, str(error))

    def _stored(self, system: Any, file: str) -> str:
        size = system.size(file) or 0
        if size > self._max_bytes:
            raise InvalidInput("size", size, f"at most {self._max_bytes} bytes")
        return "blob:" + self._blobs.put(system.cat_file(file), PurePosixPath(file).suffix.lower())

    def _add(self, place: str, document: DocumentParams) -> None:
        name = document.name or document.uri
        first = self._places.get(name)
        if first == place:
            return  # named twice on the command line, or by a folder and a pattern
        if first:
            self._refuse(place, f"the id {name!r} was given before, at {first}")
            return
        self._places[name] = place
        self._documents[name] = document

    def _refuse(self, place: str, reason: str) -> None:
        refused = Refused(place=place, reason=reason)
        if refused not in self._refused:
            self._refused.append(refused)


def expand_sources(paths: Sequence[str | Path], blobs: Blobs, *, upload: bool = False) -> Expansion:
    """Return the documents of some paths, and what was refused with reasons; see `SourceExpander.expand`."""
    return SourceExpander(blobs, upload=upload).expand(paths)


def files_of(system: Any, root: str) -> Iterator[str]:
    """Yield a file, the files of a folder to its bottom, or those that a pattern means; no hidden ones."""
    if system.isfile(root):  # first: a file's name may hold brackets that a pattern would read otherwise
        yield root
    elif system.isdir(root):
        yield from (path for path in sorted(system.find(root)) if not _is_hidden(path, root))
    elif pattern := _PATTERN.search(root):
        fixed = root[: pattern.start()].rpartition("/")[0]
        found = (path for path in sorted(system.glob(root)) if system.isfile(path))
        yield from (path for path in found if not _is_hidden(path, fixed))


def _is_hidden(path: str, root: str) -> bool:
    return any(part.startswith(".") for part in PurePosixPath(path[len(root) :].lstrip("/")).parts)


def _is_local(system: Any) -> bool:
    return "file" in system.protocol


def _is_text(address: str) -> bool:
    try:
        address.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
