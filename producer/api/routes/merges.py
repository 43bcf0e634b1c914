"""Routes for merges of key elements: make, list, show and undo them."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.aio.merges import AsyncMerges
from hopline.errors import NotFound
from hopline.models.jobs import Json
from hopline.models.merges import Merge, MergePage, NameCandidatesPage
from hopline.models.results import Job
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.serving import serves
from producer.api.submission import ENDED, respond_with_job, submit_kind
from workers.core.jobs.records import JobRecord

router = APIRouter()


@serves(router, AsyncMerges.merge, 409, 429, status=202, responses=ENDED)
async def merge_elements(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    name: str,
    ask: int,
    key: str | None,
    wait: float,
    *,
    dry_run: bool,
) -> Job:
    """Submit the job that merges."""
    params: Json = {"dry_run": dry_run, "ask": ask}
    record = await run_in_threadpool(submit_kind, api, request, caller, "merge", name, params, key)
    return await respond_with_job(api, request, response, record, wait)


@serves(router, AsyncMerges.list)
def list_merges(api: Api, caller: Caller, name: str, cursor: str, limit: int, prefix: str) -> MergePage:
    """Return a page of merges."""
    graph = api.service.graph
    merges = graph.merges_after(max(cursor, prefix), limit, caller.collection(name))
    if prefix:
        exact = None if cursor else graph.merge(prefix)
        known = [exact, *merges] if exact and exact.collection == name else merges
        merges = [merge for merge in known if merge.id.startswith(prefix)][:limit]
    return MergePage(merges=merges, next=merges[-1].id if len(merges) == limit else None)


@serves(router, AsyncMerges.name_candidates)
def list_name_candidates(api: Api, caller: Caller, name: str, cursor: str, limit: int) -> NameCandidatesPage:
    """Return a page of ambiguous names."""
    names = api.service.graph.name_candidates_after(cursor, limit, caller.collection(name))
    return NameCandidatesPage(names=names, next=names[-1].element.id if len(names) == limit else None)


@serves(router, AsyncMerges.get, 404)
def show_merge(api: Api, caller: Caller, merge_id: str) -> Merge:
    """Return a merge."""
    return _find(api, caller, merge_id)


@serves(router, AsyncMerges.undo, 404, 409, 429, status=202, responses=ENDED)
async def undo_merge(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    merge_id: str,
    key: str | None,
    wait: float,
) -> Job:
    """Submit the job that undoes a merge."""

    def submit() -> JobRecord:
        merge = _find(api, caller, merge_id)
        return submit_kind(api, request, caller, "merge", merge.collection, {"undo": merge_id}, key)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


def _find(api: Api, caller: Caller, merge_id: str) -> Merge:
    merge = api.service.graph.merge(merge_id)
    if merge is None or not caller.sees(merge.collection):
        raise NotFound(f"no merge {merge_id}")
    return merge
