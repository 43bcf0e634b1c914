"""Writes and removes kept versions of documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from workers.adapters.neo4j.connection import Connection, Row
from workers.core.graph.kept_versions import Keeping, KeptKey, KeptSpan, KeptText, titled_name

_CHUNKS = 100  # in a part
_REMOVED = 200  # versions at a time
_DAY = 86_400_000  # milliseconds

ChunkEntry = tuple[Row, list[list[Any]]]  # as `contents` returns it: the chunk, its facts


class KeptStore:
    """`core.graph.kept_versions.KeptGraph` in Neo4j.

    The contents of a version are stored in the form of `contents`, so that it is read like a live one; its
    node has the properties that the document had. No chunk, fact or key element of the graph belongs to it,
    so no other reader of the graph finds it.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, collection: str) -> None:
        """Record that versions of a collection's documents are kept from now on."""
        self._connection.run("kept_begin", collection=collection)

    def write(self, document_id: str) -> None:
        """Write a document's live text as a version to be kept, pending until it is no longer live."""
        rows = self._connection.run("kept_wanted", id=document_id)
        if not rows:
            return
        live, live_hash = rows[0]["live"], rows[0]["live_hash"]
        read = self._connection.run("contents", ids=[document_id])
        parts = list(_parts([tuple(row.values())[1:] for row in read]))
        # One that was deleted and comes again counts its versions from 1 again.
        key = f"{document_id}@{live}.{rows[0]['since']}"
        self._connection.run(
            "kept_write", id=document_id, live=live, live_hash=live_hash, key=key, parts=parts
        )

    def pending(self, document_id: str) -> KeptKey | None:
        """Return the version of a document that will be kept once it is no longer live."""
        rows = self._connection.run("kept_pending", id=document_id)
        return KeptKey(**rows[0]["version"]) if rows else None

    def holds(self, key: str) -> bool:
        """Return whether a version is pending or kept, and has not been removed."""
        return bool(self._connection.run("kept_held", key=key)[0]["held"])

    def ended(self, ids: Sequence[str]) -> dict[str, KeptSpan]:  # noqa: ARG002 - as the port has it
        """Return nothing: only live versions are read."""
        return {}

    def texts(self, version: KeptKey) -> list[KeptText]:
        """Return the chunks of a kept version."""
        rows = self._connection.run("kept_parts", keys=[version.key])
        return [_text(entry, version.title) for row in rows for entry in json.loads(row["body"])]

    def beyond(
        self, keeping: Keeping, document_id: str | None = None, limit: int = _REMOVED
    ) -> list[KeptKey]:
        """Return versions to remove: excess ones of a document, old ones, and partly removed ones."""
        bounds = {"most": keeping.versions, "milliseconds": int(keeping.days * _DAY), "limit": limit}
        if document_id is None:
            rows = self._connection.run("kept_beyond", **bounds)
        else:
            rows = self._connection.run("kept_beyond_of", id=document_id, **bounds)
        return [KeptKey(**row) for row in rows]

    def named(
        self, *, collection: str | None = None, document_id: str | None = None, name: str | None = None
    ) -> list[KeptKey]:
        """Return the kept versions of a collection, of a document, or by part of an address or title."""
        if document_id is None:
            rows = self._connection.run("kept_of", collection=collection, name=name)
        else:
            rows = self._connection.run("kept_of_document", collection=collection, id=document_id)
        return [KeptKey(**row) for row in rows]

    def drop(self, keys: Sequence[str]) -> None:
        """Make versions unreadable; their existence remains recorded."""
        self._connection.run("kept_drop", keys=list(keys))

    def forget(self, keys: Sequence[str]) -> None:
        """Remove the data of dropped versions."""
        self._connection.run("kept_forget", keys=list(keys))


def _parts(chunks: Sequence[Any]) -> Iterator[str]:
    for first in range(0, len(chunks), _CHUNKS):
        yield json.dumps(chunks[first : first + _CHUNKS], ensure_ascii=False, separators=(",", ":"))


def _text(entry: ChunkEntry, title: str) -> KeptText:
    chunk, facts = entry
    names = dict.fromkeys(_names(facts, titled_name(title)))
    return KeptText(chunk["id"], chunk["content_hash"], chunk["text"], tuple(names))


def _names(facts: Iterable[Sequence[Any]], title: str) -> Iterator[str]:
    """Yield the names of the key elements of some facts, as `columns` reads them."""
    for fact in facts:
        yield from (line.split("\t")[0] for line in sorted(fact[6]))
        if fact[7] and title:
            yield title
