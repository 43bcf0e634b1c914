"""Pages of lists: cursors that are opaque outside, and links to the page that follows."""

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
    """Return what a list made its cursor of; "" for the first page.

    Args:
        list_id: id of the operation that lists.
        cursor: as the request has it.

    Raises:
        InvalidInput: it is no cursor of this list.
    """
    try:
        of, _, place = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(":")
    except (binascii.Error, ValueError):
        of, place = "", ""
    if cursor and of != list_id:
        raise InvalidInput("cursor", cursor, "the `next` of a page of the same list")
    return place


def linked(list_id: str, page: Pages, request: Request, response: Response) -> Pages:
    """Return a page as sent: its cursor is opaque, and a header links to the page that follows."""
    if not page.next:
        return page
    cursor = urlsafe_b64encode(f"{list_id}:{page.next}".encode()).decode().rstrip("=")
    query = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    # Relative to the request's own address, which a proxy may have changed.
    response.headers["Link"] = f'<?{urlencode([*query, ("cursor", cursor)])}>; rel="next"'
    return page.model_copy(update={"next": cursor})


def page_after(names: Sequence[str], cursor: str, limit: int) -> tuple[Sequence[str], str | None]:
    """Return a page of names in any order, and the cursor of the next, which is the page's last name.

    Raises:
        InvalidInput: nothing has that name any more.
    """
    if cursor and cursor not in names:
        raise InvalidInput("cursor", cursor, "the `next` of a page whose last item still exists")
    rest = names[names.index(cursor) + 1 :] if cursor else names
    return rest[:limit], rest[limit - 1] if len(rest) > limit else None


def page_of(
    items: Sequence[Item], name_of: Callable[[Item], str], cursor: str, limit: int
) -> tuple[list[Item], str | None]:
    """Return a page of a list that is read whole, and the cursor of the next; None at the end.

    Args:
        items: sorted by name.
        name_of: returns an item's name.
        cursor: the name of the last item of the page before; "" begins.
        limit: items at most.
    """
    rest = [item for item in items if name_of(item) > cursor] if cursor else list(items)
    return rest[:limit], name_of(rest[limit - 1]) if len(rest) > limit else None
