# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Audit: who changed what, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Unpack

from pydantic import Field

from hopline.models.audit import AuditEvent, AuditFilter, AuditPage
from hopline.operation import Cursor, operation
from hopline.sync.noun import Noun
from hopline.sync.paging import each


class Audit(Noun):
    """The record of who changed what."""

    @operation("GET", "/v1/audit", right="admin")
    def list(
        self,
        *,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        **which: Unpack[AuditFilter],
    ) -> AuditPage:
        """List who changed what, newest first. A key limited to collections sees only acts in these."""
        raise NotImplementedError

    def iterate(self, **which: Unpack[AuditFilter]) -> Iterator[AuditEvent]:
        """Yield all acts that `list` lists, newest first."""
        return each(lambda cursor: self.list(cursor=cursor, limit=200, **which), lambda page: page.events)
