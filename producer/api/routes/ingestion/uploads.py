"""Routes for uploads: files of a client's machine, for batches and estimates; for administrators."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from hopline.aio.uploads import AsyncUploads
from hopline.errors import InvalidInput
from hopline.models.documents import DocumentReport
from hopline.models.formats import is_archive
from hopline.models.uploads import LocalFile, StoredFiles, UploadPart
from hopline.sidecars import is_almost_sidecar, is_sidecar
from producer.api.context import Api
from producer.api.serving import serves
from producer.api.uploads import Incoming
from workers.sources.formats import FORMATS
from workers.sources.uploads import UploadedDocument, UploadedPart, put_part

router = APIRouter()

_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}}
                    },
                    "required": ["files"],
                }
            }
        },
    }
}


@serves(router, AsyncUploads.add)
def add_files(
    api: Api, files: Sequence[LocalFile], after: str | None, refused: Sequence[DocumentReport]
) -> UploadPart:
    """If all files are there, count their documents; else list the missing files."""
    _check_count(api, sum(not is_sidecar(file.name) for file in files))
    blobs = api.service.blobs
    stored = {file: f"{file.sha256}{_suffix(file.name)}" for file in files}
    missing = [file.sha256 for file in files if not blobs.has(stored[file])]
    if missing:
        return UploadPart(missing=tuple(dict.fromkeys(missing)))
    incoming, sizes = Incoming(blobs, api.settings, code=True), dict[str, int]()
    for file in sorted(files, key=lambda file: not (is_sidecar(file.name) or is_almost_sidecar(file.name))):
        with blobs.open(stored[file]) as opened:
            sizes[file.name] = opened.seek(0, io.SEEK_END)
            opened.seek(0)
            incoming.add_file(UploadFile(opened, size=sizes[file.name], filename=file.name))
    incoming.refuse_sidecars()
    places = [(report.uri, report.error or "") for report in (*refused, *incoming.refused)]
    documents = tuple(
        UploadedDocument(place=place, document=document, size=sizes.get(place))
        for document in incoming.documents
        for place in (document.name or document.uri,)
    )
    part = UploadedPart(after=after, documents=documents, refused=tuple(places))
    return UploadPart(reference=put_part(blobs, part), documents=len(documents))


@serves(router, AsyncUploads.store, 413, 415, openapi_extra=_FORM)
async def store_files(api: Api, request: Request) -> StoredFiles:
    """Store the files of a form."""
    form = await request.form(max_files=2 * api.settings.api_documents + 1, max_fields=0)
    files = [value for name, value in form.multi_items() if name == "files" and isinstance(value, UploadFile)]
    _check_count(api, sum(not is_sidecar(file.filename or "") for file in files))
    for file in files:
        await run_in_threadpool(api.service.blobs.put_file, file.file, _suffix(file.filename or ""))
    return StoredFiles(files=len(files))


def _check_count(api: Api, count: int) -> None:
    most = api.settings.api_documents
    if not 1 <= count <= most:
        raise InvalidInput("files", count, f"1 to {most} in a request (setting api_documents)")


def _suffix(name: str) -> str:
    """Return the suffix for a file in the blob store."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix in FORMATS or is_archive(name) else ""
