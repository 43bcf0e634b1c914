"""Routes for documents: ingest, list, show, delete."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from hopline.errors import InvalidInput, no_document
from hopline.models.collections import CollectionName
from hopline.models.documents import (
    Document,
    DocumentFacets,
    DocumentJob,
    DocumentPage,
    MetadataEdited,
    Taken,
)
from hopline.models.jobs import Job, Json
from hopline.models.metadata import checked_name as checked_field_name
from hopline.models.params import ChunkSizes
from producer.api.access import Caller, Reader, Submitter, seen_document
from producer.api.admission import admitted
from producer.api.context import Api, ApiContext
from producer.api.openapi import not_null
from producer.api.problems import Problem, documented
from producer.api.schemas import DocumentsRequest, MetadataEdit
from producer.api.submission import Key, Wait, respond_with_job, submit_kind, terms_of
from producer.api.uploads import Incoming
from producer.service.documents import label_of
from producer.service.metadata.edits import check_meant
from workers.core.graph.document_pages import DocumentOrder
from workers.core.ids import child_job_id
from workers.core.jobs.params import DocumentParams
from workers.core.json_objects import unrepeated
from workers.core.metadata.changes import MetadataChange
from workers.core.metadata.filter_text import filter_of_json, parse_filter
from workers.flows.batch import documents_phase
from workers.ingest.profile.profile import named_profile
from workers.ledger.records import JobRecord
from workers.sources.sidecars import is_almost_sidecar, is_sidecar

router = APIRouter(tags=["documents"])

DocumentId = Annotated[str, Path(max_length=200, examples=["d0"])]
_FORM = "multipart/form-data"
_LONGEST_WHERE = 4_000  # characters; an address that is longer, encoded, is not read at all
Where = Annotated[
    str,
    Query(
        max_length=_LONGEST_WHERE,
        description="A filter on metadata, in the language or as JSON.",
        examples=['tags has "contract" and date >= 2024-01-01'],
    ),
]
_FIELDS = frozenset(DocumentsRequest.model_fields) - {"texts", "uris"}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/DocumentsRequest"}},
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
                            for name, schema in DocumentsRequest.model_json_schema()["properties"].items()
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


@router.post(
    "/v1/documents",
    status_code=202,
    openapi_extra=_BODY,
    responses={200: {"model": Taken, "description": "All have ended."}, **documented(409, 413, 415, 429)},
)
async def submit_documents(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    key: Key = None,
    wait: Wait = 0,
) -> Taken:
    """Submit documents: files, texts, or addresses in a store that the server may read.

    The answer names a job per document and the batch job that they belong to. The same content again changes
    nothing and calls no model.
    """
    body, files = await read_documents(api, request)
    incoming = Incoming(api.service.blobs, api.settings, body.metadata)
    try:
        record = await run_in_threadpool(_submit, api, caller, request, body, files, incoming, key)
    finally:
        for file in files:
            await file.close()
    batch = await respond_with_job(api, request, response, record, wait)
    phase = documents_phase(incoming.documents, 1)
    jobs = [
        DocumentJob(uri=document.uri, job_id=child_job_id(record.job.id, item.id))
        for document, item in zip(incoming.documents, phase.items, strict=True)
    ]
    return Taken(batch=batch, documents=jobs, refused=incoming.refused)


async def read_documents(api: Api, request: Request) -> tuple[DocumentsRequest, list[UploadFile]]:
    """Return a request's body, in either of its forms.

    Raises:
        Problem: it has another form.
        InvalidInput: more documents than one request may bring.
        ValidationError: a field that does not fit.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    most = api.settings.api_documents
    if kind == "application/json":
        body, files = DocumentsRequest.model_validate_json(await request.body()), []
    elif kind == _FORM:
        form = await request.form(max_files=2 * most + 1, max_fields=len(_FIELDS) + 1)
        files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        pairs = [(name, value) for name, value in form.multi_items() if not isinstance(value, UploadFile)]
        fields = unrepeated(pairs)
        for name in fields.keys() & {"texts", "uris"}:
            raise InvalidInput(name, fields[name], "in application/json; a form brings files")
        body = DocumentsRequest.model_validate(fields)
    else:
        raise Problem(415, f"send application/json or {_FORM}, not {kind or 'a body without a type'}")
    count = sum(not is_sidecar(file.filename or "") for file in files) + len(body.texts) + len(body.uris)
    if not 1 <= count <= most:
        raise InvalidInput("documents", count, f"1 to {most} in a request (setting api_documents)")
    return body, files


def _submit(
    api: Api,
    caller: Caller,
    request: Request,
    body: DocumentsRequest,
    files: list[UploadFile],
    incoming: Incoming,
    key: str | None,
) -> JobRecord:
    collection = caller.collection(body.collection)
    terms = terms_of(request, caller, priority=body.priority, webhook=body.webhook, tags=body.tags)
    profile = named_profile(body.profile) if body.profile else None
    api.service.documents.check_metadata(collection, body.metadata)
    with admitted(api, caller, key) as named:  # before anything is stored for it
        documents = taken_documents(body, files, incoming)
        fields: dict[str, Any] = body.model_dump(include=set(ChunkSizes.model_fields))
        if profile:
            fields["profile"] = api.service.documents.keep_profile(profile)
        documents = tuple(document.model_copy(update=fields) for document in documents)
        label = label_of(document.uri for document in documents)
        return api.service.documents.submit_batch(documents, collection, named, label=label, terms=terms)


def taken_documents(
    body: DocumentsRequest, files: list[UploadFile], incoming: Incoming
) -> tuple[DocumentParams, ...]:
    """Return the documents of a request, each with what its sidecar says."""
    for uri in body.uris:
        incoming.add_uri(uri)
    for nth, text in enumerate(body.texts):
        incoming.add_text(text, f"texts.{nth}")
    for file in sorted(files, key=lambda file: not _may_be_sidecar(file)):  # sidecars first
        incoming.add_file(file)
    incoming.refuse_sidecars()
    if not incoming.documents:
        raise no_document(
            "documents", None, [(refusal.uri, refusal.error or "") for refusal in incoming.refused]
        )
    return incoming.documents


def _may_be_sidecar(file: UploadFile) -> bool:
    name = file.filename or ""
    return is_sidecar(name) or is_almost_sidecar(name)


@router.get("/v1/documents", responses=documented())
def list_documents(
    api: ApiContext,
    caller: Reader,
    collection: CollectionName | None = None,
    q: Annotated[
        str,
        Query(
            max_length=200,
            description="Words that the title or address must contain, all of them, in any case.",
        ),
    ] = "",
    sort: Annotated[DocumentOrder, Query(description="Text is sorted ascending, numbers descending.")] = "id",
    cursor: Annotated[str, Query(max_length=1000)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    where: Where = "",
) -> DocumentPage:
    """List documents, by default ordered by id; filtering and other orders need a collection."""
    if collection is None and caller.collections is not None:
        raise InvalidInput("collection", None, "one of: " + ", ".join(sorted(caller.collections)))
    within = None if collection is None else caller.collection(collection)
    meant = parse_filter(where) if where.strip() else None
    documents, following = api.service.documents.page(
        within, q=q, sort=sort, cursor=cursor, limit=limit, where=meant, principals=caller.principals
    )
    if caller.principals is not None:
        documents = [document.as_live for document in documents]
    return DocumentPage(documents=documents, next=following)


@router.get("/v1/documents/facets", responses=documented())
def count_documents(
    api: ApiContext, caller: Reader, collection: CollectionName, where: Where = ""
) -> DocumentFacets:
    """Count a collection's documents by tag and by year, the 20 most frequent of each."""
    within = caller.collection(collection)
    meant = parse_filter(where) if where.strip() else None
    return api.service.documents.facets(within, meant, caller.principals)


@router.patch("/v1/documents", responses=documented(404))
def change_metadata(api: ApiContext, caller: Submitter, edit: MetadataEdit) -> MetadataEdited:
    """Change fields of documents at once; all is checked before the first is changed."""
    check_meant(edit.documents, edit.collection, edit.where)
    change = MetadataChange(values=edit.values, unset=tuple(checked_field_name(name) for name in edit.unset))
    if edit.documents:
        there = api.service.documents.of(edit.documents)
        documents = [caller.document(there.get(name), name) for name in dict.fromkeys(edit.documents)]
        return MetadataEdited(changed=api.service.documents.change_metadata(documents, change))
    if edit.collection is None:
        raise InvalidInput("collection", None, "a collection's name, where a filter is given")
    where = parse_filter(edit.where) if isinstance(edit.where, str) else filter_of_json(edit.where)
    within = caller.collection(edit.collection)
    changed = api.service.documents.change_metadata_of((), within, where, change)
    return MetadataEdited(changed=changed)


@router.get("/v1/documents/{document_id}", responses=documented(404))
def show_document(api: ApiContext, caller: Reader, document_id: DocumentId) -> Document:
    """Show a document."""
    return seen_document(api, caller, document_id)


@router.delete(
    "/v1/documents/{document_id}",
    status_code=202,
    responses={200: {"model": Job, "description": "It has ended."}, **documented(404, 409, 429)},
)
async def delete_document(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    document_id: DocumentId,
    key: Key = None,
    wait: Wait = 0,
    *,
    erase: Annotated[bool, Query(description="With all of its versions that are kept.")] = False,
) -> Job:
    """Delete a document and everything that only it holds.

    Where versions are kept, the one that was live is; with `erase` none is, and those that are kept go too.
    """
    params: Json = {"document_id": document_id} | ({"erase": True} if erase else {})

    def submit() -> JobRecord:
        done = _deleting(api, caller, params, key)
        if done is not None:
            return done
        home = api.service.documents.home(document_id) if erase else None
        if home is None or not caller.sees(home):
            home = caller.document(api.service.documents.find(document_id), document_id).collection
        return submit_kind(api, request, caller, "delete", home, params, key)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


def _deleting(api: Api, caller: Caller, params: Json, key: str | None) -> JobRecord | None:
    """Return the job of the same earlier request, whose document may be gone by now."""
    record = api.service.jobs.of_key(caller.id, key) if key is not None else None
    same = record is not None and record.job.params == params
    return record if same else None
