"""Addresses of result pages that were moved from Redis to the blob store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import orjson

from workers.core.ports import Blobs

_NAMED = 500  # pages that an item's input or an outcome names; more are a list
_LIST = ".pages"  # how the reference of such a list ends


def fold_pages(blobs: Blobs, references: Sequence[str]) -> str:
    """Store a list of pages; return one reference to it."""
    return blobs.put(orjson.dumps(list(references)), _LIST)


def are_many(references: Sequence[str]) -> bool:
    """Return whether so many pages are named by a list."""
    return len(references) > _NAMED


def unfold_pages(blobs: Blobs, references: Iterable[str]) -> Iterator[str]:
    """Yield the references of pages, those of lists among them."""
    for reference in references:
        if reference.endswith(_LIST):
            yield from orjson.loads(blobs.get(reference))
        else:
            yield reference
