"""Step ingest.load: reads a document, and opens a new version of it unless it is unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Annotated, Any, NamedTuple

import structlog

from hopline.errors import DocumentUnreadable, InvalidInput
from hopline.events.documents import DocumentLoaded, DocumentUnchanged, PicturesFound
from hopline.models.base import Frozen
from hopline.models.documents import Document, ReadRecord
from hopline.models.formats import DOCUMENT_FORMATS, reader_of
from hopline.models.metadata import Value, bounded, filled_up, merged
from hopline.models.schemas import MetadataSchema
from hopline.principals import ALLOW
from workers.core import ids
from workers.core.jobs.params import DocumentParams, read_input
from workers.core.jobs.work import Outcome
from workers.core.language.languages import languages_of
from workers.core.metadata.changes import NO_CHANGE, MetadataChange, change_by_ingestion
from workers.core.ports import Ports
from workers.core.records import IN_FULL
from workers.ingest.chunking.sizes import own_sizes
from workers.ingest.delete import remove_superseded
from workers.ingest.originals import keep_original, tidy_originals
from workers.ingest.pages import get_recognised, put_places, put_text
from workers.ingest.profile.profile import get_profile
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import ReadText, read_text
from workers.ingest.reading.scans.extra import can_recognise
from workers.ingest.reading.scans.recognised import Recognised
from workers.ingest.reading.source import open_document
from workers.ingest.recognise import check_unchanged, in_rows
from workers.ingest.sync.fingerprint import is_of_version, placed_hash, places_hash, source_hash, version_hash
from workers.ingest.versions import begin_keeping

INDEXED = "indexed"  # a document's status when its newest version is live and whole

_log = structlog.get_logger()


class LoadInput(Frozen):
    """Text recognised on a document's image pages; empty before recognition was tried."""

    recognised: tuple[str, ...] = ()  # blobs of pages
    source: str = ""  # sha-256 of the file that they are of; "" before recognition


class LoadResult(Frozen):
    """A document that was read, or whose image pages must be recognised first."""

    document: Annotated[Document, IN_FULL]  # with the version to be written
    text: str  # blob; "" where the document is unchanged, or not read yet
    places: str = ""  # blob of the map from offsets to places; "" where the document is a text itself
    metadata: Annotated[MetadataChange, IN_FULL] = NO_CHANGE  # what becomes of it with this version
    uri: str
    characters: int
    encoding: str | None  # None where its format says it
    pictured: tuple[tuple[int, int], ...] = ()  # first and last of pages in a row that are to be recognised
    source: str = ""  # sha-256 of the file that they are of

    @property
    def unchanged(self) -> bool:
        """Whether this version is already live, and nothing was written."""
        return self.document.status == INDEXED


class _Source(NamedTuple):
    """The file that a version is made of."""

    hash: str
    file: DocumentFile
    format: str  # by its content

    @property
    def told(self) -> dict[str, Any]:
        """The document's statements about it."""
        media_type = DOCUMENT_FORMATS[self.format].media_type
        return {"source_hash": self.hash, "size": self.file.size, "media_type": media_type}


class _Version(NamedTuple):
    """A text, with the fingerprints of its version and of its places."""

    read: ReadText
    hash: str
    places: str = ""


class _Brought(NamedTuple):
    """The fields that an ingestion brings, and the names of those that came by the command."""

    fields: Mapping[str, Value]
    command: tuple[str, ...]
    was: Document | None = None  # the document that it was, of one that moved

    def change_of(self, document: Document) -> MetadataChange:
        """Return the change to a document's metadata; a document that moved keeps its earlier metadata."""
        base = document if self.was is None or _has_metadata(document) else self.was
        change = change_by_ingestion(
            self.fields,
            base.ingested_metadata,
            self.command,
            base.command_fields,
            document.pending_allow or base.pending_allow,
        )
        if base is document:
            return self._closed(document, change)
        if not _has_metadata(base):
            return change
        kept = {name: value for name, value in base.metadata.items() if name not in change.unset}
        return MetadataChange(
            values=kept | change.values, ingested=dict(self.fields), command_fields=self.command
        )

    def _closed(self, document: Document, change: MetadataChange) -> MetadataChange:
        """Let nobody else see the text of a document that moved onto one which everyone may see."""
        allow = (self.was.pending_allow or self.was.metadata.get(ALLOW)) if self.was else None
        if not allow or ALLOW in document.metadata | change.values:
            return change
        return change.model_copy(update={"values": {**change.values, ALLOW: allow}})

    def pending(self, document: Document, known: Document | None) -> Document:
        """Return a document to open, with its `allow` in case this version does not become live."""
        allow = self.change_of(known or document).values.get(ALLOW) or self.fields.get(ALLOW, ())
        fields = {"pending_allow": allow, "pending_by_command": ALLOW in self.command}
        return document.model_copy(update=fields)


def _has_metadata(document: Document) -> bool:
    # Before anything of it was live, it is known at most who may see it.
    return bool((document.chunks and document.metadata) or document.ingested_metadata)


def load_document(recognition: LoadInput, ports: Ports) -> Outcome:
    """Read, check and store a document's text; nothing is stored where pages are to be recognised first.

    Raises:
        DocumentUnreadable: with a reason for the user; a document that the graph knows is marked failed.
        EmbedderMismatch: the collection was built with another embedder; nothing was written.
        Permanent: the job's profile does not fit or is not stored; nothing was written.
    """
    params = read_input(DocumentParams, ports.job.params)
    if params.profile:
        get_profile(ports.blobs, params.profile)  # else every chunk would find out by itself
    document_id = ids.document_id(ports.job.collection, params.name or params.uri)
    known = ports.graph.store.document(document_id)
    if known and known.status == "deleting":
        known = None  # it is opened again, without its metadata
    with ExitStack() as opened:
        try:
            file = opened.enter_context(open_document(params, ports))
            form = file.format_as(params.format)
            source = _Source(source_hash(file.sha256, params, ports.limits), file, form)
            recognised = _recognised(recognition, file, ports)
            version = _read(source, known, params, ports, recognised)
            if version.read.pictured and recognised is None and can_recognise():
                return _to_be_recognised(document_id, version.read, file, params, ports)
            was = ports.graph.store.document(params.moved_from) if params.moved_from else None
            brought = _metadata(params, version.read, known, was, ports.schemas.read(ports.job.collection))
        except DocumentUnreadable as error:
            _log.warning("document.refused", uri=params.uri, reason=str(error))
            if known:
                ports.graph.store.set_status(document_id, known.version, "failed", str(error))
            raise
        if known and known.status == INDEXED and known.content_hash == version.hash:
            return _unchanged(known, source, params, version.read, brought, ports)
        return _open(document_id, known, version, source, params, brought, ports)


def would_be_read_better(document: Document, vision: str) -> bool:
    """Return whether a document was read by an older reader, or before its pages could be read as now.

    Args:
        document: as it is stored.
        vision: name of the model that reads what recognition doubts; "" for none.
    """
    if document.is_read_by_older or document.reading is None:
        return document.is_read_by_older
    reading = document.reading
    is_doubtful = bool(reading.doubtful_lines or reading.unread_lines)
    return (reading.pictured_pages > 0 and can_recognise()) or (
        is_doubtful and vision not in ("", reading.vision)
    )


def _recognised(recognition: LoadInput, file: DocumentFile, ports: Ports) -> Recognised | None:
    """Return the recognised text of this file's pages; None before recognition was tried."""
    if not recognition.source:
        return None
    check_unchanged(file, recognition.source)
    return {
        number: page
        for blob in recognition.recognised
        for number, page in get_recognised(ports.blobs, blob).items()
    }


def _to_be_recognised(
    document_id: str, read: ReadText, file: DocumentFile, params: DocumentParams, ports: Ports
) -> Outcome:
    """Return which pages are to be recognised."""
    collection, title = ports.job.collection, params.title or read.title
    document = Document(id=document_id, collection=collection, uri=params.uri, title=title, content_hash="")
    result = LoadResult(
        document=document,
        text="",
        uri=params.uri,
        characters=len(read.text),
        encoding=None,
        pictured=tuple(in_rows(read.pictured)),
        source=file.sha256,
    )
    event = PicturesFound(uri=params.uri, pages=len(read.pictured))
    return Outcome(result=result, events=(event,))


def _read(
    source: _Source,
    known: Document | None,
    params: DocumentParams,
    ports: Ports,
    recognised: Recognised | None,
) -> _Version:
    """Return a document's text, and what its version is known by.

    A file of the bytes that its live version was made of is not read, unless that is asked for: its text is
    "". The same text with other places in the file is another version, of which all replies of the model are
    kept; so is what an older reader read, where that is asked for.
    """
    again = known is not None and params.reread and would_be_read_better(known, ports.model.name_of("vision"))
    live = known if known and known.status == INDEXED else None
    is_file = DOCUMENT_FORMATS[source.format].reader  # a text may have a front matter, and is read in no time
    if live and is_file and live.source_hash == source.hash and not again:
        return _Version(ReadText("", live.title, ""), live.content_hash)
    read = read_text(source.file, params, ports.limits, recognised=recognised)
    plain, places = version_hash(read.text, params, ports.limits), places_hash(read.places)
    placed = placed_hash(plain, reader_of(source.format), places)
    if again:  # also where this was begun before, and is not live yet
        return _Version(read, placed, places)
    if live is None or not is_of_version(live, plain):
        return _Version(read, plain, places)
    is_same = live.reading is None or live.reading.places == places
    return _Version(read, live.content_hash if is_same else placed, places)


def _metadata(
    params: DocumentParams,
    read: ReadText,
    known: Document | None,
    was: Document | None,
    schema: MetadataSchema,
) -> _Brought:
    """Return the metadata of this ingestion, checked against the schema and existing fields."""
    base = known if was is None or (known and _has_metadata(known)) else was
    try:
        command = _command_metadata(params, base)
        # A front matter was written for other programs: what of it does not fit is left out.
        ingested = filled_up(merged(params.metadata, command), schema.fitting(read.metadata))
        schema.check(ingested)
    except InvalidInput as error:
        raise DocumentUnreadable(str(error)) from error
    brought = _Brought(ingested, tuple(sorted(command)), was)
    _check_with_others(brought, base, schema)
    return brought


def _command_metadata(params: DocumentParams, known: Document | None) -> Mapping[str, Value]:
    """Return the fields that the command brought, or in a sync the last one."""
    if known is None or not params.keeps_command:
        return params.command_metadata
    before = known.ingested_metadata
    command = {name: before[name] for name in known.command_fields if name in before}
    if known.pending_allow:
        command.pop(ALLOW, None)
    return command | ({ALLOW: known.pending_allow} if known.pending_by_command else {})


def _check_with_others(brought: _Brought, known: Document | None, schema: MetadataSchema) -> None:
    """Refuse fields that are too many, or too few, with those that the document has besides."""
    change = brought.change_of(known) if known else MetadataChange(values=dict(brought.fields))
    kept = {n: value for n, value in known.metadata.items() if n not in change.unset} if known else {}
    try:
        schema.check_there(kept | change.values)
    except InvalidInput as error:
        raise DocumentUnreadable(str(error)) from error
    if not known or not change.values:
        return
    try:
        bounded(kept | change.values)
    except InvalidInput as error:
        allowed = f"{error.allowed} with the fields that were set by hand"
        raise DocumentUnreadable(str(InvalidInput(error.field, error.value, allowed))) from error


def _unchanged(
    document: Document,
    source: _Source,
    params: DocumentParams,
    read: ReadText,
    brought: _Brought,
    ports: Ports,
) -> Outcome:
    change = brought.change_of(document)
    if not document.source_hash:  # another text was being written when this one came back
        remove_superseded(ports, document.id, document.collection)
    # Other bytes with the same text, or not known of which; other metadata; or languages were not told.
    languages = () if document.languages else languages_of(read.text)
    told = document.model_copy(update=source.told | {"uri": params.uri})
    told = keep_original(told, source.file, params.source, ports)
    if told != document or change or languages:
        ports.graph.store.note_source(
            document.id,
            document.version,
            source.hash,
            params.uri,
            change,
            languages,
            made_of=told,
        )
    if document.original_file not in ("", told.original_file):
        tidy_originals(ports, [document.id])
    return _outcome(document.model_copy(update={"original": told.original}), read)


def _open(
    document_id: str,
    known: Document | None,
    version: _Version,
    source: _Source,
    params: DocumentParams,
    brought: _Brought,
    ports: Ports,
) -> Outcome:
    # Another embedder is found out here, before any chunk is paid for.
    ports.vectors.prepare(ports.job.collection, ports.model.embedder)
    draft = Document(
        id=document_id,
        collection=ports.job.collection,
        uri=params.uri,
        title=version.read.title,
        content_hash=version.hash,
        status="loaded",
    )
    read = version.read
    document = ports.graph.store.open_version(brought.pending(draft, known))
    if document.status == INDEXED:
        return _unchanged(document, source, params, read, brought, ports)
    begin_keeping(ports, document_id)
    update = {
        **source.told,
        "languages": languages_of(read.text),
        "reading": ReadRecord(
            reader=reader_of(source.format),
            places=version.places,
            left_out=read.left_out,
            vision=ports.model.name_of("vision"),
            **read.quality,
        ),
    }
    written = document.model_copy(update=update | own_sizes(ports.limits, params).model_dump())
    # Of what was opened, for the document that was known may have been deleted meanwhile.
    text, places = put_text(ports.blobs, read.text), put_places(ports.blobs, read.places)
    written = keep_original(written, source.file, params.source, ports)
    return _outcome(written, read, text, places, brought.change_of(document))


def _outcome(
    document: Document,
    read: ReadText,
    text: str = "",
    places: str = "",
    change: MetadataChange = NO_CHANGE,
) -> Outcome:
    result = LoadResult(
        document=document,
        text=text,
        places=places,
        metadata=change,
        uri=document.uri,
        characters=len(read.text),
        encoding=read.encoding,
    )
    kind = DocumentLoaded if text else DocumentUnchanged
    event = kind(uri=document.uri, characters=len(read.text) or None, encoding=read.encoding)
    return Outcome(result=result, events=(event,))
