"""Routes for the history of ended jobs (search, sum costs, erase) and for the audit."""

from __future__ import annotations

from fastapi import APIRouter

from hopline.aio.audit import AsyncAudit
from hopline.aio.history import AsyncHistory
from hopline.errors import InvalidInput
from hopline.models.audit import AuditFilter, AuditPage
from hopline.models.history import (
    CostGroup,
    Costs,
    HistoryErased,
    HistoryFilter,
    HistoryOrder,
    HistoryPage,
)
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves
from workers.core.audit import WantedAudit
from workers.core.jobs.history import WantedHistory
from workers.core.metadata.filter_text import parse_filter

router = APIRouter()


@serves(router, AsyncAudit.list)
def list_audit(api: Api, caller: Caller, cursor: str, limit: int, which: AuditFilter) -> AuditPage:
    """Return a page of the audit."""
    since, until = which.get("since"), which.get("until")
    wanted = WantedAudit(
        since=since.timestamp() if since else None,
        until=until.timestamp() if until else None,
        who=which.get("who", ""),
        act=which.get("act") or "",
        kind=which.get("kind", ""),
        target=which.get("target", ""),
        via=which.get("via") or "",
        outcome=which.get("outcome") or "",
        collections=_collections(caller, which.get("collection")),
    )
    return api.service.history.audit(wanted, before=cursor, limit=limit)


@serves(router, AsyncHistory.list)
def list_history(
    api: Api, caller: Caller, cursor: str, limit: int, sort: HistoryOrder, which: HistoryFilter
) -> HistoryPage:
    """Return a page of ended jobs."""
    return api.service.history.page(_wanted(caller, which), before=cursor, limit=limit, order=sort)


@serves(router, AsyncHistory.costs)
def sum_costs(api: Api, caller: Caller, by: CostGroup, which: HistoryFilter) -> Costs:
    """Return the costs of ended jobs."""
    return Costs(costs=tuple(api.service.history.costs(_wanted(caller, which), by)))


@serves(router, AsyncHistory.erase)
def erase_history(api: Api, caller: Caller, collection: str | None, document: str | None) -> HistoryErased:
    """Erase a collection, or everything that names a document."""
    if collection is not None and document is None:
        return HistoryErased(files=api.service.history.erase_collection(caller.collection(collection)))
    if document is None or collection is not None:
        raise InvalidInput("collection", collection, "one of collection and document")
    caller.check_unlimited("a document's name is erased everywhere")
    return HistoryErased(files=api.service.history.erase_name(document))


def _wanted(caller: Caller, which: HistoryFilter) -> WantedHistory:
    since, until, where = which.get("since"), which.get("until"), which.get("where", "")
    return WantedHistory(
        state=which.get("state"),
        kind=which.get("kind"),
        step=which.get("step"),
        error=which.get("error", ""),
        since=since.timestamp() if since else None,
        until=until.timestamp() if until else None,
        tags=which.get("tags", {}),
        where=parse_filter(where) if where.strip() else None,
        caller="" if caller.sees_all else caller.id,
        collections=_collections(caller, which.get("collection")),
        readable=caller.collections,
    )


def _collections(caller: Caller, collection: str | None) -> frozenset[str] | None:
    return caller.collections if collection is None else frozenset({caller.collection(collection)})
