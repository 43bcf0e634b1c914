"""Keys and port of the response cache, which keeps model replies so that none is paid for twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Protocol

import orjson

from hopline.models.jobs import Json


class Replies(Protocol):
    """Replies and vectors by key, outside Redis; what is lost from it only costs another call.

    `content` is the content_hash of the chunk's text that the entry is about: deleting a document for good
    purges all that is kept about its chunks, whatever was asked of them.
    """

    def get(self, content: str, key: str) -> bytes | None:
        """Return the kept entry; None if it is missing or damaged."""

    def put(self, content: str, key: str, data: bytes) -> None:
        """Store an entry; the same key overwrites."""

    def purge(self, contents: Iterable[str]) -> None:
        """Delete all entries about these chunks' texts."""

    def sweep(self, days: float, most_bytes: int) -> int:
        """Remove replies unused for some days, then the least recently used above the limit; count them."""


class NoReplies:
    """Keeps nothing."""

    def get(self, _content: str, _key: str) -> bytes | None:
        """Return None."""
        return None

    def put(self, _content: str, _key: str, _data: bytes) -> None:
        """Do nothing."""

    def purge(self, _contents: Iterable[str]) -> None:
        """Do nothing."""

    def sweep(self, _days: float, _most_bytes: int) -> int:
        """Return 0."""
        return 0


def reply_key(model: str, system: str, schema: Mapping[str, object], material: Json, max_tokens: int) -> str:
    """Return the key of a reply: all that decides it, so that a changed prompt, model or schema changes it.

    Args:
        model: the model's name, with its endpoint where two serve the same name.
        system: the prompt's text, which holds its version.
        schema: the reply's JSON schema.
        material: what the model is shown, the chunk's text and its document's title among it.
        max_tokens: maximum number of tokens of the reply.
    """
    request = {"model": model, "system": system, "schema": schema, "material": material, "most": max_tokens}
    return hashlib.sha256(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).hexdigest()
