"""Flow that delivers a webhook at a job's end: one item, with attempts over about a day."""

from __future__ import annotations

from workers.core.ids import webhook_job_id
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.webhooks import WebhookParams
from workers.core.jobs.work import End, Item, Job, JobState, Phase
from workers.webhooks.deliver import deliver_webhook


def webhook_job(ended: Job, state: JobState, at: float) -> Job:
    """Return the job that tells of another's end; at: when that was, seconds since the epoch."""
    name = webhook_job_id(ended.id, ended.epoch)
    told = WebhookParams(
        url=ended.webhook,
        job_id=ended.id,
        kind=ended.kind,
        collection=ended.collection,
        state=state,
        epoch=ended.epoch,
        ended=at,
        request_id=ended.request_id,
    )
    return Job(
        id=name,
        kind="webhook",
        collection=ended.collection,
        params=told.model_dump(mode="json"),
        root=name,
        caller=ended.caller,
        priority="high",  # it is quick, and shares its queue with what is not
        request_id=ended.request_id,
    )


def _first(_job: Job) -> Phase:
    # Due at once: the watchdog sends it, so that whoever works off an outbox needs no broker.
    return Phase(items=(Item(id="deliver", step="webhook.deliver", delay=0.001),))


def _advance(_phase: int, results: Results, job: Job) -> End:
    done = next(iter(results.get(0, ())), None)
    if done is None or done.error:
        return _cut_short(results, job, done.error if done and done.error else "stopped before it was sent")
    return End(state=JobState.DONE, outcome=done.result)


def _cut_short(_results: Results, job: Job, reason: str) -> End:
    return End(state=JobState.FAILED, outcome={"job_id": job.params["job_id"], "error": reason})


WEBHOOK = Flow(
    kind="webhook",
    params=WebhookParams,
    steps={"webhook.deliver": Step(run=deliver_webhook, queue="bulk")},
    first=_first,
    advance=_advance,
    cut_short=_cut_short,
)
