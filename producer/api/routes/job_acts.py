"""Route that acts on many jobs."""

from __future__ import annotations

from fastapi import APIRouter

from producer.api.access import Submitter
from producer.api.admission import slot_for
from producer.api.context import Api, ApiContext
from producer.api.problems import Problem, documented
from producer.api.routes.job_filters import JobsAct
from producer.service.job_acts.acts import MOST_JOBS, JobsActed, act_on
from workers.core.errors import Permanent
from workers.ledger.records import JobRecord

router = APIRouter(tags=["jobs"])


@router.post("/v1/jobs/act", responses=documented())
def act_on_jobs(api: ApiContext, caller: Submitter, act: JobsAct) -> JobsActed:
    """Cancel or retry the newest 2,000 jobs that a filter means: the key's own, or of all for an admin key.

    A job that is refused stops no other. The same request again goes on where one was cut off.
    """
    wanted = caller.wanted_jobs(act.filter.filter().of(act.verb))
    records = api.service.jobs.newest(wanted, MOST_JOBS) if wanted else []
    records = [record for record in records if caller.sees_all_of(record.job)]

    def do(record: JobRecord) -> str:
        job_id = caller.own(record, record.job.id).job.id
        if act.verb == "retry":
            return _retried(api, record).job.id
        api.service.jobs.end(job_id)
        return job_id

    return act_on(records, act.verb, do, dry_run=act.dry_run)


def _retried(api: Api, record: JobRecord) -> JobRecord:
    """Retry a job among many.

    Raises:
        InvalidInput: there is nothing to retry.
        Permanent: no more work is taken now.
    """
    try:
        with slot_for(api, record.job.caller, api.service.jobs.retried_as(record)):
            return api.service.jobs.run_again(record.job.id)
    except Problem as error:
        raise Permanent(str(error)) from error
