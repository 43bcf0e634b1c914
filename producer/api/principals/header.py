"""The header that names the principals of a request, and the routes that respect them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.principals import EVERYONE, checked_principals
from hopline.transport import ACT_AS_HEADER
from producer.api.problems import Problem
from producer.service.keys import ACT_AS, ApiKey

if TYPE_CHECKING:
    from starlette.datastructures import Headers

# A random text by which a browser that needs no key is known again: its conversations are its own.
BROWSER_HEADER = "Hopline-Browser"
# Routes that show who may see some documents nothing of the others. Every other one is refused to them, until
# it reads for principals and is named here; test_api_principals.py looks at what these show.
WITHIN_PRINCIPALS = frozenset(
    {
        ("POST", "/v1/queries"),
        ("POST", "/v1/queries/check"),
        ("POST", "/v1/chat/completions"),
        ("GET", "/v1/models"),
        ("GET", "/v1/search"),
        ("GET", "/v1/documents"),
        ("GET", "/v1/documents/facets"),
        ("GET", "/v1/documents/{document_id}"),
        ("DELETE", "/v1/documents/{document_id}"),
        ("GET", "/v1/documents/{document_id}/text"),
        ("GET", "/v1/documents/{document_id}/original"),
        ("GET", "/v1/documents/{document_id}/pages/{page}/picture"),
        ("GET", "/v1/collections"),
        ("GET", "/v1/jobs"),
        ("GET", "/v1/jobs/{job_id}"),
        ("DELETE", "/v1/jobs/{job_id}"),
        ("GET", "/v1/jobs/{job_id}/events"),
        ("POST", "/v1/jobs/{job_id}/retry"),
        ("POST", "/v1/jobs/{job_id}/replay"),
        ("POST", "/v1/jobs/{job_id}/replay/check"),
        ("GET", "/v1/sessions"),
        ("GET", "/v1/sessions/{session_id}"),
        ("DELETE", "/v1/sessions/{session_id}"),
        ("GET", "/v1/conversations"),
        ("GET", "/v1/conversations/{conversation_id}"),
        ("PATCH", "/v1/conversations/{conversation_id}"),
        ("DELETE", "/v1/conversations/{conversation_id}"),
        ("GET", "/v1/about"),
    }
)


def acting_as(headers: Headers, key: ApiKey) -> tuple[str, ...] | None:
    """Return the principals that a request names; None if it names none.

    Raises:
        Problem: they are not valid, or the key may not name any principals, or not these.
    """
    values = headers.getlist(ACT_AS_HEADER)
    if not values:
        return None
    if not key.may(ACT_AS):
        raise Problem(403, f"the key {key.name!r} lacks the scope {ACT_AS!r}, which {ACT_AS_HEADER} needs")
    try:
        named = ",".join(values).encode("latin-1").decode("utf-8")  # as frameworks read headers, and as sent
        principals = checked_principals(ACT_AS_HEADER, named)
    except (InvalidInput, UnicodeDecodeError) as error:
        raise Problem(422, str(error)) from error
    if key.principals is not None and (more := set(principals) - {*key.principals, EVERYONE}):
        raise Problem(403, f"the key {key.name!r} may not act as {', '.join(sorted(more))}")
    return principals
