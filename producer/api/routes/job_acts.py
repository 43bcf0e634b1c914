"""Routes that replay a question's job, and that act on many jobs."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.errors import Permanent
from hopline.models.jobs import Job, JobsActed
from producer.api.access import Caller, Submitter, require_seen
from producer.api.admission import slot_for, was_submitted
from producer.api.context import Api, ApiContext
from producer.api.problems import Problem, documented
from producer.api.routes.job_filters import JobsAct, ReplayRequest
from producer.api.routes.jobs import JobId, find_job, run_again
from producer.api.submission import Wait, respond_with_job, terms_of
from producer.service.job_acts.acts import FittingJobs, act_on
from producer.service.job_acts.replays import Change
from workers.core.jobs.work import Terms
from workers.ledger.records import JobRecord

router = APIRouter(tags=["jobs"])


@router.post("/v1/jobs/act", responses=documented())
def act_on_jobs(api: ApiContext, caller: Submitter, request: Request, act: JobsAct) -> JobsActed:
    """Cancel, retry or replay the newest 2,000 jobs that a filter means and the act fits, the oldest first.

    They are the key's own, or those of all for an admin key; `matched` says how many there are. A job that is
    refused stops no other. The same request again goes on where one was cut off.
    """
    change, terms = act.change(), terms_of(request, caller)
    wanted = caller.wanted_jobs(act.filter.filter().of(act.verb))
    fitting = (
        api.service.jobs.fitting(wanted, act.verb, lambda record: caller.sees_all_of(record.job))
        if wanted
        else FittingJobs(records=(), matched=0)
    )

    def do(record: JobRecord) -> str:
        job_id = caller.own(record, record.job.id).job.id
        try:
            if act.verb == "retry":
                return run_again(api, record).job.id
            if act.verb == "replay":
                return replay_of(api, caller, record, change, terms).job.id
        except Problem as error:  # no more work is taken now: that stops no other job
            raise Permanent(str(error)) from error
        api.service.jobs.end(job_id)
        return job_id

    return act_on(fitting, act.verb, do, dry_run=act.dry_run)


@router.post("/v1/jobs/{job_id}/replay", status_code=202, responses=documented(404, 409, 429))
async def replay_job(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    job_id: JobId,
    replay: ReplayRequest,
    wait: Wait = 0,
) -> Job:
    """Ask an ended job's question again, as a new job with other parameters; the old job stays.

    It reads the documents, prompts and models of now. The same request again gives the same job.
    """
    terms = terms_of(request, caller)

    def submit() -> JobRecord:
        return replay_of(api, caller, find_job(api, caller, job_id), replay.change(), terms)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


def replay_of(api: Api, caller: Caller, record: JobRecord, change: Change, terms: Terms) -> JobRecord:
    """Submit a job's replay, as a new question of the caller.

    Raises:
        InvalidInput, StateConflict: it cannot be replayed so.
        NoDocuments: nothing can answer it any more.
        Problem: no more work is taken now.
    """
    questions = api.service.questions
    replay = api.service.jobs.check_replay(record, change, terms)
    if was_submitted(api, caller, replay.key):
        return api.service.jobs.submit_replay(replay)
    require_seen(api, caller, replay.collections, str(replay.params["strategy"]))
    questions.check_embedders(replay.collections)
    questions.require_in_scope(replay.collections, replay.params, replay.terms.principals)
    with slot_for(api, caller.id, replay.job_id):
        return api.service.jobs.submit_replay(replay)
