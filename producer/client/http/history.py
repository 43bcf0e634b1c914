"""Client calls for history, over HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hopline.models.audit import AuditPage
from hopline.models.history import Cost, Costs, HistoryPage
from producer.client.http.connection import HttpPart, read_answer
from workers.core.metadata.filter_text import filter_json

if TYPE_CHECKING:
    from hopline.models.history import CostGroup
    from workers.core.audit import WantedAudit
    from workers.core.jobs.history import WantedHistory


class HttpHistory(HttpPart):
    """History over HTTP; see `producer.client.link.HistoryLink`."""

    def page(self, wanted: WantedHistory, *, before: str = "", limit: int = 50) -> HistoryPage:
        """Return a page of the ended jobs that are wanted."""
        fields = _fields(wanted) | {"cursor": before or None, "limit": limit}
        return read_answer(HistoryPage, self._connection.get("/v1/history", **fields))

    def costs(self, wanted: WantedHistory, by: CostGroup) -> list[Cost]:
        """Return what the jobs that are wanted took."""
        answer = self._connection.get("/v1/history/costs", by=by, **_fields(wanted))
        return list(read_answer(Costs, answer).costs)

    def audit(self, wanted: WantedAudit, *, before: str = "", limit: int = 50) -> AuditPage:
        """Return a page of the audit."""
        fields = wanted.model_dump(exclude={"collections", "since", "until"}, exclude_defaults=True)
        collection = next(iter(wanted.collections)) if wanted.collections else None
        fields |= {"collection": collection, "since": _moment(wanted.since), "until": _moment(wanted.until)}
        fields |= {"cursor": before or None, "limit": limit}
        return read_answer(AuditPage, self._connection.get("/v1/audit", **fields))


def _fields(wanted: WantedHistory) -> dict[str, Any]:
    """Return the fields of a request; an API takes one collection."""
    return {
        "state": wanted.state,
        "kind": wanted.kind,
        "step": wanted.step,
        "error": wanted.error or None,
        "collection": next(iter(wanted.collections)) if wanted.collections else None,
        "since": _moment(wanted.since),
        "until": _moment(wanted.until),
        "tag": [f"{name}={value}" for name, value in wanted.tags.items()] or None,
        "where": json.dumps(filter_json(wanted.where)) if wanted.where is not None else None,
    }


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
