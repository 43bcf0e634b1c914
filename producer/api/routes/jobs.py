"""Routes for jobs: list, show, wait, cancel, retry."""

from __future__ import annotations

import re
from contextlib import suppress

from fastapi import APIRouter, Request, Response
from redis.exceptions import RedisError
from starlette.concurrency import run_in_threadpool

from hopline.aio.jobs import AsyncJobs
from hopline.errors import InvalidInput
from hopline.models.jobs import DeadLetters, JobFilter, JobState
from hopline.models.results import Job, JobPage
from hopline.models.timelines import Timeline
from producer.api.access import Caller
from producer.api.admission import slot_for
from producer.api.context import Api
from producer.api.principals.jobs import seen_job, shown_job
from producer.api.serving import serves
from producer.api.submission import respond_with_job, wait_within
from workers.core.events.timeline import timeline_of
from workers.core.ids import parent_of_job
from workers.core.jobs.records import JobRecord
from workers.core.scope import check_reads_less

router = APIRouter()

_PLACE = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?:[A-Za-z0-9_.-]{1,200}")  # that a list goes on from


@serves(router, AsyncJobs.list)
def list_jobs(api: Api, caller: Caller, cursor: str, limit: int, which: JobFilter) -> JobPage:
    """Return a page of the jobs that the caller may list."""
    if cursor and not _PLACE.fullmatch(cursor):
        raise InvalidInput("cursor", cursor, "the `next` of a page of jobs")
    wanted = caller.wanted_jobs(which)
    if wanted is None:
        return JobPage(jobs=[])
    records, behind = api.service.jobs.page(wanted, before=cursor, limit=limit)
    shown = [record for record in records if caller.sees_all_of(record.job)]
    return JobPage(jobs=[shown_job(caller, record, outcome=False) for record in shown], next=behind or None)


@serves(router, AsyncJobs.get, 404)
async def show_job(api: Api, caller: Caller, request: Request, job_id: str, wait: float) -> Job:
    """Return a job, after waiting for its end if requested."""
    record = await run_in_threadpool(find_job, api, caller, job_id)
    if wait > 0 and record.state is JobState.RUNNING:
        await wait_within(api, request, job_id, wait)
        record = await run_in_threadpool(find_job, api, caller, job_id)
    return await run_in_threadpool(_shown_with_place, api, caller, record)


def _shown_with_place(api: Api, caller: Caller, record: JobRecord) -> Job:
    view = seen_job(api, caller, record)
    if view.waits_for is None and caller.principals is None:
        with suppress(RedisError):  # the broker's may be another one
            view.waits_for = api.service.jobs.place_in_queue(record) or None
    return view


@serves(router, AsyncJobs.dead_letters, 404)
def show_dead_letters(api: Api, caller: Caller, job_id: str) -> DeadLetters:
    """Return a job's dead letters."""
    find_job(api, caller, job_id)
    return DeadLetters(dead_letters=api.service.jobs.dead_letters(job_id))


@serves(router, AsyncJobs.timeline, 404)
def show_timeline(api: Api, caller: Caller, job_id: str) -> Timeline:
    """Return a job's timeline."""
    find_job(api, caller, job_id)
    return timeline_of(api.service.jobs.entries(job_id))


@serves(router, AsyncJobs.cancel, 404)
def cancel_job(api: Api, caller: Caller, job_id: str) -> Job:
    """Cancel a job."""
    api.service.jobs.end(find_job(api, caller, job_id).job.id)
    return seen_job(api, caller, find_job(api, caller, job_id))


@serves(router, AsyncJobs.retry, 404, 409, 429, status=202)
async def retry_job(api: Api, caller: Caller, request: Request, response: Response, job_id: str) -> Job:
    """Retry a job's dead letters, or ask a question again."""

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
        Problem: too much work is waiting.
    """
    with slot_for(api, record.job.caller, api.service.jobs.retried_as(record)):
        return api.service.jobs.run_again(record.job.id)


def find_job(api: Api, caller: Caller, job_id: str) -> JobRecord:
    """Return a job that the caller may see.

    A document's job is deleted once its batch has its outcome; then it is read from there.

    Raises:
        NotFound: it does not exist, or the caller may not see it.
    """
    jobs = api.service.jobs
    record, parent = jobs.find(job_id), parent_of_job(job_id)
    if record is None and parent is not None:
        caller.own(jobs.find_without_outcome(parent), job_id)  # before its results are looked through
        record = jobs.ended_child(job_id)
    return caller.own(record, job_id)
