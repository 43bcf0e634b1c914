"""Pages of lists: opaque cursors, and links to the next page."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from fastapi import Request, Response

from hopline.errors import InvalidInput
from hopline.models.base import Page

Item = TypeVar("Item")
Pages = TypeVar("Pages", bound=Page)

LINK: dict[str, Any] = {
    "Link": {
        "description": 'The page that follows (RFC 8288), where there is one: <?cursor=…>; rel="next".',
        "schema": {"type": "string"},
    }
}


def opened(list_id: str, cursor: str) -> str:
    """Return the decoded content of a list's cursor; "" for the first page.

    Args:
        list_id: id of the operation that lists.
        cursor: the cursor in the request.

    Raises:
        InvalidInput: it is not a cursor of this list.
    """
    try:
        of, _, place = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(":")
    except (binascii.Error, ValueError):
        of, place = "", ""
    if cursor and of != list_id:
        raise InvalidInput("cursor", cursor, "the `next` of a page of the same list")
    return place


def linked(list_id: str, page: Pages, request: Request, response: Response) -> Pages:
    """Return a page for the response, with an opaque cursor and a header that links to the next page."""
    if not page.next:
        return page
    cursor = urlsafe_b64encode(f"{list_id}:{page.next}".encode()).decode().rstrip("=")
    query = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    # Relative to the request's own address, which a proxy may have changed.
    response.headers["Link"] = f'<?{urlencode([*query, ("cursor", cursor)])}>; rel="next"'
    return page.model_copy(update={"next": cursor})


def page_after(names: Sequence[str], cursor: str, limit: int) -> tuple[Sequence[str], str | None]:
    """Return a page of names and the cursor of the next page, which is the last name.

    Raises:
        InvalidInput: nothing with that name exists any more.
    """
    if cursor and cursor not in names:
        raise InvalidInput("cursor", cursor, "the `next` of a page whose last item still exists")
    rest = names[names.index(cursor) + 1 :] if cursor else names
    return rest[:limit], rest[limit - 1] if len(rest) > limit else None


def page_of(
    items: Sequence[Item], name_of: Callable[[Item], str], cursor: str, limit: int
) -> tuple[list[Item], str | None]:
    """Return a page of a complete list and the cursor of the next page; None at the end.

    Args:
        items: sorted by name.
        name_of: returns an item's name.
        cursor: the name of the previous page's last item; "" for the first page.
        limit: maximum number of items.
    """
    rest = [item for item in items if name_of(item) > cursor] if cursor else list(items)
    return rest[:limit], name_of(rest[limit - 1]) if len(rest) > limit else None
