"""Routes for originals: the file of a document, and pictures of its pages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from io import SEEK_END
from pathlib import PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from hopline.aio.documents import AsyncDocuments
from hopline.errors import Deferred
from hopline.models.documents import Document
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.problems import Problem
from producer.api.routes.documents import meant_document
from producer.api.serving import serves
from workers.core.files import slices

router = APIRouter()

_DRAWING = 1  # of the way in which pictures are made: raised when it changes
_TEXT, _NUMBER = {"type": "string"}, {"type": "number"}
_UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "It is what the client has, by If-None-Match."}
}
_TAG = {"ETag": {"description": "Of these bytes, for If-None-Match.", "schema": _TEXT}}
_SIZE = {
    "Page-Width": {"description": "Of the page, in points.", "schema": _NUMBER},
    "Page-Height": {"description": "Of the page, in points.", "schema": _NUMBER},
}
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {"application/octet-stream": _BINARY}, "headers": _TAG},
    **_UNCHANGED,
}
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The page.", "content": {"image/png": _BINARY}, "headers": _TAG | _SIZE},
    **_UNCHANGED,
}


@serves(router, AsyncDocuments.original, 404, responses=_FILE, response_class=Response)
def show_original(
    request: Request, api: Api, caller: Caller, document_id: str, known_at: str | None
) -> Response:
    """Return the file of a document."""
    document = meant_document(api, caller, document_id, known_at)
    name = quote(PurePosixPath(document.uri).name or document.id, safe="")
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
    }
    media_type = document.media_type or "application/octet-stream"

    def send() -> Response:
        file = api.service.originals.open(document)
        size = {"Content-Length": str(file.seek(0, SEEK_END))}
        return StreamingResponse(_parts(file), headers=headers | size, media_type=media_type)

    return _tagged(request, document.original_file, send)


def _parts(file: BinaryIO) -> Iterator[bytes]:
    with file:
        file.seek(0)
        yield from slices(file)


@serves(router, AsyncDocuments.picture, 404, responses=_PICTURE, response_class=Response)
def show_picture(
    request: Request,
    api: Api,
    caller: Caller,
    document_id: str,
    page: int,
    width: int,
    known_at: str | None,
) -> Response:
    """Return a page of a document as a picture."""
    document = meant_document(api, caller, document_id, known_at)
    return _tagged(
        request,
        document.original_file and f"{document.original_file} {page} {width} {_DRAWING}",
        lambda: _picture(api, document, page, width),
    )


def _picture(api: Api, document: Document, page: int, width: int) -> Response:
    try:
        picture = api.service.originals.picture(document, page, width)
    except Deferred as error:
        raise Problem(503, f"{error}: ask again", retry_after=2) from error
    sizes = {"Page-Width": f"{picture.width:.2f}", "Page-Height": f"{picture.height:.2f}"}
    return Response(picture.png, headers=sizes, media_type="image/png")


def _tagged(request: Request, made_of: str, make: Callable[[], Response]) -> Response:
    """Return a response with its ETag, or an empty one if the client already has it.

    Args:
        request: may name the tags that the client has.
        made_of: identifies the bytes; "" if there are none, in which case `make` raises the reason.
        make: makes the response.
    """
    tag = f'"{hashlib.sha256(made_of.encode()).hexdigest()[:16]}"'
    known = [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]
    response = Response(status_code=304) if made_of and tag in known else make()
    # Who may see it may change: it is asked for each time, and kept by nobody for others.
    response.headers.update({"ETag": tag, "Cache-Control": "private, no-cache"})
    return response
