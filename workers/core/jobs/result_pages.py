"""Result pages: results of very large phases, moved from Redis to the blob store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import orjson
from pydantic import TypeAdapter

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from workers.core.ports import Blobs

_LIST = ".pages"  # how the reference of such a list ends


class PageResult(Frozen):
    """The placeholder for a page in a phase's results, under the step PAGE."""

    reference: str  # blob of the page, or of a list of pages
    counts: dict[str, int]  # status -> items


class Entry(Frozen):
    """A finished item as stored in a page."""

    item: str  # id
    step: str
    status: str  # under which it is counted
    line: Json  # what the item's flow keeps of its result
    again: Json | None  # its input where a retry does it again, else None


_ENTRIES = TypeAdapter(tuple[Entry, ...])


def put_entries(blobs: Blobs, entries: Sequence[Entry]) -> str:
    """Store a page; return its reference."""
    return blobs.put(_ENTRIES.dump_json(tuple(entries)))


def get_entries(blobs: Blobs, page: str) -> tuple[Entry, ...]:
    """Return the entries of a page."""
    return _ENTRIES.validate_json(blobs.get(page), extra="ignore")


def fold_pages(blobs: Blobs, references: Sequence[str]) -> str:
    """Store a list of pages; return one reference to it."""
    return blobs.put(orjson.dumps(list(references)), _LIST)


def unfold_pages(blobs: Blobs, references: Iterable[str]) -> Iterator[str]:
    """Yield the references of pages, including those in lists."""
    for reference in references:
        if reference.endswith(_LIST):
            yield from orjson.loads(blobs.get(reference))
        else:
            yield reference
