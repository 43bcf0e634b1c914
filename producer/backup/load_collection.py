"""Imports an exported collection, document by document; each becomes live at once, with its `allow`."""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from hopline.errors import InvalidInput
from hopline.models.documents import Document
from hopline.models.merges import Merge, Proposal
from producer.backup.collection_file import Checked, ExportedDocument, check_file, read_records
from producer.backup.save import Progress
from workers.adapters.neo4j.collection_archive import CollectionArchive, WholeChunk, WholeMap
from workers.core import ids
from workers.core.files import spooled
from workers.core.metadata.changes import MetadataChange
from workers.core.ports import ChunkFacts
from workers.core.records import AtomicFact
from workers.core.redis_keys import IMPORTS
from workers.ingest.link import with_names
from workers.ingest.originals import keep_original
from workers.ingest.reading.document_file import DocumentFile
from workers.services import Services

_SHOWN = 100  # documents between two notes of progress


class Imported(NamedTuple):
    """A collection that was imported, except its vectors."""

    collection: str
    checked: Checked
    unmerged: int  # merges that could not be made: their elements are gone


def load_collection(
    services: Services, file: Path, name: str | None = None, progress: Progress = lambda _part: None
) -> Imported:
    """Import a collection; vectors are left to a reindex.

    An interrupted import continues if it is repeated with the same file and name. `forget_import` ends it.

    Args:
        services: services of the servers.
        file: that `save_collection` wrote.
        name: name of the collection; that of the export unless given.
        progress: called with what is read.

    Raises:
        InvalidInput: the file is damaged, no export or of a newer hopline, or the collection holds something.
    """
    progress("checksum")
    checked = check_file(file)
    collection = name or checked.header.collection
    services.graph.migrate()
    _claim(services, collection, checked.sha256)
    _put_settings(services, collection, checked)
    target = _Target(services, collection, same=collection == checked.header.collection)
    archive = CollectionArchive(services.graph.connection)
    merges: list[Merge] = []
    for nth, record in enumerate(_records(file)):
        if nth % _SHOWN == 0:
            progress(f"document {nth + 1} of {checked.counts.documents}")
        match record:
            case _Incoming():
                target.put(record)
            case Merge():
                merges.append(record)
            case WholeMap():
                archive.put_concept_map(collection, record)
    progress("merges")
    made = [_merge(services, collection, merge) for merge in sorted(merges, key=lambda merge: merge.made)]
    return Imported(collection, checked, made.count(False))


def forget_import(services: Services, collection: str) -> None:
    """Note that an import is complete."""
    services.redis.hdel(IMPORTS, collection)


def _claim(services: Services, collection: str, sha256: str) -> None:
    """Note that a collection is being filled from a file."""
    under_way = services.redis.hget(IMPORTS, collection)
    if under_way == sha256:
        return
    if under_way is not None:
        message = (
            f"the import of another file into collection {collection} is not complete: run it again, or "
            f"delete the collection (`hopline collections delete {collection}`)"
        )
        raise InvalidInput("file", collection, "the file whose import is incomplete", message=message)
    if services.graph.holds(collection):
        message = (
            f"collection {collection} holds documents or concept maps: import under another name with "
            "--as NAME; nothing was imported"
        )
        raise InvalidInput("as", collection, "the name of an empty collection", message=message)
    services.redis.hset(IMPORTS, collection, sha256)


def _put_settings(services: Services, collection: str, checked: Checked) -> None:
    if checked.header.metadata_schema is not None:
        services.metadata_schemas.write(collection, checked.header.metadata_schema)
    services.collection_titles.write(collection, checked.header.title)


class _Incoming:
    """A document of the file, whose chunks are read once, in their order."""

    def __init__(self, document: ExportedDocument, lines: Iterator[tuple[str, Any]]) -> None:
        self.document = document
        self._lines = lines
        self._next: tuple[str, Any] | None = next(lines, None)

    def _of(self, kind: str) -> Iterator[Any]:
        while self._next is not None and self._next[0] == kind:
            yield self._next[1]
            self._next = next(self._lines, None)

    def original(self) -> BinaryIO:
        """Return its file, to be read before its chunks."""
        file = spooled()
        for part in self._of("original"):
            file.write(b64decode(part))
        return file

    def pages(self) -> Iterator[list[WholeChunk]]:
        """Yield its chunks, some at a time."""
        for page in self._of("chunks"):
            yield [WholeChunk.read_stored(chunk) for chunk in page]

    def rest(self) -> tuple[str, Any] | None:
        """Return the line that follows the document's."""
        for kind in ("original", "chunks"):
            for _passed in self._of(kind):
                pass
        return self._next


def _records(file: Path) -> Iterator[_Incoming | Merge | WholeMap]:
    lines = read_records(file)
    line = next(lines, None)
    while line is not None:
        kind, body = line
        if kind == "document":
            incoming = _Incoming(ExportedDocument.read_stored(body), lines)
            yield incoming
            line = incoming.rest()
            continue
        if kind == "merge":
            yield Merge.read_stored(body)
        elif kind == "concept_map":
            yield WholeMap.read_stored(body)
        line = next(lines, None)


class _Target:
    """The collection that is filled."""

    def __init__(self, services: Services, collection: str, *, same: bool) -> None:
        self._services = services
        self._store = services.graph.store
        self._collection = collection
        self._same = same  # it has the name of the exported one

    def put(self, incoming: _Incoming) -> None:
        """Write a document, unless an import before has done so."""
        exported = incoming.document
        document = self._store.open_version(
            Document(
                id=self._document_id(exported),
                collection=self._collection,
                uri=exported.uri,
                title=exported.title,
                content_hash=exported.content_hash,
                status="loaded",
            )
        )
        if document.status == "indexed":
            return
        document = document.model_copy(update=_told(exported))
        if exported.original_sha256:
            with DocumentFile(incoming.original(), exported.original_sha256) as file:
                document = keep_original(document, file, "", self._services)
        seen: Counter[str] = Counter()
        for page in incoming.pages():
            chunks = [self._moved(document.id, chunk, seen) for chunk in page]
            self._store.write_chunks(document, chunks)
        metadata = MetadataChange(
            values=exported.metadata,
            ingested=exported.ingested_metadata,
            command_fields=exported.command_fields,
        )
        self._store.make_live(document, exported.source_hash, metadata)
        if exported.error is not None:
            self._store.set_status(document.id, document.version, exported.status, exported.error)

    def _document_id(self, exported: ExportedDocument) -> str:
        """Return the id that an ingestion gives it here.

        The id of a document that was ingested with a given id cannot be derived under another name, so it
        gets a new one.
        """
        if self._same:
            return exported.id
        return ids.document_id(self._collection, exported.uri if exported.is_named_by_uri else exported.id)

    def _moved(self, document_id: str, whole: WholeChunk, seen: Counter[str]) -> ChunkFacts:
        """Return a chunk with its ids in this collection, and its statements about names."""
        chunk = whole.chunk
        name = ids.chunk_id(document_id, chunk.text, seen[chunk.content_hash])
        seen[chunk.content_hash] += 1
        return with_names(
            self._collection,
            chunk.model_copy(update={"id": name}),
            tuple(_moved_fact(self._collection, fact) for fact in whole.facts),
        )


def _told(exported: ExportedDocument) -> Mapping[str, Any]:
    """Return a version's fields besides its text."""
    names = (
        "source_hash", "chunks", "chunk_tokens", "chunk_overlap", "languages", "size", "media_type",
        "reading", "original",
    )  # fmt: skip
    return {name: getattr(exported, name) for name in names}


def _moved_fact(collection: str, fact: AtomicFact) -> AtomicFact:
    """Return a fact with the ids that it and its key elements have in a collection."""
    moved = {element.id: ids.element_id(collection, element.name) for element in fact.key_elements}
    elements = [element.model_copy(update={"id": moved[element.id]}) for element in fact.key_elements]
    relations = [
        relation.model_copy(update={"source": moved[relation.source], "target": moved[relation.target]})
        for relation in fact.relations
        if {relation.source, relation.target} <= moved.keys()
    ]
    events = [
        event.model_copy(
            update={
                "participants": tuple(
                    part.model_copy(update={"element": moved[part.element]})
                    for part in event.participants
                    if part.element in moved
                )
            }
        )
        for event in fact.events
    ]
    return fact.model_copy(
        update={
            "id": ids.fact_id(collection, fact.text),
            "key_elements": tuple(elements),
            "title_id": moved.get(fact.title_id or ""),
            "relations": tuple(relations),
            "events": tuple(events),
        }
    )


def _merge(services: Services, collection: str, merge: Merge) -> bool:
    """Make a merge again, and undo it again if it was; return whether it could be made."""
    proposal = Proposal(
        **{name: getattr(merge, name) for name in Proposal.model_fields}
        | {
            "source": ids.element_id(collection, merge.source_name),
            "target": ids.element_id(collection, merge.target_name),
        }
    )
    merging = services.graph.merging
    name = ids.merge_id(collection, proposal.source, proposal.target)
    if merge.undone is None:
        return merging.merge_elements(collection, proposal, merge.job)
    known = merging.merge(name)
    if known is not None and known.undone:
        return True
    if merging.merge_elements(collection, proposal, merge.job):
        merging.undo_merge(collection, name)
        return True
    return False
