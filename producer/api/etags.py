"""Entity tags: what a client has read, so that it does not overwrite what others changed since (RFC 9110)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from hopline.errors import edited_since
from hopline.models.documents import Document

ETAG: dict[str, Any] = {
    "ETag": {
        "description": "What was read, for If-Match of a change.",
        "schema": {"type": "string"},
    }
}
_DIGITS = 16


def etag_of(read: BaseModel | None) -> str:
    """Return the tag of what is stored under a name; None stands for nothing.

    A document's tells its version and when it changed last, as the graph compares these when it writes.
    """
    if isinstance(read, Document):
        changed = 0 if read.updated is None else round(read.updated.timestamp() * 1000)
        return f'"{read.version}-{changed}"'
    text = "" if read is None else read.model_dump_json()
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"'


def unchanged(if_match: str | None, what: str) -> Callable[[BaseModel | None], None]:
    """Return a check that something is still what a client has read; without `if_match` it passes always.

    The check raises EditConflict.

    Args:
        if_match: tags between commas, or * for anything that is there.
        what: it is, for people: "schedule night".
    """
    tags = {tag.strip().strip('"') for tag in (if_match or "").split(",")}

    def check(stored: BaseModel | None) -> None:
        fits = stored is not None if tags == {"*"} else etag_of(stored).strip('"') in tags
        if if_match is not None and not fits:
            raise edited_since(what)

    return check
