"""Routes for merges of key elements: show one, undo it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.errors import NotFound
from hopline.models.jobs import Job
from hopline.models.merges import Merge
from producer.api.access import Caller, Reader, Submitter
from producer.api.context import Api, ApiContext
from producer.api.problems import documented
from producer.api.submission import Key, Wait, respond_with_job, submit_kind
from workers.ledger.records import JobRecord

router = APIRouter(tags=["collections"])

MergeId = Annotated[str, Path(max_length=100)]


@router.get("/v1/merges/{merge_id}", responses=documented(404))
def show_merge(api: ApiContext, caller: Reader, merge_id: MergeId) -> Merge:
    """Show a merge."""
    return _find(api, caller, merge_id)


@router.post(
    "/v1/merges/{merge_id}/undo",
    status_code=202,
    responses={200: {"model": Job, "description": "It has ended."}, **documented(404, 409, 429)},
)
async def undo_merge(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    merge_id: MergeId,
    key: Key = None,
    wait: Wait = 0,
) -> Job:
    """Undo a merge; it is not made again."""

    def submit() -> JobRecord:
        merge = _find(api, caller, merge_id)
        return submit_kind(api, request, caller, "merge", merge.collection, {"undo": merge_id}, key)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


def _find(api: Api, caller: Caller, merge_id: str) -> Merge:
    merge = api.service.graph.merge(merge_id)
    if merge is None or not caller.sees(merge.collection):
        raise NotFound(f"no merge {merge_id}")
    return merge
