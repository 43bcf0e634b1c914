"""The places that requests may ingest from."""

from __future__ import annotations

from typing import Literal

from hopline.models.base import Frozen, Page


class SourceEntry(Frozen):
    """A folder or a file."""

    name: str
    kind: Literal["folder", "file"]
    size: int | None = None  # bytes of a file, where the store tells
    address: str | None = None  # as batches and syncs name it; None where its name does not allow


class SourcePage(Page):
    """A page of entries, by name."""

    place: str  # the folder; "" for the places themselves
    entries: tuple[SourceEntry, ...]
    cut: bool = False  # the folder has more than 10,000 entries; the others are not listed
