"""Fingerprints a document by its content and extraction settings, to tell whether it has changed."""

from __future__ import annotations

import orjson

from hopline.models.documents import Document
from hopline.models.formats import DOCUMENT_FORMATS
from hopline.models.metadata import metadata_json
from workers.core import ids
from workers.core.jobs.params import DocumentParams
from workers.core.places import Map
from workers.core.ports import Limits
from workers.ingest.chunking.sizes import own_sizes


def source_hash(sha256: str, params: DocumentParams, limits: Limits) -> str:
    """Return the fingerprint of a document's bytes and metadata, without reading the text.

    Args:
        sha256: SHA-256 of the bytes.
        params: the metadata, and how the document is read.
        limits: how it is split, unless the document says so.
    """
    plain = _taken_with(sha256, params, limits)
    if params.encoding and DOCUMENT_FORMATS[params.format].is_text:
        plain = ids.content_hash(f"{plain}\x1fencoding {params.encoding}")  # another may give another text
    return ids.content_hash(f"{plain}\x1f{metadata_json(params.metadata)}") if params.metadata else plain


def version_hash(text: str, params: DocumentParams, limits: Limits) -> str:
    """Return the fingerprint of a document's version."""
    return _taken_with(ids.content_hash(text), params, limits)


def places_hash(places: Map) -> str:
    """Return the fingerprint of a text's places; "" if there are none."""
    return ids.content_hash(orjson.dumps(places).decode()) if any(places.values()) else ""


def placed_hash(version: str, reader: str, places: str) -> str:
    """Return what a version is known by that is there for its places: the text is another one's, too."""
    return ids.content_hash(f"{version}\x1f{reader}\x1f{places}")


def is_of_version(document: Document, version: str) -> bool:
    """Return whether a document's text is this version's, be it there for its places or not."""
    was = document.reading
    placed = placed_hash(version, was.reader, was.places) if was else None
    return document.content_hash in (version, placed)


def _taken_with(plain: str, params: DocumentParams, limits: Limits) -> str:
    """Return a sha-256; with a profile or chunk sizes other than the settings', one of these too."""
    parts: list[str] = []
    if params.profile:
        parts += [params.profile, str(params.chapter), str(params.order)]
    own = own_sizes(limits, params)
    if own.chunk_tokens is not None:
        parts.append(f"chunks {own.chunk_tokens} {own.chunk_overlap}")
    return ids.content_hash("\x1f".join((plain, *parts))) if parts else plain
