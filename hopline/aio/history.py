"""History: ended jobs, even expired ones, and what they cost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Unpack

from pydantic import Field, StringConstraints

from hopline.aio.noun import AsyncNoun
from hopline.aio.paging import each
from hopline.allowed_values import InWords
from hopline.models.collections import CollectionName
from hopline.models.history import (
    CostGroup,
    Costs,
    HistoryErased,
    HistoryFilter,
    HistoryOrder,
    HistoryPage,
    HistoryRow,
)
from hopline.operation import Cursor, operation

_Sort = Annotated[HistoryOrder, Field(description="Sort order: newest first, or largest first.")]


class AsyncHistory(AsyncNoun):
    """The history of ended jobs."""

    @operation("GET", "/v1/history", right="read")
    async def list(
        self,
        *,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        sort: _Sort = "ended",
        **which: Unpack[HistoryFilter],
    ) -> HistoryPage:
        """List ended jobs, even expired ones, newest first.

        A key sees its own jobs; an admin key sees all.

        Raises:
            InvalidInput: a value is not valid, or the filter `where` cannot be read.
        """
        raise NotImplementedError

    def iterate(
        self, *, sort: HistoryOrder = "ended", **which: Unpack[HistoryFilter]
    ) -> AsyncIterator[HistoryRow]:
        """Yield all ended jobs that `list` lists."""
        return each(
            lambda cursor: self.list(cursor=cursor, limit=200, sort=sort, **which),
            lambda page: page.jobs,
        )

    @operation("GET", "/v1/history/costs", right="read")
    async def costs(
        self,
        *,
        by: Annotated[CostGroup, Field(description="What to group the sums by.")] = "day",
        **which: Unpack[HistoryFilter],
    ) -> Costs:
        """Sum the costs of ended jobs by day (UTC), API key, collection, kind or model.

        Raises:
            InvalidInput: a value is not valid, or the filter `where` cannot be read.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/history", right="admin")
    async def erase(
        self,
        *,
        collection: Annotated[
            CollectionName | None, Field(description="Erase all rows of this collection.")
        ] = None,
        document: Annotated[
            Annotated[str, StringConstraints(min_length=3, max_length=1000), InWords("3 to 1,000 characters")]
            | None,
            Field(description="Erase all texts that contain this name, id or address; numbers stay."),
        ] = None,
    ) -> HistoryErased:
        """Erase a collection, or everything that names a document, from the history and the kept versions.

        Earlier backups still contain it, and a job that ends later adds it again.

        Raises:
            InvalidInput: a value is not valid, or not exactly one of the two is given.
            AccessDenied: the key may not use the collection, or it is limited to collections and a document
                is given.
        """
        raise NotImplementedError
