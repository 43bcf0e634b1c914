"""Routes for jobs: list, show, wait, cancel, retry."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import StringConstraints
from starlette.concurrency import run_in_threadpool

from hopline.allowed_values import InWords
from hopline.models.jobs import DeadLetters, Job, JobPage, JobState
from hopline.models.timelines import Timeline
from producer.api.access import Caller, Reader, Submitter
from producer.api.admission import slot_for
from producer.api.context import Api, ApiContext
from producer.api.principals.jobs import seen_job, shown_job
from producer.api.problems import documented
from producer.api.routes.job_filters import listed_filter
from producer.api.submission import Wait, respond_with_job, wait_within
from producer.service.job_acts.acts import JobFilter
from workers.core.events.timeline import timeline_of
from workers.core.ids import parent_of_job
from workers.core.scope import check_reads_less
from workers.ledger.records import JobRecord

router = APIRouter(tags=["jobs"])

JobId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,200}$"),
    InWords("a job's id: 1 to 200 letters, digits, '-', '_' or '.'"),
    Path(description="As returned by the submission.", examples=["j0"]),
]
Limit = Annotated[int, Query(ge=1, le=200)]


_Cursor = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{1,12}(\.[0-9]{1,9})?:[A-Za-z0-9_.-]{1,200}$"),
    InWords("the `next` of a page"),
]


@router.get("/v1/jobs", responses=documented())
def list_jobs(
    api: ApiContext,
    caller: Reader,
    job_filter: Annotated[JobFilter, Depends(listed_filter)],
    cursor: _Cursor | None = None,
    limit: Limit = 50,
) -> JobPage:
    """List jobs, newest first, without their outcomes: the key's own, or all for an admin key."""
    wanted = caller.wanted_jobs(job_filter)
    if wanted is None:
        return JobPage(jobs=[])
    records, behind = api.service.jobs.page(wanted, before=cursor or "", limit=limit)
    shown = [record for record in records if caller.sees_all_of(record.job)]
    return JobPage(jobs=[shown_job(caller, record, outcome=False) for record in shown], next=behind or None)


@router.get("/v1/jobs/{job_id}", responses=documented(404))
async def show_job(api: ApiContext, caller: Reader, request: Request, job_id: JobId, wait: Wait = 0) -> Job:
    """Show a job; with `wait`, once it has ended or the seconds are over."""
    record = await run_in_threadpool(find_job, api, caller, job_id)
    if wait > 0 and record.state is JobState.RUNNING:
        await wait_within(api, request, job_id, wait)
        record = await run_in_threadpool(find_job, api, caller, job_id)
    return await run_in_threadpool(seen_job, api, caller, record)


@router.get("/v1/jobs/{job_id}/dead-letters", responses=documented(404))
def show_dead_letters(api: ApiContext, caller: Reader, job_id: JobId) -> DeadLetters:
    """Show a job's dead letters, each with its input and error."""
    find_job(api, caller, job_id)
    return DeadLetters(dead_letters=api.service.jobs.dead_letters(job_id))


@router.get("/v1/jobs/{job_id}/timeline", responses=documented(404))
def show_timeline(api: ApiContext, caller: Reader, job_id: JobId) -> Timeline:
    """Show when each item of a job waited and ran, how often, and how each attempt ended.

    A job keeps its newest 2,000 events or so: where older ones are gone, the timeline is `cut`.
    """
    find_job(api, caller, job_id)
    return timeline_of(api.service.jobs.entries(job_id))


@router.delete("/v1/jobs/{job_id}", responses=documented(404))
def cancel_job(api: ApiContext, caller: Submitter, job_id: JobId) -> Job:
    """Cancel a job; one that has ended already stays as it is."""
    api.service.jobs.end(find_job(api, caller, job_id).job.id)
    return seen_job(api, caller, find_job(api, caller, job_id))


@router.post("/v1/jobs/{job_id}/retry", status_code=202, responses=documented(404, 409, 429))
async def retry_job(
    api: ApiContext, caller: Submitter, request: Request, response: Response, job_id: JobId
) -> Job:
    """Retry a job's dead letters; a question is asked again, as a new job."""

    def retry() -> JobRecord:
        record = find_job(api, caller, job_id)
        if caller.principals is not None:  # it may have been asked while its key saw more
            check_reads_less(str(record.job.params.get("strategy", "")))
        return run_again(api, record)

    return await respond_with_job(api, request, response, await run_in_threadpool(retry), 0, ended=202)


def run_again(api: Api, record: JobRecord) -> JobRecord:
    """Retry a job's dead letters; return the job that runs now.

    Raises:
        InvalidInput: there is nothing to retry.
        Problem: no more work is taken now.
    """
    with slot_for(api, record.job.caller, api.service.jobs.retried_as(record)):
        return api.service.jobs.run_again(record.job.id)


def find_job(api: Api, caller: Caller, job_id: str) -> JobRecord:
    """Return a job that the caller may see.

    A document's job is forgotten when its batch has its outcome: it is told from there.

    Raises:
        NotFound: there is none that they may see.
    """
    jobs = api.service.jobs
    record, parent = jobs.find(job_id), parent_of_job(job_id)
    if record is None and parent is not None:
        caller.own(jobs.find_without_outcome(parent), job_id)  # before its results are looked through
        record = jobs.ended_child(job_id)
    return caller.own(record, job_id)
