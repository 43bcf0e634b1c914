"""Flows of one step: delete a document, rebuild a collection's vectors or topics, deliver a webhook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json
from workers.core.ids import webhook_job_id
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.params import DeleteParams, ReindexParams, TopicsParams
from workers.core.jobs.webhooks import WebhookParams
from workers.core.jobs.work import End, Item, Job, NoInput, Phase
from workers.ingest.delete import DeleteInput, DeleteResult, delete_document
from workers.ingest.reindex import ReindexInput, ReindexResult, reindex_collection
from workers.ingest.topics import TopicsResult, build_collection_topics
from workers.webhooks.deliver import DeliverResult, deliver_webhook

_HOURS = 3600.0
NEEDS = frozenset(("neo4j", "vectors"))


def _flow(
    kind: str,
    params: type[Frozen],
    step: Step[Any],
    items: Sequence[Item],
    subject: Callable[[Job], Json],
    done: str = "done",
) -> Flow:
    """Return a flow of a few items of one step, a phase each; it ends with the last one's result.

    Args:
        kind: kind of its jobs.
        params: parameters of its jobs.
        step: step of its items.
        items: one after another; one that fails ends the job.
        subject: subject of a job, for its outcome.
        done: result if the step was stopped before it finished.
    """

    def advance(phase: int, results: Results, job: Job) -> Phase | End:
        ended = next(iter(results.get(phase, ())), None)
        if ended is None or ended.error:
            return cut_short(
                results, job, ended.error if ended and ended.error else f"stopped before it was {done}"
            )
        if phase + 1 < len(items):
            return Phase(items=(items[phase + 1],))
        return End(state=JobState.DONE, outcome=subject(job) | ended.result)

    def cut_short(_results: Results, job: Job, reason: str) -> End:
        return End(state=JobState.FAILED, outcome=subject(job) | {"error": reason})

    return Flow(
        kind=kind,
        params=params,
        steps={items[0].step: step},
        first=lambda _job: Phase(items=(items[0],)),
        advance=advance,
        cut_short=cut_short,
        last=len(items) - 1,
    )


DELETE = _flow(
    "delete",
    DeleteParams,
    Step(
        delete_document,
        DeleteInput,
        DeleteResult,
        activity="deleting",
        queue="bulk",
        time_limit=300,
        needs=NEEDS,
    ),
    [Item(id="delete", step="ingest.delete")],
    lambda job: {"document_id": job.params["document_id"]},
)
# Two items, so that building, which may be repeated after a crash, never drops again what it has built.
REINDEX = _flow(
    "reindex",
    ReindexParams,
    Step(
        reindex_collection,
        ReindexInput,
        ReindexResult,
        activity="rebuilding vectors",
        queue="bulk",
        time_limit=6 * _HOURS,
        needs=NEEDS | {"embedding"},
    ),
    [
        Item(id=name, step="ingest.reindex", input=ReindexInput(drop=name == "drop"))
        for name in ("drop", "build")
    ],
    lambda job: {"collection": job.collection},
)
# Whoever waits for nothing waits for this: it comes after what else the queue holds.
TOPICS = _flow(
    "topics",
    TopicsParams,
    Step(
        build_collection_topics,
        NoInput,
        TopicsResult,
        activity="finding topics",
        queue="bulk",
        priority=9,
        time_limit=2 * _HOURS,
        needs=frozenset(("neo4j",)),
    ),
    [Item(id="topics", step="ingest.topics")],
    lambda job: {"collection": job.collection},
)
# Due at once: the watchdog sends it, so that whoever works off an outbox needs no broker.
WEBHOOK = _flow(
    "webhook",
    WebhookParams,
    Step(deliver_webhook, NoInput, DeliverResult, activity="calling the webhook", queue="bulk"),
    [Item(id="deliver", step="webhook.deliver", delay=0.001)],
    lambda job: {"job_id": job.params["job_id"]},
    done="sent",
)


def webhook_job(ended: Job, state: JobState, at: float) -> Job:
    """Return the webhook job for the end of another job; at: time of that end, in seconds since the epoch."""
    name = webhook_job_id(ended.id, ended.epoch)
    params = WebhookParams(
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
        params=params.model_dump(mode="json"),
        root=name,
        caller=ended.caller,
        priority="high",  # it is quick, and shares its queue with what is not
        request_id=ended.request_id,
    )
