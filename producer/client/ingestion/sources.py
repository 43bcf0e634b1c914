"""Client calls for what requests may ingest from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.client.part import Part

if TYPE_CHECKING:
    from hopline.models.sources import SourcePage


class Sources(Part):
    """Client calls for the places of HOPLINE_API_SOURCES; over HTTP with an administrator's key."""

    def sources(self, place: str = "", *, cursor: str = "", limit: int = 100) -> SourcePage:
        """Return a page of the places that requests may name documents in, or of a folder of one.

        Args:
            place: the address of a folder; the places themselves unless given.
            cursor: the `next` of the page before.
            limit: entries at most; over HTTP 500 and fewer.

        Raises:
            InvalidInput: requests may not read there, or there is no folder that can be read.
        """
        return self._link.sources.page(place, cursor=cursor, limit=limit)
