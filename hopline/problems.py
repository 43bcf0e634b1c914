"""Turns the API's problems (RFC 9457) into the errors that the broker's calls raise."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import httpx2

from hopline.errors import (
    AccessDenied,
    Conflict,
    DependencyAway,
    EditConflict,
    HoplineError,
    InvalidInput,
    KeyReused,
    NoDocuments,
    NotFound,
    NotTheApi,
    Permanent,
    StateConflict,
    TooManyJobs,
    Transient,
)

_SHOWN = 4000  # characters: a sentence of the API's is kept whole, what to do stands at its end
_KEY = "Idempotency-Key"  # a 409 that names it is another request's; any other does not fit what is there
PARAMETERS = "parameters."  # a question's are fields of their own for callers


_KINDS: dict[int, type[HoplineError]] = {
    401: AccessDenied,
    403: AccessDenied,
    404: NotFound,
    409: Conflict,
    412: EditConflict,
}
_WAITING: dict[int, type[Transient]] = {
    429: TooManyJobs,
    502: DependencyAway,
    503: DependencyAway,
    504: DependencyAway,
}


def error_of(response: httpx2.Response) -> HoplineError:
    """Return the error that a response means, as the same call raises it over the broker."""
    status, problem = response.status_code, _read_problem(response)
    after = _seconds(response.headers.get("retry-after"))
    if problem is None:
        return _unknown(response, after)
    detail = f"{problem.get('detail') or problem.get('title') or status}"[:_SHOWN]
    if waiting := _WAITING.get(status):
        return waiting(detail, retry_after=after)
    kind, first = _KINDS.get(status), _first(problem)
    if kind is Conflict and first.get("field") == _KEY:
        return KeyReused(unquote(str(first.get("value", ""))))  # as `key_header` has quoted it
    if first and kind in (Conflict, None):
        return _invalid(first, detail, StateConflict if kind else InvalidInput)
    if kind is NotFound and first.get("field") == "collection":
        return NoDocuments(str(first.get("value", "")), None, message=detail)
    request = f"(request {problem.get('request_id', 'without an id')})"
    return kind(detail) if kind else Permanent(f"{detail} {request}")


def _read_problem(response: httpx2.Response) -> dict[str, Any] | None:
    try:
        problem = response.json()
    except ValueError:
        return None
    return problem if isinstance(problem, dict) and ("detail" in problem or "title" in problem) else None


def _unknown(response: httpx2.Response, after: float | None) -> HoplineError:
    place, status = response.request.url.copy_with(query=None), response.status_code
    if status in _WAITING:
        return _WAITING[status](f"{place} answers {status}", retry_after=after)
    return NotTheApi(f"{place} answers {status} and no problem details: is it hopline's API?")


def _first(problem: dict[str, Any]) -> dict[str, Any]:
    errors = problem.get("errors")
    return errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}


def _invalid(first: dict[str, Any], detail: str, kind: type[InvalidInput]) -> InvalidInput:
    name = str(first.get("field", "input")).removeprefix(PARAMETERS)
    field = "key" if name == _KEY else name
    allowed = str(first.get("allowed", "another value"))
    # A sentence of its own is kept; in one made of field, value and allowed the field has another name here.
    is_made = detail.startswith(f"{first.get('field')} is ") and detail.endswith(f" {allowed}")
    message = "" if is_made else detail
    return kind(field, first.get("value"), allowed, message=message)


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:  # a date: our API sends none
        return None
