"""Routes for the history of ended jobs: search it, sum what they cost; and for the audit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import StringConstraints

from hopline.allowed_values import InWords
from hopline.models.audit import Act, AuditPage, Outcome, Via
from hopline.models.collections import CollectionName
from hopline.models.history import Costs, HistoryPage
from hopline.models.jobs import JobState
from hopline.models.times import Moment
from producer.api.access import Admin, Caller, Reader
from producer.api.context import ApiContext
from producer.api.problems import documented
from workers.core.audit import WantedAudit
from workers.core.jobs.history import CostGroup, HistoryOrder, WantedHistory
from workers.core.metadata.filter_text import parse_filter

router = APIRouter(tags=["jobs"])

_LONGEST_WHERE = 4_000  # characters; an address that is longer, encoded, is not read at all
_Tag = Annotated[
    str, StringConstraints(max_length=300, pattern=r"^[^=]+="), InWords("NAME=VALUE, 300 characters at most")
]


def _wanted(  # noqa: PLR0913, PLR0917 - one query parameter, one argument
    caller: Reader,
    state: JobState | None = None,
    kind: Annotated[str | None, Query(max_length=50)] = None,
    collection: CollectionName | None = None,
    step: Annotated[
        str | None, Query(max_length=100, description="Did this step, or gave an item of it up.")
    ] = None,
    error: Annotated[
        str, Query(max_length=200, description="Text that an error or the reason contains, in any case.")
    ] = "",
    since: Annotated[Moment | None, Query(description="Only jobs that ended then or later.")] = None,
    until: Annotated[Moment | None, Query(description="Only jobs that ended before.")] = None,
    tag: Annotated[list[_Tag] | None, Query(max_length=20, description="NAME=VALUE; each must fit.")] = None,
    where: Annotated[
        str,
        Query(
            max_length=_LONGEST_WHERE,
            description="A filter on the fields of history, in the language of metadata or as JSON.",
            examples=['cost > 0.5 and steps has "ingest.extract"'],
        ),
    ] = "",
) -> WantedHistory:
    return WantedHistory(
        state=state,
        kind=kind,
        step=step,
        error=error,
        since=since.timestamp() if since else None,
        until=until.timestamp() if until else None,
        tags={name: value for name, _, value in (each.partition("=") for each in tag or ())},
        where=parse_filter(where) if where.strip() else None,
        caller="" if caller.sees_all else caller.id,
        collections=_collections(caller, collection),
        readable=caller.collections,
    )


def _collections(caller: Caller, collection: str | None) -> frozenset[str] | None:
    return caller.collections if collection is None else frozenset({caller.collection(collection)})


def _wanted_audit(  # noqa: PLR0913, PLR0917 - one query parameter, one argument
    caller: Admin,
    since: Annotated[Moment | None, Query(description="Only acts that were begun then or later.")] = None,
    until: Annotated[Moment | None, Query(description="Only acts that were begun before.")] = None,
    who: Annotated[
        str,
        Query(max_length=300, description="Id or name of a key, an account, or a principal acted for."),
    ] = "",
    act: Act | None = None,
    kind: Annotated[str, Query(max_length=50, description="What it was done to: key, schema, query …")] = "",
    target: Annotated[str, Query(max_length=200, description="The id or name of that.")] = "",
    via: Via | None = None,
    outcome: Outcome | None = None,
    collection: CollectionName | None = None,
) -> WantedAudit:
    return WantedAudit(
        since=since.timestamp() if since else None,
        until=until.timestamp() if until else None,
        who=who,
        act=act or "",
        kind=kind,
        target=target,
        via=via or "",
        outcome=outcome or "",
        collections=_collections(caller, collection),
    )


@router.get("/v1/audit", responses=documented())
def search_audit(
    api: ApiContext,
    wanted: Annotated[WantedAudit, Depends(_wanted_audit)],
    cursor: Annotated[str, Query(max_length=300, description="The `next` of the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> AuditPage:
    """List who changed what, newest first; of a key for some collections, what was done in these."""
    return api.service.history.audit(wanted, before=cursor, limit=limit)


_Wanted = Annotated[WantedHistory, Depends(_wanted)]


@router.get("/v1/history", responses=documented())
def search_history(
    api: ApiContext,
    wanted: _Wanted,
    cursor: Annotated[str, Query(max_length=300, description="The `next` of the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    sort: Annotated[
        HistoryOrder, Query(description="What comes first: the newest, or the most of it.")
    ] = "ended",
) -> HistoryPage:
    """List ended jobs, newest first, also those that have expired: the key's own, or all for an admin key."""
    return api.service.history.page(wanted, before=cursor, limit=limit, order=sort)


@router.get("/v1/history/costs", responses=documented())
def sum_costs(api: ApiContext, wanted: _Wanted, by: CostGroup = "day") -> Costs:
    """Sum what ended jobs took, by day (UTC), API key, collection, kind or model."""
    return Costs(costs=tuple(api.service.history.costs(wanted, by)))
