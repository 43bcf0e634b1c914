"""Entity tags, which keep a client from overwriting changes that others made since it read (RFC 9110)."""

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
    """Return the tag of a stored object; None stands for no object.

    A document's tag holds its version and the time of its last change, which the graph compares when it
    writes.
    """
    if isinstance(read, Document):
        changed = 0 if read.updated is None else round(read.updated.timestamp() * 1000)
        return f'"{read.version}-{changed}"'
    text = "" if read is None else read.model_dump_json()
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"'


def unchanged(if_match: str | None, what: str) -> Callable[[BaseModel | None], None]:
    """Return a check that an object is unchanged since a client read it; without `if_match` it always passes.

    The check raises EditConflict.

    Args:
        if_match: tags separated by commas, or * for any existing object.
        what: name of the object for people: "schedule night".
    """
    tags = {tag.strip().strip('"') for tag in (if_match or "").split(",")}

    def check(stored: BaseModel | None) -> None:
        fits = stored is not None if tags == {"*"} else etag_of(stored).strip('"') in tags
        if if_match is not None and not fits:
            raise edited_since(what)

    return check
