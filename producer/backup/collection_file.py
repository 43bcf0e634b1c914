"""Format of an exported collection: compressed JSON lines, the last one with a checksum."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson
from pydantic import ValidationError

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.collections import CollectionTitle
from hopline.models.documents import Document, OriginalState, ReadRecord
from hopline.models.metadata import StoredMetadata
from hopline.models.schemas import MetadataSchema
from hopline.models.times import Timestamp
from workers.core.ids import document_id
from workers.core.originals import digest_of

FORM = 1  # of the file; newer ones are refused
_FORMAT = "hopline collection"
_MAGIC = b"\x1f\x8b"  # of gzip
_LEVEL = 3  # of compression, as in a backup
_LONGEST = 256 * 1024 * 1024  # bytes of a line
_PACKED = (OSError, EOFError, zlib.error)


class Header(Frozen):
    """First line of the file."""

    format: str = _FORMAT
    form: int = FORM
    hopline: str
    taken: Timestamp
    collection: str
    title: CollectionTitle
    metadata_schema: MetadataSchema | None = None


class ExportedDocument(Frozen):
    """Live version of a document, apart from its chunks and its file."""

    id: str
    is_named_by_uri: bool  # else its id was given
    uri: str
    title: str
    content_hash: str
    source_hash: str
    status: str  # "indexed" or "partial"
    error: str | None
    chunks: int
    chunk_tokens: int | None
    chunk_overlap: int | None
    languages: tuple[str, ...]
    size: int | None
    media_type: str | None
    reading: ReadRecord | None
    original: OriginalState | None
    original_sha256: str  # "" if its file is not in the export
    metadata: StoredMetadata  # with `allow`: who may see it
    ingested_metadata: StoredMetadata
    command_fields: tuple[str, ...]

    @classmethod
    def of(cls, document: Document) -> ExportedDocument:
        """Return the exported data of a live document."""
        whole = document.status != "partial"
        kept = digest_of(document.original_file) if document.original_file else ""
        own = {name: getattr(document, name) for name in cls.model_fields if name in Document.model_fields}
        return cls(
            **own
            | {
                "status": "indexed" if whole else "partial",
                "error": None if whole else document.error,
                "original_sha256": kept,
                "is_named_by_uri": document.id == document_id(document.collection, document.uri),
            }
        )


class Counts(Frozen):
    """Number of things in an export."""

    documents: int = 0
    chunks: int = 0
    originals: int = 0
    merges: int = 0
    concept_maps: int = 0


class CollectionWriter:
    """Writes the file line by line.

    Args:
        file: an empty binary file.
        header: its first line.
    """

    def __init__(self, file: BinaryIO, header: Header) -> None:
        self._packed = gzip.GzipFile("", "wb", _LEVEL, file)
        self._digest = hashlib.sha256()
        self.write(line_of("header", header.model_dump(mode="json")))

    def write(self, line: bytes) -> None:
        """Write a line, as `line_of` returns it."""
        self._digest.update(line)
        self._packed.write(line)

    def finish(self, counts: Counts) -> None:
        """Write the last line."""
        end = counts.model_dump() | {"sha256": self._digest.hexdigest()}
        self._packed.write(line_of("end", end))
        self._packed.close()


class Checked(NamedTuple):
    """An export that is whole."""

    header: Header
    counts: Counts
    sha256: str  # of its lines


def line_of(kind: str, body: Any) -> bytes:
    """Return a line of the file."""
    return orjson.dumps([kind, body]) + b"\n"


def is_collection_file(path: Path) -> bool:
    """Return whether a file may be an export, by its compression."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def check_file(path: Path) -> Checked:
    """Read the whole file; return its first line and its counts.

    Raises:
        InvalidInput: it is no export, is damaged or incomplete, or was written by a newer hopline.
    """
    digest, header, end = hashlib.sha256(), None, None
    for line in _lines(path):
        if end is not None:
            raise _damaged(path, "data follows its end")
        kind, body = _parsed(path, line)
        if header is None:
            header = _header(path, kind, body)
        if kind == "end":
            end = body
        else:
            digest.update(line)
    if header is None or end is None:
        raise _damaged(path, "its end is missing")
    if end.pop("sha256", "") != digest.hexdigest():
        raise _damaged(path, "its checksum does not match")
    return Checked(header, Counts.read_stored(end), digest.hexdigest())


def read_records(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (kind, body) of every line between the first and the last of a file that was checked."""
    for line in _lines(path):
        kind, body = _parsed(path, line)
        if kind not in ("header", "end"):
            yield kind, body


def _header(path: Path, kind: str, body: Any) -> Header:
    if kind != "header" or not isinstance(body, dict) or body.get("format") != _FORMAT:
        message = f"{path} is not an exported collection: nothing was imported"
        raise InvalidInput("file", str(path), "a file that `hopline export` wrote", message=message)
    if body.get("form") != FORM:
        message = (
            f"{path} is an export of form {body.get('form')}, written by hopline {body.get('hopline')}; this "
            f"hopline reads form {FORM}: update it; nothing was imported"
        )
        raise InvalidInput("file", str(path), f"an export of format {FORM}", message=message)
    try:
        return Header.read_stored(body)
    except ValidationError as error:
        raise _damaged(path, "its first line is incomplete") from error


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as lines:
            while line := lines.readline(_LONGEST):
                yield line
    except _PACKED as error:
        raise _damaged(path, str(error)) from error


def _parsed(path: Path, line: bytes) -> tuple[str, Any]:
    try:
        kind, body = orjson.loads(line)
    except (orjson.JSONDecodeError, ValueError, TypeError) as error:
        raise _damaged(path, "a line cannot be read") from error
    return str(kind), body


def _damaged(path: Path, how: str) -> InvalidInput:
    message = f"{path} is damaged or incomplete ({how}): nothing was imported; export or copy it again"
    return InvalidInput("file", str(path), "a whole file that `hopline export` wrote", message=message)
