"""Turns every error into an RFC 9457 problem: what is wrong, where, and what is allowed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import structlog
from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from redis.exceptions import RedisError
from starlette.exceptions import HTTPException

from hopline.allowed_values import allowed_in_words
from hopline.errors import (
    Conflict,
    Deferred,
    EditConflict,
    InvalidInput,
    KeyReused,
    NoDocuments,
    NotFound,
    Permanent,
    Transient,
)
from hopline.models.problems import FieldError, ProblemDetails
from hopline.secrets import scrubbed

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger()

LOGGED = "the server's log says more under this request's id"
MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = 2
_SHOWN = 120  # characters of a value
_ERRORS = 20  # fields that are named
# How errors of adapters begin → the server.
_SERVERS = {
    "Neo4j ": "Neo4j",
    "vectors: ": "the vectors' server",
    "the model ": "the model",
    "the account ": "the model",
}
# Addresses whose clients look for an error in a member `error`, too.
_READ_BY_OPENAI = ("/v1/chat/completions", "/v1/models")
TITLES = {
    400: ("bad-request", "The request cannot be read"),
    401: ("unauthorized", "An API key is needed"),
    403: ("forbidden", "The API key does not allow this"),
    404: ("not-found", "Not found"),
    405: ("method-not-allowed", "The address does not take this method"),
    408: ("too-slow", "The request body arrived too slowly"),
    409: ("conflict", "It does not fit what is there"),
    412: ("changed-since", "Somebody changed it since it was read"),
    413: ("too-large", "The request is too large"),
    415: ("unsupported-media-type", "The body's type is not taken"),
    422: ("invalid-input", "A value is not allowed"),
    429: ("too-many-jobs", "Too many jobs are in flight"),
    500: ("unexpected", "Something went wrong that should not"),
    503: ("unavailable", "Work cannot be taken now"),
}

# What a caller does about each, for docs/errors.md.
REMEDIES = {
    400: "Send JSON that parses, and headers that the OpenAPI document allows.",
    401: "Send `Authorization: Bearer hop_…` with a key of `hopline keys create`.",
    403: "Use a key with the scope and collections that the request needs; `hopline keys` lists them.",
    404: "Check the address, and the name or id in it; a key does not find what it may not see.",
    405: "Use a method that the header `Allow` names.",
    408: "Send the body without pauses: see `HOPLINE_API_BODY_SILENCE` and `HOPLINE_API_BODY_RATE`.",
    409: "Read the object again and decide by its state; with another body, use another `Idempotency-Key`.",
    412: "Read the object again, and send its new `ETag` as `If-Match` with your change.",
    413: "Send less at once: several requests, or `hopline ingest` for many files.",
    415: "Send `Content-Type: application/json`, or a form where files are uploaded.",
    422: "Change the field that `errors` names to what its `allowed` says.",
    429: "Wait as long as `Retry-After` says, or until some of the key's jobs have ended.",
    500: "Look into the server's log for the `request_id`, and report what is there.",
    503: "Try again after `Retry-After`; `hopline status` says what is away.",
}


class Problem(Exception):
    """An error of the API's own.

    Args:
        status: HTTP status.
        detail: a sentence for people: what is wrong and what to do.
        retry_after: seconds until the request may be repeated.
    """

    def __init__(self, status: int, detail: str, *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.retry_after = retry_after


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the problem responses of a route for its documentation, including those of every route."""
    return {
        status: {
            "description": TITLES[status][1],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
        }
        for status in sorted({*statuses, 400, 401, 403, 422, 503})
    }


def handle_errors(app: FastAPI) -> None:
    """Turn every error of a route into a problem; `app.state.methods` has the methods of each path."""
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)


async def _own(request: Request, error: Problem) -> JSONResponse:
    return problem(request, error.status, str(error), retry_after=error.retry_after)


async def _http(request: Request, error: HTTPException) -> JSONResponse:
    status = error.status_code if error.status_code in TITLES else 400
    headers = dict(error.headers or {})
    if status == 405:  # noqa: PLR2004 - HTTP's; frameworks tell the methods of the first route alone
        headers["Allow"] = ", ".join(request.app.state.methods(request.url.path)) or headers.get("allow", "")
    return problem(request, status, str(error.detail), headers=headers)


async def _invalid(request: Request, error: RequestValidationError | ValidationError) -> JSONResponse:
    """Name each invalid field with its value and what is allowed."""
    details = error.errors()
    if any(detail["type"] == "json_invalid" for detail in details):
        return problem(
            request, 400, "the body is not JSON: " + str(details[0].get("ctx", {}).get("error", ""))
        )
    if (kind := _foreign_type(request)) is not None and any(each["loc"][:1] == ("body",) for each in details):
        return problem(request, 415, f"send application/json, not {kind or 'a body without a media type'}")
    errors = [field_error(detail) for detail in details[:_ERRORS]]
    return problem(request, 422, errors[0].sentence, errors=errors)


def _foreign_type(request: Request) -> str | None:
    """Return the type of a body that is not JSON; "" if it has none, and None if it is JSON or no body."""
    if request.headers.get("content-length", "0") == "0" and "transfer-encoding" not in request.headers:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return None if kind == "application/json" or kind.endswith("+json") else kind


async def _reused(request: Request, error: KeyReused) -> JSONResponse:
    key = request.headers.get("idempotency-key", error.value)
    refusal = FieldError(field="Idempotency-Key", value=_shown(key), allowed=error.allowed)
    return problem(request, 409, refusal.sentence, errors=[refusal])


async def _of_value(request: Request, error: InvalidInput) -> JSONResponse:
    refusal = _of_input(error)
    return problem(request, _status_of(error), error.message or refusal.sentence, errors=[refusal])


def _of_input(error: InvalidInput) -> FieldError:
    return FieldError(field=error.field, value=_shown(error.value), allowed=error.allowed)


async def _no_documents(request: Request, error: NoDocuments) -> JSONResponse:
    refusal = FieldError(field="collection", value=_shown(error.collection), allowed=error.allowed)
    return problem(request, 404, str(error), errors=[refusal])


async def _refused(request: Request, error: NotFound | Conflict | Permanent) -> JSONResponse:
    return problem(request, _status_of(error), str(error))


def _status_of(error: Exception) -> int:
    if isinstance(error, EditConflict):
        return 412
    return 404 if isinstance(error, NotFound) else 409 if isinstance(error, Conflict) else 422


async def _away(request: Request, error: Exception) -> JSONResponse:
    detail = str(error)  # in a process of the caller's own, there is no log to look into
    if request.app.state.observed:
        log.warning("request.deferred", path=request.url.path, error=f"{type(error).__name__}: {error}"[:300])
        detail = _who_is_away(error)
    after = getattr(error, "retry_after", None) or _RETRY_SECONDS
    return problem(request, 503, detail, retry_after=max(1, round(after)))


def _who_is_away(error: Exception) -> str:
    """Name only the server; the driver's message contains addresses and goes to the log."""
    if isinstance(error, RedisError):
        return f"Redis does not take this now; {LOGGED}"
    server = next((name for start, name in _SERVERS.items() if str(error).startswith(start)), "")
    does = "does not answer, or not in time" if isinstance(error, Deferred) else "failed at this"
    return f"{server or 'a server that this needs'} {does}; {LOGGED}"


_HANDLERS: dict[type[Exception], Any] = {
    Problem: _own,
    HTTPException: _http,
    RequestValidationError: _invalid,
    ValidationError: _invalid,
    KeyReused: _reused,
    InvalidInput: _of_value,
    NoDocuments: _no_documents,
    NotFound: _refused,
    Conflict: _refused,
    Permanent: _refused,
    RedisError: _away,
    Transient: _away,
}


def problem(
    request: Request,
    status: int,
    detail: str,
    *,
    errors: list[FieldError] | None = None,
    retry_after: int | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """Return a problem as a response."""
    name, title = TITLES[status]
    details = ProblemDetails(
        type=f"urn:hopline:problem:{name}",
        title=title,
        status=status,
        detail=_readable(scrubbed(" ".join(detail.split()))),
        instance=_readable(request.url.path),
        request_id=str(request.scope.get("state", {}).get("request_id", "")),
        errors=errors or [],
    )
    sent = dict(headers or {})
    if status == 401:  # noqa: PLR2004 - HTTP's
        sent["WWW-Authenticate"] = 'Bearer realm="hopline"'
    if retry_after is not None:
        sent["Retry-After"] = str(retry_after)
    content = jsonable_encoder(details, exclude_defaults=False)
    if request.url.path.endswith(_READ_BY_OPENAI):
        content["error"] = {"message": details.detail, "type": name, "code": name}
    return JSONResponse(content, status, headers=sent, media_type=MEDIA_TYPE)


def field_error(detail: Any) -> FieldError:
    """Return a validation error in words."""
    place = [str(part) for part in detail["loc"] if part not in ("body", "query", "path", "header")]
    value = None if detail["type"] == "missing" else _shown(detail.get("input"))
    return FieldError(field=".".join(place) or "body", value=value, allowed=allowed_in_words(detail))


def _shown(value: object) -> Any:
    """Return a value for JSON; other types and long values become a text of bounded length."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        value = text = str(value)
    if len(text) <= _SHOWN and not isinstance(value, str):
        return value
    shown = _readable(value if isinstance(value, str) else text)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


def _readable(text: str) -> str:
    """Return a text that can be encoded, without unpaired surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


class UnexpectedErrors:
    """Turns unhandled errors into problems, inside the middleware that counts and names requests.

    Args:
        app: the app whose errors are handled.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; an error after the response has begun closes the connection."""
        begun = False

        async def tell(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, tell)
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            log.exception("request.crashed", path=scope["path"], error=type(error).__name__)
            response = problem(Request(scope), 500, LOGGED)
            await response(scope, receive, send)
