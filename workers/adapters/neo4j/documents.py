"""Writes documents and their versions to the graph."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from hopline.errors import Transient
from hopline.models.documents import Chunk, Document, DocumentOrder
from hopline.principals import ALLOW
from workers.adapters.groups import Groups
from workers.adapters.neo4j.aliases.chunk_names import ChunkNames
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.metadata.filters import CompiledFilter
from workers.adapters.neo4j.metadata.properties import changed_properties, pending_properties, property_of
from workers.adapters.neo4j.rows import (
    Write,
    documents_rows,
    read_properties,
    scope,
    title_id,
    to_chunk,
    to_document,
)
from workers.adapters.neo4j.typed_graph import hide_typed, make_typed_live
from workers.core.errors import DocumentSuperseded
from workers.core.graph.document_pages import LONGEST_KEY, Place, PlacedDocument
from workers.core.graph.stored_document import StandingText
from workers.core.graph.vectors import MOST_DUE, DueVector
from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.metadata.filter import Filter, matches
from workers.core.ports import ChunkFacts, Removed
from workers.core.retries import RETRIES

_OPENED = {"id", "collection", "uri", "title", "content_hash", "status"}
_SHOWN = {
    "id", "version", "content_hash", "uri", "title", "chunk_tokens", "chunk_overlap", "source_hash",
}  # fmt: skip
_TELLING_CHUNKS = 20  # of a document, whose languages stand for the whole
_SOURCE = {"id", "version", "source_hash", "uri", "size", "media_type"}
_ALLOW = property_of("list", ALLOW)
_CHUNKS_WRITTEN = 100  # per transaction
_WRITERS = 2  # transactions of a kind with several documents under way at a time, for each process
# Most of its time goes into round trips, as many for one document as for fifty.
_SETTLERS = 1  # groups whose names are settled at a time, for each process
_PATIENCE = 0.5  # seconds that a document waits for others at most where many come one after another
_DOCUMENTS_TOGETHER = 50  # at most, to open or to make live
_MAX_ALIASES = 50  # spellings kept of a key element
_CHUNKS_REMOVED = 100  # per transaction: its locks and memory stay small


class _Showing(NamedTuple):
    """A version that is to become live, and what its metadata become."""

    document: Document
    metadata: MetadataChange


class _Left(NamedTuple):
    """Work that remains for a document whose version has become live."""

    older: bool  # something of a version before is to be removed
    named: bool  # it bears on what names mean
    due: bool  # vectors of names, of this document's or another's, are to be looked at


class DocumentStore(ChunkNames):
    """Documents are written hidden, shown by one transaction, and removed a bounded number at a time.

    Transactions take write locks in one order: documents, facts and key elements, each by id. One that notes
    names takes key elements first; where it meets another, the server ends one of the two, which is repeated.
    What nothing else holds is decided under these locks, so a writer that finds a node and a deleter that
    takes it away come one after the other; a writer that comes second starts over and creates a new node.

    Args:
        connection: connection to the graph.
        writers: transactions of a kind with several documents under way at a time.
    """

    def __init__(self, connection: Connection, writers: int = _WRITERS) -> None:
        super().__init__(connection)
        self._openings = Groups(self._open_all, self._open_one, _are_others, writers, _PATIENCE)
        self._writes = Groups(self._write_all, self._write_one, _fits, writers, _PATIENCE)
        self._showings = Groups(self._show_all, self._show_one, _may_show, writers, _PATIENCE)
        self._settlements = Groups(self._settle_all, self._settle_one, _may_settle, _SETTLERS, _PATIENCE)
        self._sources = Groups(self._note_all, self._note_one, _are_others, writers, _PATIENCE)

    def document(self, document_id: str) -> Document | None:
        """Return a document by id with its newest version's data; the counts are of the live version."""
        rows = self._connection.run("document", id=document_id)
        return to_document(rows[0]["document"]) if rows else None

    def documents(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Document]:
        """Return a page of documents, ordered by id; after is the last id of the previous page."""
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
        where: Filter | None = None,
        live: bool = False,
    ) -> list[PlacedDocument]:
        """Return a sorted page of a collection's documents that match all words and a filter."""
        key, last = after or (None, "")
        compiled = CompiledFilter(where)
        page: Row = {"order": order, "key": key, "id": last, "longest": LONGEST_KEY, "limit": limit}
        page |= {"collection": collection, "words": list(words), "live": live}
        for _ in range(RETRIES.neo4j_conflicts):
            rows = compiled.run(self._connection, "documents_found", **page)
            documents = [placed for row in rows if (placed := _placed(row, where, live=live))]
            if len(documents) == len(rows):
                return documents
        raise Transient("documents are changing faster than a page of them can be read; ask again")

    def document_meant(self, document_id: str, where: Filter) -> Document | None:
        """Return a live document if it passes the filter, in one query that reads nothing else."""
        compiled = CompiledFilter(where)
        rows = compiled.run(self._connection, "document_meant", id=document_id)
        return to_document(rows[0]["document"]) if rows else None

    def documents_of(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents with the given ids; unknown ids are left out."""
        return [to_document(row["document"]) for row in self._connection.run("documents_of", ids=list(ids))]

    def change_metadata(
        self, ids: Sequence[str], change: MetadataChange, as_read: Document | None = None
    ) -> int:
        """Change fields of documents, by sorted ids, in one transaction; return of how many.

        Where `as_read` is not the one document any more, nothing is changed.
        """
        changed = as_read.updated if as_read else None
        seen = {
            "version": as_read.version if as_read else None,
            "updated": round(changed.timestamp() * 1000) if changed else None,
        }
        rows = self._connection.run(
            "change_metadata", ids=list(ids), metadata=changed_properties(change), **seen
        )
        return int(rows[0]["changed"])

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of live documents."""
        return {row["collection"]: row["documents"] for row in self._connection.run("collections")}

    def has_documents(self, collection: str) -> bool:
        """Return whether a collection has a live document."""
        return bool(self._connection.run("has_documents", collection=collection))

    def open_version(self, document: Document) -> Document:
        """Create or update the document as not yet live; return it with the version to be written.

        A whole live document with the same content hash comes back with status "indexed" and is left alone.
        A version with this content hash that is being written is returned again.
        """
        stored = self._openings.do(document)
        if stored.status == "indexed":
            return stored
        return stored.model_copy(update={"uri": document.uri, "title": document.title})

    def _open_all(self, documents: Sequence[Document]) -> list[Document | None]:
        """Open versions in one transaction; None for a document that was deleted meanwhile."""
        ordered = sorted(documents, key=_by_id)
        nodes = [document.model_dump(include=_OPENED) | pending_properties(document) for document in ordered]
        rows = self._connection.run("open_version", documents=nodes)
        stored = {row["document"]["id"]: to_document(row["document"]) for row in rows}
        return [stored.get(document.id) for document in documents]

    def _open_one(self, document: Document) -> Document:
        for _ in range(RETRIES.neo4j_conflicts):
            if stored := self._open_all([document])[0]:
                return stored
        raise Transient(f"{document.uri} is being deleted")

    def set_status(self, document_id: str, version: int, status: str, error: str | None = None) -> None:
        """Record the progress of writing a version; an older version changes nothing.

        A live version stays "indexed" unless it is said to be "partial" or "failed".
        """
        self._connection.run("set_status", id=document_id, version=version, status=status, error=error)

    def write_chunks(self, document: Document, chunks: Sequence[ChunkFacts]) -> None:
        """Write chunks of a version with their facts and elements, hidden until `make_live`.

        Raises:
            DocumentSuperseded: a newer version was opened, or the document was deleted.
        """
        if len(chunks) <= _CHUNKS_WRITTEN // 2:
            self._writes.do((document, chunks))
        else:
            for first in range(0, len(chunks), _CHUNKS_WRITTEN):
                self._write_one((document, chunks[first : first + _CHUNKS_WRITTEN]))

    def _write_one(self, write: Write) -> bool:
        if not self._write_all([write])[0]:
            raise _superseded(write[0])
        return True

    def _write_all(self, writes: Sequence[Write]) -> list[bool | None]:
        """Write in one transaction; if a version is not the newest, write nothing, return None for each."""
        writes = sorted(writes, key=lambda write: write[0].id)  # the order of locks
        collection = writes[0][0].collection
        parameters = documents_rows(writes)
        if not parameters["chunks"]:
            return [True] * len(writes)
        rows = self._connection.run(
            "write_chunks",
            collection=collection,
            scope=scope(collection),
            max_aliases=_MAX_ALIASES,
            **parameters,
        )
        return [True if rows else None] * len(writes)

    def make_live(
        self, document: Document, source_hash: str = "", metadata: MetadataChange = NO_CHANGE
    ) -> Removed:
        """Make the version live; remove the older one's chunks and everything that only they used.

        Title, uri and chunk sizes become those given; the counts are taken from the graph.

        Args:
            document: the version.
            source_hash: of the bytes that it was made of, recorded when all is done; not known unless given.
            metadata: what changes of it.

        Raises:
            DocumentSuperseded: a newer version was opened, or the document was deleted.
        """
        shown = document.model_copy(update={"source_hash": source_hash})
        left = self._showings.do(_Showing(shown, metadata))
        if not any(left):
            return Removed()
        # While the chunks of before are still there: whoever repeats this sees what they stated of names.
        # What goes may have contested a name that was claimed after it was written.
        if left.named or left.older:
            due = self._settlements.do(document)
        else:
            due = self.vectors_due(document.collection)
        removed = self._remove_chunks(document.id) if left.older else Removed()
        removed = removed.model_copy(update={"due": tuple(due)})
        if source_hash:
            self._sources.do(shown)
        return removed

    def _show_all(self, showings: Sequence[_Showing]) -> list[_Left | None]:
        """Make versions live in one transaction; return the remaining work for each.

        None: it is not the newest any more, or it states relations and events. Vectors that are due are left
        to one of each collection: where its worker is lost, they are still due when it comes again.
        """
        documents = _live_rows(showings)
        if limited := [row for row in documents if row["metadata"].get(_ALLOW)]:
            self._connection.run("allow_before_live", documents=limited)
        rows = self._connection.run("make_live", typed=False, documents=documents)
        collections = {showing.document.id: showing.document.collection for showing in showings}
        first = {collections[row["id"]]: row["id"] for row in reversed(rows) if row["due"]}.values()
        left = {row["id"]: _Left(row["older"], row["named"], row["id"] in first) for row in rows}
        return [left.get(showing.document.id) for showing in showings]

    def _show_one(self, showing: _Showing) -> _Left:
        left = self._show_all([showing])[0]
        if left is not None:
            return left
        rows = make_typed_live(self._connection, _live_rows([showing])[0])
        if not rows:
            raise _superseded(showing.document)
        return _Left(rows[0]["older"], rows[0]["named"], rows[0]["due"])

    def _settle_all(self, documents: Sequence[Document]) -> list[list[DueVector]]:
        self._aliases.settle([document.id for document in documents])
        first = self.vectors_due(documents[0].collection)
        return [first if nth == 0 else [] for nth in range(len(documents))]

    def _settle_one(self, document: Document) -> list[DueVector]:
        return self._settle_all([document])[0]

    def vectors_due(self, collection: str) -> list[DueVector]:
        """Return key elements whose vectors must be updated because of names stated in documents."""
        rows = self._connection.run("vectors_due", collection=collection, limit=MOST_DUE)
        return [DueVector(row["id"], row["element"]) for row in rows]

    def vectors_seen(self, collection: str, ids: Collection[str]) -> None:
        """Remove notes of due vectors."""
        self._connection.run("vectors_seen", collection=collection, ids=sorted(ids))

    def delete_document(self, document_id: str) -> Removed:
        """Delete a document and everything that only it uses; an unknown id deletes nothing."""
        hidden = self._connection.run("hide_document", id=document_id, typed=False)
        hidden = hidden or hide_typed(self._connection, document_id)
        if not hidden:
            return Removed()
        # While its chunks are still there: whoever repeats this sees what they stated.
        self._aliases.settle([document_id])
        removed = self._remove_chunks(document_id)
        return removed.model_copy(update={"due": tuple(self.vectors_due(hidden[0]["collection"]))})

    def name_original(self, document: Document, start: str, fresh: str) -> str | None:
        """Name the original of a version that is being made; return its name, None if it was superseded."""
        version = document.model_dump(include={"id", "version"})
        rows = self._connection.run("name_original", **version, start=start, fresh=fresh)
        return str(rows[0]["name"]) if rows else None

    def originals_named(self, ids: Sequence[str]) -> frozenset[str]:
        """Return all originals that versions of the given documents need: live, kept, or being made."""
        rows = self._connection.run("originals_named", ids=list(ids))
        return frozenset(row["name"] for row in rows)

    def superseded(self, limit: int) -> list[tuple[str, str]]:
        """Return (id, collection) of documents whose superseded versions left data behind."""
        return [(row["id"], row["collection"]) for row in self._connection.run("superseded", limit=limit)]

    def remove_superseded(self, document_id: str) -> Removed:
        """Remove the data that superseded versions left behind, and everything that only it used."""
        self._aliases.settle([document_id])
        return self._remove_chunks(document_id)

    def contents_of(self, document_id: str) -> set[str]:
        """Return the content hashes of a document's chunks, including hidden ones."""
        return {row["content"] for row in self._connection.run("contents_of", id=document_id)}

    def contents_held(self, contents: Collection[str], besides: str = "") -> set[str]:
        """Return the content hashes that a chunk of any collection has, other than those of one document."""
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
        """Return a page of a live document's chunks by index; after: last index of the previous page."""
        rows = self._connection.run("chunks_standing", id=document_id, after=after, limit=limit)
        return [to_chunk(row["chunk"]) for row in rows]

    def note_source(
        self,
        document_id: str,
        version: int,
        source_hash: str,
        uri: str,
        metadata: MetadataChange = NO_CHANGE,
        languages: Sequence[str] = (),
        *,
        made_of: Document | None = None,
    ) -> None:
        """Record the source bytes' hash, the address, changed metadata and languages of a live version.

        Size, media type and original of the source stay as they were, unless `made_of` has them.
        """
        source: Row = {"id": document_id, "version": version, "source_hash": source_hash, "uri": uri}
        source |= _made_of(made_of) if made_of else {}
        source |= {"metadata": changed_properties(metadata), "languages": list(languages)}
        self._connection.run("note_source", documents=[source])

    def without_languages(self, collection: str, limit: int) -> list[StandingText]:
        """Return live documents whose languages were never stored, with the texts of their first chunks."""
        rows = self._connection.run(
            "without_languages", collection=collection, limit=limit, chunks=_TELLING_CHUNKS
        )
        return [StandingText(row["id"], row["version"], "\n".join(row["texts"])) for row in rows]

    def note_languages(self, documents: Sequence[tuple[str, int, Sequence[str]]]) -> None:
        """Record the languages of live versions by (id, version, languages), or that they have none."""
        rows = [
            {"id": name, "version": version, "languages": list(languages)}
            for name, version, languages in sorted(documents)
        ]
        self._connection.run("note_languages", documents=rows)

    def _note_all(self, documents: Sequence[Document]) -> list[bool]:
        ordered = sorted(documents, key=_by_id)
        sources = [
            document.model_dump(include=_SOURCE) | {"metadata": {}, "languages": []} for document in ordered
        ]
        self._connection.run("note_source", documents=sources)
        return [True] * len(documents)

    def _note_one(self, document: Document) -> bool:
        return self._note_all([document])[0]


def _fits(writes: Sequence[Write], other: Write) -> bool:
    """Return whether one document's chunks may be written with those of others."""
    document, chunks = other
    return (
        sum(len(more) for _document, more in writes) + len(chunks) <= _CHUNKS_WRITTEN
        and document.collection == writes[0][0].collection
        and all(document.id != earlier.id for earlier, _chunks in writes)
    )


def _are_others(documents: Sequence[Document], other: Document) -> bool:
    """Return whether a document is none of these, and they are not too many."""
    return len(documents) < _DOCUMENTS_TOGETHER and all(document.id != other.id for document in documents)


def _are_few_others(documents: Sequence[Document], other: Document) -> bool:
    """Return whether it is another, where their chunks are not too many either."""
    return (
        _are_others(documents, other)
        and sum(document.chunks for document in documents) + other.chunks <= _CHUNKS_WRITTEN
    )


def _may_settle(documents: Sequence[Document], other: Document) -> bool:
    """Return whether it is one of these few others, and of their collection."""
    return documents[0].collection == other.collection and _are_few_others(documents, other)


def _placed(row: Row, where: Filter | None, *, live: bool) -> PlacedDocument | None:
    """Return a document of a page; None if it was deleted or changed after the query's filter."""
    stored = row["document"]
    if "id" not in stored or (live and not stored["live"]):
        return None
    document = to_document(stored)
    if where is not None and not matches(where, document.fields):
        return None
    return PlacedDocument(Place(row["key"], document.id), document)


def _may_show(showings: Sequence[_Showing], other: _Showing) -> bool:
    return _are_few_others([showing.document for showing in showings], other.document)


def _by_id(document: Document) -> str:
    """Return what orders the locks of documents."""
    return document.id


def _live_rows(showings: Sequence[_Showing]) -> list[Row]:
    """Return what `make_live` takes, in the order of locks."""
    return [
        {
            **document.model_dump(include=_SHOWN),
            **_made_of(document),
            "languages": list(document.languages) or None,
            "title_id": title_id(document),
            "read": read_properties(document.reading),
            "metadata": changed_properties(metadata),
        }
        for document, metadata in sorted(showings, key=lambda showing: showing.document.id)
    ]


def _made_of(document: Document) -> Row:
    """Return the file of a document's version from its node."""
    names = ("size", "media_type", "original", "original_file")
    return {name: getattr(document, name) for name in names}


def _superseded(document: Document) -> DocumentSuperseded:
    return DocumentSuperseded(f"version {document.version} of {document.uri} is not the newest any more")
