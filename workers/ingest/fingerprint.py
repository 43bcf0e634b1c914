"""What tells whether a document has changed, without reading its text."""

from __future__ import annotations

import hashlib

from workers.core import ids
from workers.core.params import DocumentParams


def source_hash(data: bytes, params: DocumentParams) -> str:
    """Return the sha-256 of a document's bytes; with a profile, what its facts are taken with is a part."""
    plain = hashlib.sha256(data).hexdigest()
    if not params.profile:
        return plain
    return ids.content_hash("\x1f".join((plain, params.profile, str(params.chapter), str(params.order))))
