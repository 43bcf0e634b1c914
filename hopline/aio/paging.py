"""Iterates over paged lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Page(Protocol):
    """One page of a list."""

    @property
    def next(self) -> str | None:
        """The cursor of the next page; None on the last."""


Listed = TypeVar("Listed", bound=Page)


async def each(
    fetch: Callable[[str], Awaitable[Listed]], items: Callable[[Listed], Iterable[Item]]
) -> AsyncIterator[Item]:
    """Yield the items of all pages; a page is fetched when the previous one has been read.

    Args:
        fetch: returns the page at a cursor; "" is the first.
        items: returns the items of a page.
    """
    cursor: str | None = ""
    while cursor is not None:
        page = await fetch(cursor)
        for item in items(page):
            yield item
        cursor = page.next or None
