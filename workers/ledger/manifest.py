"""A phase of many items: the list lies in the blob store in pages, Redis holds how far it was admitted."""

from __future__ import annotations

import orjson

from workers.core.model import Frozen
from workers.core.ports import Blobs
from workers.core.work import Item, Phase

PAGE = 100  # items that one script admits at most


class Manifest(Frozen):
    """A stored list of items."""

    reference: str
    size: int


class _Pages(Frozen):
    page: int
    references: tuple[str, ...]


def stow(blobs: Blobs, phase: Phase) -> tuple[Phase, Manifest | None]:
    """Return the phase as it can be opened: whole if it is small, else its first page and the manifest."""
    page = max(1, min(PAGE, phase.window // 2))  # a page is admitted when half the window is free
    if len(phase.items) <= max(page, min(phase.window, 2 * PAGE)):
        return phase, None
    references = tuple(
        blobs.put(orjson.dumps([item.model_dump() for item in phase.items[at : at + page]]))
        for at in range(0, len(phase.items), page)
    )
    stored = blobs.put(_Pages(page=page, references=references).model_dump_json().encode())
    first = phase.model_copy(update={"items": phase.items[:page]})
    return first, Manifest(reference=stored, size=len(phase.items))


def load_page(blobs: Blobs, manifest: str, cursor: int) -> tuple[Item, ...]:
    """Return the items that are admitted when the cursor stands here."""
    pages = _Pages.model_validate_json(blobs.get(manifest))
    found = orjson.loads(blobs.get(pages.references[cursor // pages.page]))
    return tuple(Item.model_validate(item) for item in found)
