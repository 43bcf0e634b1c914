"""Steps ingest.list and ingest.survey: list the documents of sources, and fingerprint each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

import orjson

from hopline.errors import DocumentUnreadable, InvalidInput, no_document
from hopline.events.documents import SourcesListed
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.models.params import ChunkSizes, ReadingOptions, SyncParams
from workers.core import ids
from workers.core.jobs.manifest import Manifest, ManifestWriter
from workers.core.jobs.params import DocumentParams, read_input
from workers.core.jobs.work import Item, NoInput, Outcome
from workers.core.ports import Blobs, Ports
from workers.ingest.reading.source import check_place, document_digest, state_of
from workers.ingest.sync.fingerprint import source_hash
from workers.ingest.sync.scope import Scope, scope_of
from workers.sources.archives import file_of, member_address
from workers.sources.documents import list_sources
from workers.sources.doubles import FirstPlaces, without_doubles
from workers.sources.formats import Found, Refused
from workers.sources.places import check_confined

WINDOW = 200  # items of a sync in flight
PAGE = 250  # documents
_MOST_REFUSED = 50_000  # remembered; if there are more, nothing counts as removed


class ListResult(Frozen):
    """What the sources hold."""

    documents: int
    refused: int  # what is no document
    surveys: Manifest | None = None  # list of items, one per page of DocumentParams
    pages: tuple[str, ...] = ()  # blobs of these pages, where an earlier version listed them
    refusals: str  # blob of [place, reason] pairs
    scopes: tuple[Scope, ...]  # where the sources' documents lie


class SurveyInput(Frozen):
    """A page of documents."""

    page: str  # blob of a list of DocumentParams


class SurveyResult(Frozen):
    """A page whose documents were read."""

    page: str  # as it was given
    made: str  # blob of [document id, uri, source hash] per document; of one that cannot be read no hash


def list_documents(_input: NoInput, ports: Ports, documents_per_page: int = PAGE) -> Outcome:
    """List the job's sources, page by page.

    Raises:
        InvalidInput: a source is not there, is not readable, or holds no document: then it is not in step
            with anything, and nothing may be removed. Or a request named it, and it may not be read now.
        Transient: a store failed.
    """
    params = read_input(SyncParams, ports.job.params)
    for source in params.sources if params.confined else ():
        check_confined(source, ports.places)
    refused: list[Refused] = []
    surveys, documents = ManifestWriter(ports.blobs, WINDOW), 0
    for page, count in _pages(_find_documents(params, refused), ports.blobs, documents_per_page):
        surveys.add(Item(id=f"survey:{surveys.size}", step="ingest.survey", input=SurveyInput(page=page)))
        documents += count
    if not documents:
        raise no_document("sources", list(params.sources), refused)
    refusals = ports.blobs.put(orjson.dumps([[entry.place, entry.reason] for entry in refused]), ".json")
    result = ListResult(
        documents=documents,
        refused=len(refused),
        surveys=surveys.finish(),
        refusals=refusals,
        scopes=tuple(scope_of(source) for source in params.sources),
    )
    return Outcome(result=result, events=(SourcesListed(documents=documents, refused=len(refused)),))


def _find_documents(params: SyncParams, refused: list[Refused]) -> Iterator[DocumentParams]:
    options = ("profile", "confined", *ChunkSizes.model_fields, *ReadingOptions.model_fields)
    taken_with = {name: getattr(params, name) for name in options}
    listed = list_sources(params.sources, confined=params.confined, code=params.code)
    with closing(FirstPlaces()) as places:
        for entry in without_doubles(listed, places):
            if isinstance(entry, Found):
                yield entry.document.model_copy(update=taken_with)
            elif entry.place in params.sources:
                raise InvalidInput("source", entry.place, f"what workers can read ({entry.reason})")
            elif len(refused) <= _MOST_REFUSED:
                refused.append(entry)


def too_many_refused(count: int) -> bool:
    """Return whether the list of refused documents is incomplete."""
    return count > _MOST_REFUSED


def _pages(documents: Iterable[DocumentParams], blobs: Blobs, most: int) -> Iterator[tuple[str, int]]:
    page: list[Json] = []
    for document in documents:
        page.append(document.model_dump(mode="json", exclude_defaults=True))
        if len(page) == most:
            yield blobs.put(orjson.dumps(page), ".json"), len(page)
            page = []
    if page:
        yield blobs.put(orjson.dumps(page), ".json"), len(page)


def survey_page(listed: SurveyInput, ports: Ports) -> Outcome:
    """Read and fingerprint a page's documents, without parsing them.

    Files in an archive that has not changed since the last survey are not read again.

    Raises:
        Transient: a store failed.
    """
    documents = read_page(ports.blobs, listed.page)
    known, made = _members(documents, ports), []
    for document in documents:
        document_id = ids.document_id(ports.job.collection, document.name or document.uri)
        digest = known[document.source] if document.source in known else _digest(document, ports)
        # If it cannot be read, its own job reports why.
        made_of = source_hash(digest, document, ports.limits) if digest else ""
        made.append([document_id, document.uri, made_of])
    stored = ports.blobs.put(orjson.dumps(made), ".json")
    return Outcome(result=SurveyResult(page=listed.page, made=stored))


def survey_number(item_id: str) -> int:
    """Return which page of the listing an item surveys, from 0."""
    return int(item_id.rpartition(":")[2])


def _digest(document: DocumentParams, ports: Ports) -> str:
    """Return the sha-256 of a document's file; "" if it cannot be read."""
    try:
        return document_digest(document, ports)
    except DocumentUnreadable:
        return ""


def _members(documents: Iterable[DocumentParams], ports: Ports) -> dict[str, str]:
    """Return the sha-256 of each file in an archive, by its address.

    They are kept by the size and time of the archive, and by what of it the page lists.
    """
    archives: dict[str, list[DocumentParams]] = {}
    for document in documents:
        if member_address(document.source):
            archives.setdefault(file_of(document.source), []).append(document)
    found: dict[str, str] = {}
    for archive, members in archives.items():
        try:
            for member in members:
                check_place(member, ports)
            state = state_of(archive)
        except DocumentUnreadable:
            continue
        sources = [member.source for member in members]
        content, key = (ids.content_hash("\n".join(parts)) for parts in ((archive, *state), sources))
        kept = ports.replies.get(content, key) if state else None
        digests = orjson.loads(kept) if kept else [_digest(member, ports) for member in members]
        if state and not kept and all(digests):
            ports.replies.put(content, key, orjson.dumps(digests))
        found |= dict(zip(sources, digests, strict=True))
    return found


def read_page(blobs: Blobs, reference: str) -> list[DocumentParams]:
    """Return the documents of a page."""
    return [DocumentParams.read_stored(params) for params in orjson.loads(blobs.get(reference))]
