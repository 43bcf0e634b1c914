"""Originals: the files that documents were read from, and pictures of their pages."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO

from hopline.errors import NotFound
from producer.service.backend import Part

if TYPE_CHECKING:
    from hopline.models.documents import Document, OriginalState
    from workers.ingest.reading.parse import Picture

_AGAIN = "ingest it again to keep its file"
_REASONS: dict[OriginalState | None, str] = {
    None: f"it was ingested before originals were kept: {_AGAIN}",
    "kept": f"its file is not in the store any more: {_AGAIN}",
    "turned off": "originals were turned off when it was ingested (setting HOPLINE_ORIGINALS_BYTES)",
    "too large": "its file is larger than those that are kept (setting HOPLINE_ORIGINAL_BYTES)",
    "no room": "there was no room for its file when it was ingested (setting HOPLINE_ORIGINALS_BYTES)",
    "no file": "it is a line of a list, which is no file of its own",
}


class Originals(Part):
    """The originals of documents."""

    def open(self, document: Document) -> BinaryIO:
        """Return the file of a document's version, which the caller closes.

        Raises:
            NotFound: it is not kept; the message says why.
        """
        name = document.original_file
        file = self._services.originals.open(name) if name else None
        if file is None:
            raise NotFound(f"no original of document {document.id}: {_REASONS[document.original]}")
        return file

    def picture(self, document: Document, page: int, width: int) -> Picture:
        """Return a page of a document as a picture; see `workers.ingest.reading.parse.draw_page`.

        Raises:
            NotFound: there is no such page, the file has no pages, or it is not kept.
            DocumentUnreadable: the page cannot be drawn.
            Deferred: too many pages are being drawn.
        """
        from workers.ingest.reading.parse import DRAWN, draw_page

        form = DRAWN.get(document.media_type or "")
        if form is None:
            kind = document.media_type or "of a kind that is not known"
            why = f"only pages of PDFs and pictures are drawn, and it is {kind}"
            raise NotFound(f"no picture of document {document.id}: {why}")

        key = (document.original_file, page, width)
        picture = self._drawn.get(key)
        if picture is None:
            with self.open(document) as file:
                picture = draw_page(file, page, width, self._services.settings.limits, form)
            self._drawn.put(key, picture)
        return picture

    @cached_property
    def _drawn(self) -> _Pictures:
        return _Pictures(self._services.settings.api_picture_bytes)


class _Pictures:
    """A cache of the latest pictures with a limited size, shared by threads.

    A cached picture never becomes outdated, because no two files have the same name.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, int, int], Picture] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, int, int]) -> Picture | None:
        with self._lock:
            if picture := self._kept.get(key):
                self._kept.move_to_end(key)
            return picture

    def put(self, key: tuple[str, int, int], picture: Picture) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = picture
            self._bytes += len(picture.png)
            while self._bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest.png)
