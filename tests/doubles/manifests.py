"""Reads a stored list of items whole; the product admits it page by page."""

from collections.abc import Iterator

from hopline.errors import Conflict
from workers.core.jobs.manifest import load_page
from workers.core.jobs.work import Item
from workers.core.ports import Blobs


def pages_of(blobs: Blobs, manifest: str) -> Iterator[tuple[Item, ...]]:
    """Yield a stored list's items page by page, in order."""
    cursor = 0
    try:
        while page := load_page(blobs, manifest, cursor):
            yield page
            cursor += len(page)
    except Conflict:
        return
