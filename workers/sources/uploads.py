"""Uploads of clients: lists of documents in the blob store; each names the one before."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

from hopline.errors import InvalidInput, Permanent
from hopline.models.base import Frozen
from hopline.models.uploads import UPLOAD
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Blobs
from workers.sources.formats import Found, Named, Refused

_ADDRESS = re.compile(rf"{UPLOAD}([0-9a-f]{{64}})(/.*)?")


class UploadedDocument(Frozen):
    """A document whose bytes are in the blob store."""

    place: str
    document: DocumentParams
    size: int | None = None  # bytes, where they are known


class UploadedPart(Frozen):
    """Some documents of an upload."""

    after: str | None = None  # the reference of the part before
    documents: tuple[UploadedDocument, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()  # places and reasons


def put_part(blobs: Blobs, part: UploadedPart) -> str:
    """Store a part; return its reference.

    Raises:
        InvalidInput: the one before it is not there.
    """
    if part.after is not None:
        _read(blobs, part.after, "after")
    return blobs.put(part.model_dump_json().encode())


def is_upload(source: str) -> bool:
    """Return whether a source is the address of an upload."""
    return source.startswith(UPLOAD)


def uploaded(blobs: Blobs, source: str) -> Iterator[Named]:
    """Yield the documents of an upload in order, with one part in memory at a time.

    Raises:
        InvalidInput: there is no such upload.
    """
    match = _ADDRESS.fullmatch(source)
    if match is None:
        raise InvalidInput("sources", source, f"{UPLOAD}REFERENCE/LABEL, as returned by the upload")
    references, reference = list[str](), match[1]
    while reference:
        references.append(reference)
        reference = _read(blobs, reference, "sources").after or ""
    for each in reversed(references):
        part = _read(blobs, each, "sources")
        yield from (Found(*found) for found in ((d.place, d.document, d.size) for d in part.documents))
        yield from (Refused(*refused) for refused in part.refused)


def _read(blobs: Blobs, reference: str, field: str) -> UploadedPart:
    try:
        return UploadedPart.read_stored(orjson.loads(blobs.get(reference)))
    except (Permanent, ValueError) as error:
        message = f"there is no upload {reference}: the same command again sends what is missing"
        raise InvalidInput(field, reference, "the reference of an upload", message=message) from error
