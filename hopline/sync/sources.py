# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""The places that requests may ingest from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from hopline.models.sources import SourceEntry, SourcePage
from hopline.operation import Cursor, operation
from hopline.sync.noun import Noun
from hopline.sync.paging import each


class Sources(Noun):
    """Places that batches, syncs and schedules may name."""

    @operation("GET", "/v1/sources", right="admin")
    def list(
        self,
        place: Annotated[
            str,
            Field(
                max_length=2000, description="The address of a folder.", examples=["s3://archive/contracts"]
            ),
        ] = "",
        *,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=500)] = 100,
    ) -> SourcePage:
        """List the places that batches, syncs and schedules may name, or the contents of a folder in one.

        Raises:
            InvalidInput: requests may not read this place, or it is not a readable folder.
        """
        raise NotImplementedError

    def iterate(self, place: str = "") -> Iterator[SourceEntry]:
        """Yield all places that batches, syncs and schedules may name, or the contents of a folder in one.

        Args:
            place: the address of a folder; by default, the places themselves.

        Raises:
            InvalidInput: as `list`.
        """
        return each(lambda cursor: self.list(place, cursor=cursor), lambda page: page.entries)
