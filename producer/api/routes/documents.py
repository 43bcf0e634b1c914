"""Routes for documents: ingest, list, show, delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from hopline.aio.documents import AsyncDocuments, DocumentFilter
from hopline.errors import InvalidInput, NotFound, edited_since, no_document
from hopline.json_objects import unrepeated
from hopline.models.documents import Document, DocumentFacets, DocumentPage, MetadataEdited, TextDocument
from hopline.models.graph import Passage
from hopline.models.jobs import Json, Priority
from hopline.models.metadata import NO_METADATA, Value
from hopline.models.metadata import checked_name as checked_field_name
from hopline.models.params import ChunkSizes, ReadingOptions
from hopline.models.results import DocumentJob, Job, Taken
from hopline.operation import operation_of
from hopline.sidecars import is_almost_sidecar, is_sidecar
from producer.api.access import Caller, Submitter, seen_document
from producer.api.admission import admitted
from producer.api.context import Api, ApiContext
from producer.api.etags import etag_of, unchanged
from producer.api.openapi import not_null, reference_to
from producer.api.problems import Problem, documented
from producer.api.schemas import DOCUMENTS_REQUEST
from producer.api.serving import serves
from producer.api.submission import (
    ENDED,
    REPLAY,
    Key,
    Wait,
    leaving,
    respond_with_job,
    submit_kind,
    submitted,
    terms_of,
)
from producer.api.uploads import Incoming
from producer.service.documents import Then, label_of, read_moment
from producer.service.metadata.edits import check_meant
from workers.core import ids
from workers.core.jobs.params import DeletionParams, DocumentParams
from workers.core.jobs.records import JobRecord
from workers.core.json_objects import parse_json
from workers.core.metadata.changes import MetadataChange
from workers.core.metadata.filter_text import filter_of_json, parse_filter
from workers.ingest.batch import documents_phase
from workers.ingest.profile.profile import named_profile

router = APIRouter()

_FORM = "multipart/form-data"
_OF_ONE = "with the id of one document"
_SUBMIT = operation_of(AsyncDocuments.submit)
_FIELDS = frozenset(each.name for each in _SUBMIT.placed("body") if each.group)
_OBJECTS = ("metadata", "tags")  # fields that a form holds as JSON
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": reference_to(DOCUMENTS_REQUEST)},
            _FORM: {
                "schema": {
                    "type": "object",
                    "properties": {
                        "files": {
                            "type": "array",
                            "minItems": 1,
                            "items": {"type": "string", "format": "binary"},
                        },
                        **{
                            name: not_null(schema)
                            for name, schema in DOCUMENTS_REQUEST.model_json_schema()["properties"].items()
                            if name in _FIELDS
                        },
                    },
                    "required": ["files"],
                    "additionalProperties": False,
                }
            },
        },
    }
}


@router.post(  # by hand: its body has two forms
    _SUBMIT.path,
    status_code=202,
    operation_id=_SUBMIT.id,
    name=_SUBMIT.id,
    summary=_SUBMIT.summary,
    description=_SUBMIT.description,
    tags=[_SUBMIT.noun],
    openapi_extra=_BODY,
    responses={
        200: {"model": Taken, "description": "All have ended.", "headers": REPLAY},
        202: {"headers": REPLAY},
        **documented(409, 413, 415, 429),
    },
)
async def submit_documents(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    key: Key = None,
    wait: Wait = 0,
) -> Taken:
    """Submit documents, given as JSON or as a form; if the caller no longer waits, nothing is submitted."""
    body, files = await read_documents(api, request, counts_uris=not caller.reads_paths)
    incoming = Incoming(api.service.blobs, api.settings, body.metadata or NO_METADATA, code=bool(body.code))
    try:
        async with leaving(request, incoming.listing.leave):
            record = await run_in_threadpool(_submit, api, caller, request, body, files, incoming, key)
    finally:
        for file in files:
            await file.close()
    batch = await respond_with_job(api, request, response, record, wait)
    phase = documents_phase(incoming.documents, 1)
    jobs = [
        DocumentJob(
            uri=document.uri,
            document_id=ids.document_id(record.job.collection, document.name or document.uri),
            job_id=ids.child_job_id(record.job.id, item.id),
        )
        for document, item in zip(incoming.documents, phase.items, strict=True)
    ]
    return Taken(batch=batch, documents=jobs, refused=incoming.refused)


async def read_documents(
    api: Api, request: Request, *, counts_uris: bool = True
) -> tuple[Any, list[UploadFile]]:
    """Return a request's body, given as JSON or as a form, and the files of a form.

    Args:
        api: the API's state.
        request: the request to read.
        counts_uris: whether the number of addresses is limited.

    Raises:
        Problem: it is neither.
        InvalidInput: there are too many documents for one request.
        ValidationError: a field is not valid.
    """
    body: Any
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    most = api.settings.api_documents
    if kind == "application/json":
        body, files = DOCUMENTS_REQUEST.model_validate_json(await request.body()), []
    elif kind == _FORM:
        form = await request.form(max_files=2 * most + 1, max_fields=len(_FIELDS) + 1)
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        pairs = [(name, value) for name, value in form.multi_items() if not isinstance(value, UploadFile)]
        fields = unrepeated(pairs)
        for name in fields.keys() & {"texts", "uris"}:
            raise InvalidInput(name, fields[name], "sent as application/json; a form is for files")
        objects = {name: _object(name, fields[name]) for name in _OBJECTS if name in fields}
        body = DOCUMENTS_REQUEST.model_validate(fields | objects)
    else:
        raise Problem(415, f"send application/json or {_FORM}, not {kind or 'a body without a media type'}")
    ChunkSizes(chunk_tokens=body.chunk_tokens, chunk_overlap=body.chunk_overlap)  # checks them together
    count = sum(not is_sidecar(file.filename or "") for file in files) + len(body.texts)
    count += len(body.uris) if counts_uris or not body.uris else 1
    if not 1 <= count <= most:
        raise InvalidInput("documents", count, f"1 to {most} in a request (setting api_documents)")
    return body, files


def _object(name: str, text: str) -> Any:
    """Return the JSON in a form's field."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise InvalidInput(name, text, "a JSON object of fields and their values") from error


def _submit(
    api: Api,
    caller: Caller,
    request: Request,
    body: Any,
    files: list[UploadFile],
    incoming: Incoming,
    key: str | None,
) -> JobRecord:
    collection = caller.collection(body.collection or "default")
    priority: Priority = body.priority or "normal"
    terms = terms_of(request, caller, priority=priority, webhook=body.webhook, tags=body.tags)
    profile = named_profile(body.profile) if body.profile else None
    api.service.documents.check_metadata(collection, body.metadata or NO_METADATA)
    with admitted(api, caller, key) as named:  # before anything is stored for it
        if caller.reads_paths and body.uris:
            incoming.add_places(body.uris)
        documents = taken_documents(body.texts, () if caller.reads_paths else body.uris, files, incoming)
        options = {*ChunkSizes.model_fields, *ReadingOptions.model_fields}
        fields: dict[str, Any] = body.model_dump(include=options, exclude_none=True)
        if profile:
            fields["profile"] = api.service.documents.keep_profile(profile)
        documents = tuple(document.model_copy(update=fields) for document in documents)
        label = label_of(incoming.places or (document.uri for document in documents))
        incoming.listing.check_left(len(documents))
        return api.service.documents.submit_batch(documents, collection, named, label=label, terms=terms)


def taken_documents(
    texts: Sequence[TextDocument], uris: Sequence[str], files: Sequence[UploadFile], incoming: Incoming
) -> tuple[DocumentParams, ...]:
    """Return the documents of a request, each with its sidecar's metadata."""
    for uri in uris:
        incoming.add_uri(uri)
    for nth, text in enumerate(texts):
        incoming.add_text(text, f"texts.{nth}")
    for file in sorted(files, key=lambda file: not _may_be_sidecar(file)):  # sidecars first
        incoming.add_file(file)
    incoming.refuse_sidecars()
    if not incoming.documents:
        raise no_document("documents", None, [each.refusal for each in incoming.refused])
    return incoming.documents


def _may_be_sidecar(file: UploadFile) -> bool:
    name = file.filename or ""
    return is_sidecar(name) or is_almost_sidecar(name)


@serves(router, AsyncDocuments.list)
def list_documents(
    api: Api, caller: Caller, cursor: str, limit: int, prefix: str, which: DocumentFilter
) -> DocumentPage:
    """Return a page of documents."""
    collection, where = which.get("collection"), which.get("where", "")
    if collection is None and caller.collections is not None:
        raise InvalidInput("collection", None, "one of: " + ", ".join(sorted(caller.collections)))
    documents, following = api.service.documents.page(
        None if collection is None else caller.collection(collection),
        q=which.get("q", ""),
        sort=which.get("sort", "id"),
        cursor=cursor,
        limit=limit,
        prefix=prefix,
        where=parse_filter(where) if where.strip() else None,
        principals=caller.principals,
    )
    if caller.principals is not None:
        documents = [document.as_live for document in documents]
    return DocumentPage(documents=documents, next=following)


@serves(router, AsyncDocuments.facets)
def count_documents(api: Api, caller: Caller, collection: str, where: str) -> DocumentFacets:
    """Return counts of a collection's documents."""
    within = caller.collection(collection)
    meant = parse_filter(where) if where.strip() else None
    return api.service.documents.facets(within, meant, caller.principals)


@serves(router, AsyncDocuments.change_metadata, 404)
def change_metadata(
    api: Api,
    caller: Caller,
    documents: Sequence[str],
    collection: str | None,
    where: str | dict[str, Any] | None,
    set: Mapping[str, Value],  # noqa: A002 - its name on the wire
    unset: Sequence[str],
    if_match: str | None,
) -> MetadataEdited:
    """Change metadata of documents, selected by id or by a filter."""
    check_meant(documents, collection, where)
    change = MetadataChange(values=dict(set), unset=tuple(checked_field_name(name) for name in unset))
    if documents:
        there = api.service.documents.of(documents)
        known = [caller.document(there.get(name), name) for name in dict.fromkeys(documents)]
        if if_match is not None:
            return MetadataEdited(changed=_change_seen(api, known, change, if_match))
        return MetadataEdited(changed=api.service.documents.change_metadata(known, change))
    if if_match is not None:
        raise InvalidInput("if_match", if_match, _OF_ONE)
    if collection is None:
        raise InvalidInput("collection", None, "a collection's name, since a filter is given")
    meant = parse_filter(where) if isinstance(where, str) else filter_of_json(where)
    within = caller.collection(collection)
    changed = api.service.documents.change_metadata_of(within, meant, change)
    return MetadataEdited(changed=changed)


def _change_seen(api: Api, known: Sequence[Document], change: MetadataChange, if_match: str) -> int:
    if len(known) > 1:
        raise InvalidInput("if_match", if_match, _OF_ONE)
    (document,) = known
    what = f"document {document.id}"
    unchanged(if_match, what)(document)
    changed = api.service.documents.change_metadata(known, change, as_read=document)
    if not changed:
        raise edited_since(what)
    return changed


@serves(router, AsyncDocuments.get, 404, tagged=True)
def show_document(api: Api, caller: Caller, response: Response, document_id: str) -> Document:
    """Return a document."""
    document = seen_document(api, caller, document_id)
    response.headers["ETag"] = etag_of(document)
    return document


@serves(router, AsyncDocuments.delete_where, 404, 409, 429, status=202, responses=ENDED)
async def delete_documents(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    collection: str,
    where: str,
    key: str | None,
    wait: float,
) -> Job:
    """Submit the job that deletes the documents that match a filter."""
    if not where.strip():
        message = (
            "`where` is empty, which would mean every document: `DELETE /v1/collections/{name}` "
            "(`hopline collections delete`) deletes a collection"
        )
        raise InvalidInput("where", where, "a filter on metadata", message=message)
    kind, params = "delete_documents", DeletionParams(where=parse_filter(where)).model_dump(mode="json")

    def submit() -> JobRecord:
        done = submitted(api, caller, kind, collection, params, key)
        if done is not None:
            return done
        api.service.collections.require(caller.collection(collection), caller.sees)
        return submit_kind(api, request, caller, kind, collection, params, key)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


@serves(router, AsyncDocuments.delete, 404, 409, 429, status=202, responses=ENDED)
async def delete_document(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    document_id: str,
    key: str | None,
    wait: float,
    *,
    erase: bool,
) -> Job:
    """Submit the job that deletes a document."""
    params: Json = {"document_id": document_id} | ({"erase": True} if erase else {})

    def submit() -> JobRecord:
        if caller.principals is not None:
            seen_document(api, caller, document_id)
            raise Problem(
                403, "this key is limited to certain principals, but deleting a document affects everyone"
            )
        done = submitted(api, caller, "delete", None, params, key)
        if done is not None:
            return done
        home = api.service.documents.home(document_id) if erase else None
        if home is None or not caller.sees(home):
            home = caller.document(api.service.documents.find(document_id), document_id).collection
        return submit_kind(api, request, caller, "delete", home, params, key)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


@serves(router, AsyncDocuments.text, 404)
def document_text(
    api: Api, caller: Caller, document_id: str, start: int, end: int | None, known_at: str | None
) -> Passage:
    """Return an excerpt of a document's text."""
    if known_at is not None:
        then = _then(api, caller, document_id, known_at)
        return api.service.documents.text(document_id, start, end, then)
    seen_document(api, caller, document_id)
    passage = api.service.documents.text(document_id, start, end)
    if caller.principals is not None:  # it may have become another text, for others
        return passage.model_copy(update={"document": seen_document(api, caller, document_id)})
    return passage


def meant_document(api: Api, caller: Caller, document_id: str, known_at: str | None) -> Document:
    """Return a document that the caller may see, now or at an earlier time.

    Raises:
        NotFound: it does not exist, or the caller may not see it.
        InvalidInput: the version that was live then is not kept.
    """
    if known_at is None:
        return seen_document(api, caller, document_id)
    return api.service.documents.at(document_id, _then(api, caller, document_id, known_at))


def _then(api: Api, caller: Caller, document_id: str, known_at: str) -> Then:
    moment = read_moment(known_at)
    if caller.principals is None:
        home = api.service.documents.home(document_id)
    else:
        home = seen_document(api, caller, document_id).collection
    if home is None or not caller.sees(home):
        raise NotFound(f"no document {document_id}")
    return Then(moment, home, caller.principals)
