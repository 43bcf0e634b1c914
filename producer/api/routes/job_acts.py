"""Routes that replay a question's job, and that act on many jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.aio.jobs import AsyncJobs
from hopline.errors import Permanent
from hopline.models.jobs import JobFilter, JobsActed, Verb
from hopline.models.replays import ReplayCheck
from hopline.models.results import Job
from producer.api.access import Caller, require_answerable
from producer.api.admission import slot_for, was_submitted
from producer.api.context import Api
from producer.api.problems import Problem
from producer.api.routes.jobs import find_job, run_again
from producer.api.serving import serves
from producer.api.submission import respond_with_job, terms_of
from producer.service.job_acts.acts import FittingJobs, act_on, check_change, narrowed
from producer.service.job_acts.replays import Change, changed_params
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Terms

router = APIRouter()


@serves(router, AsyncJobs.act)
def act_on_jobs(
    api: Api,
    caller: Caller,
    request: Request,
    verb: Verb,
    filter: JobFilter,  # noqa: A002 - as called in the body
    dry_run: bool,
    params: Mapping[str, Any],
    key: str,
) -> JobsActed:
    """Act on the jobs that match a filter; a refused job does not stop the others."""
    change, terms = Change.of(params, key), terms_of(request, caller)
    check_change(verb, change)
    wanted = caller.wanted_jobs(narrowed(filter, verb))
    fitting = (
        api.service.jobs.fitting(wanted, verb, lambda record: caller.sees_all_of(record.job))
        if wanted
        else FittingJobs(records=(), matched=0)
    )

    def do(record: JobRecord) -> str:
        job_id = caller.own(record, record.job.id).job.id
        try:
            if verb == "retry":
                return run_again(api, record).job.id
            if verb == "replay":
                return replay_of(api, caller, record, change, terms).job.id
        except Problem as error:  # no more work is taken now: that stops no other job
            raise Permanent(str(error)) from error
        api.service.jobs.end(job_id)
        return job_id

    return act_on(fitting, verb, do, dry_run=dry_run)


@serves(router, AsyncJobs.replay, 404, 409, 429, status=202)
async def replay_job(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    job_id: str,
    params: Mapping[str, Any],
    key: str,
    wait: float,
) -> Job:
    """Ask an ended job's question again, as a new job with other parameters."""
    terms = terms_of(request, caller)

    def submit() -> JobRecord:
        return replay_of(api, caller, find_job(api, caller, job_id), Change.of(params, key), terms)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


@serves(router, AsyncJobs.check_replay, 404)
def check_replay(api: Api, caller: Caller, job_id: str, params: Mapping[str, Any]) -> ReplayCheck:
    """Show which parameters a replay would change."""
    return ReplayCheck(changed=changed_params(find_job(api, caller, job_id), Change.of(params, "")))


def replay_of(api: Api, caller: Caller, record: JobRecord, change: Change, terms: Terms) -> JobRecord:
    """Submit a job's replay, as a new question of the caller.

    Raises:
        InvalidInput, StateConflict: it cannot be replayed with these parameters.
        NoDocuments: no documents can answer it any more.
        Problem: too much work is waiting.
    """
    replay = api.service.jobs.check_replay(record, change, terms)
    if was_submitted(api, caller, replay.key):
        return api.service.jobs.submit_replay(replay)
    require_answerable(api, caller, replay.collections, replay.params, replay.terms.principals)
    with slot_for(api, caller.id, replay.job_id):
        return api.service.jobs.submit_replay(replay)
