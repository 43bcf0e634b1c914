"""Audit: who changed what, and when."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Unpack

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.aio.paging import each
from hopline.models.audit import AuditEvent, AuditFilter, AuditPage
from hopline.operation import Cursor, operation


class AsyncAudit(AsyncNoun):
    """The record of who changed what."""

    @operation("GET", "/v1/audit", right="admin")
    async def list(
        self,
        *,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        **which: Unpack[AuditFilter],
    ) -> AuditPage:
        """List who changed what, newest first. A key limited to collections sees only acts in these."""
        raise NotImplementedError

    def iterate(self, **which: Unpack[AuditFilter]) -> AsyncIterator[AuditEvent]:
        """Yield all acts that `list` lists, newest first."""
        return each(lambda cursor: self.list(cursor=cursor, limit=200, **which), lambda page: page.events)
