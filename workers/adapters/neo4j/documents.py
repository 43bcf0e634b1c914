"""Writes documents and their versions to the graph."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.rows import is_typed, scope, title_id, to_chunk, to_document, writing_rows
from workers.adapters.neo4j.typed_graph import hide_typed, make_typed_live
from workers.core.errors import DocumentSuperseded, Transient
from workers.core.graph.document_pages import LONGEST_KEY, DocumentOrder, Place, PlacedDocument
from workers.core.model import Chunk, Document
from workers.core.ports import ChunkFacts, Removed

_MADE_LIVE = {"id", "version", "content_hash", "uri", "title", "chunk_tokens", "chunk_overlap"}
_CHUNKS_WRITTEN = 100  # per transaction
_CHUNKS_REMOVED = 100  # per transaction: its locks and memory stay small
_TRIES = 5  # to open a document that others delete meanwhile
_MAX_ALIASES = 50  # spellings kept of a key element


class DocumentStore:
    """Documents are written hidden, shown by one transaction, and removed a bounded number at a time.

    Every transaction takes write locks in one order: the document, facts by id, key elements by id. What
    nothing else holds is decided under these locks, so a writer that finds a node and a deleter that takes
    it away come one after the other; a writer that comes second starts again and makes the node anew.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def document(self, document_id: str) -> Document | None:
        """Return a document by id with its newest version's data; the counts are of the live version."""
        rows = self._connection.run("document", id=document_id)
        return to_document(rows[0]["document"]) if rows else None

    def documents(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Document]:
        """Return a page of documents, ordered by id; after is the last id of the page before."""
        if collection is None:
            rows = self._connection.run("documents_all", after=after, limit=limit)
        else:
            rows = self._connection.run("documents", collection=collection, after=after, limit=limit)
        return [to_document(row["document"]) for row in rows]

    def documents_found(
        self,
        collection: str,
        *,
        words: Sequence[str] = (),
        order: DocumentOrder = "id",
        after: Place | None = None,
        limit: int = 100,
    ) -> list[PlacedDocument]:
        """Return a sorted page of a collection's documents that match all words."""
        key, last = after or (None, "")
        rows = self._connection.run(
            "documents_found",
            collection=collection,
            words=list(words),
            order=order,
            key=key,
            id=last,
            longest=LONGEST_KEY,
            limit=limit,
        )
        found = [(row["key"], to_document(row["document"])) for row in rows]
        return [PlacedDocument(Place(key, document.id), document) for key, document in found]

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of live documents."""
        return {row["collection"]: row["documents"] for row in self._connection.run("collections")}

    def has_documents(self, collection: str) -> bool:
        """Return whether a collection holds a live document."""
        return bool(self._connection.run("has_documents", collection=collection))

    def open_version(self, document: Document) -> Document:
        """Create or update the document as not yet live; return it with the version to be written.

        A whole live document with the same content hash comes back with status "indexed" and is left alone.
        A version with this content hash that is being written is returned again.
        """
        given = document.model_dump(include={"id", "collection", "uri", "title", "content_hash", "status"})
        stored = self._opened(given)
        if stored.status == "indexed":
            return stored
        return stored.model_copy(update={"uri": document.uri, "title": document.title})

    def _opened(self, given: Row) -> Document:
        for _ in range(_TRIES):
            if rows := self._connection.run("open_version", **given):
                return to_document(rows[0]["document"])
        raise Transient(f"{given['uri']} is being deleted")

    def set_status(self, document_id: str, version: int, status: str, error: str | None = None) -> None:
        """Record how far the writing of a version is; an older version changes nothing.

        A live version stays "indexed" unless it is said to be "partial" or "failed".
        """
        self._connection.run("set_status", id=document_id, version=version, status=status, error=error)

    def write_chunks(self, document: Document, chunks: Sequence[ChunkFacts]) -> None:
        """Write some chunks with facts and elements of a version, hidden until `make_live`.

        Raises:
            DocumentSuperseded: a newer version was opened, or the document was deleted.
        """
        for first in range(0, len(chunks), _CHUNKS_WRITTEN):
            given = writing_rows(chunks[first : first + _CHUNKS_WRITTEN])
            rows = self._connection.run(
                "write_chunks",
                document=document.id,
                version=document.version,
                content_hash=document.content_hash,
                collection=document.collection,
                scope=scope(document.collection),
                title=document.title,
                title_id=title_id(document),
                max_aliases=_MAX_ALIASES,
                typed=any(is_typed(row) for row in given["chunks"]),
                **given,
            )
            if not rows:
                raise _superseded(document)

    def make_live(self, document: Document) -> Removed:
        """Make the version live; remove the older one's chunks and whatever only they held.

        Title, uri and chunk sizes become those given; the counts are taken from the graph.

        Raises:
            DocumentSuperseded: a newer version was opened, or the document was deleted.
        """
        given = document.model_dump(include=_MADE_LIVE)
        given["title_id"] = title_id(document)
        rows = self._connection.run("make_live", typed=False, **given)
        # Nothing: it is not the newest any more, or it states relations and events.
        rows = rows or make_typed_live(self._connection, **given)
        if not rows:
            raise _superseded(document)
        return self._remove_chunks(document.id) if rows[0]["older"] else Removed()

    def delete_document(self, document_id: str) -> Removed:
        """Delete a document and everything that only it holds; an unknown id deletes nothing."""
        hidden = self._connection.run("hide_document", id=document_id, typed=False)
        if not (hidden or hide_typed(self._connection, document_id)):
            return Removed()
        return self._remove_chunks(document_id)

    def contents_of(self, document_id: str) -> set[str]:
        """Return the content hashes of a document's chunks, of its hidden ones too."""
        return {row["content"] for row in self._connection.run("contents_of", id=document_id)}

    def contents_held(self, contents: Collection[str], besides: str = "") -> set[str]:
        """Return those content hashes that a chunk of any collection has, but for one document's own."""
        rows = self._connection.run("contents_held", contents=sorted(contents), besides=besides)
        return {row["content"] for row in rows}

    def _remove_chunks(self, document_id: str) -> Removed:
        chunks: list[str] = []
        facts: list[str] = []
        elements: list[str] = []
        more = True
        while more:
            rows = self._connection.run("remove_chunks", id=document_id, limit=_CHUNKS_REMOVED)
            more = bool(rows) and rows[0]["more"]
            for row in rows:
                chunks += row["chunks"]
                facts += row["facts"]
                elements += row["elements"]
        return Removed(chunks=tuple(chunks), facts=tuple(facts), elements=tuple(elements))

    def chunks_standing(self, document_id: str, *, after: int = -1, limit: int = 500) -> list[Chunk]:
        """Return a page of a live document's chunks by index; after is the last index of the page before."""
        rows = self._connection.run("chunks_standing", id=document_id, after=after, limit=limit)
        return [to_chunk(row["chunk"]) for row in rows]

    def note_source(self, document_id: str, version: int, source_hash: str, uri: str) -> None:
        """Record the source bytes' hash and address of a live version."""
        self._connection.run("note_source", id=document_id, version=version, source_hash=source_hash, uri=uri)


def _superseded(document: Document) -> DocumentSuperseded:
    return DocumentSuperseded(f"version {document.version} of {document.uri} is not the newest any more")
