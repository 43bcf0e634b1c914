"""Delivers the webhook of a job that has ended."""

from __future__ import annotations

from workers.core.jobs.webhooks import WebhookParams
from workers.core.jobs.work import Event, Json, Outcome
from workers.core.ports import Ports


def deliver_webhook(_given: Json, ports: Ports) -> Outcome:
    """POST which job has ended and how; the message's id is the job's, so that duplicates are recognised.

    Raises:
        Transient: the receiver did not take it; it is called again later.
        Permanent: it will not be called again.
    """
    told = WebhookParams.read_stored(ports.job.params)
    status = ports.webhooks.send(told.url, ports.job.id, told.body(), ports.job.caller)
    return Outcome(
        result={"job_id": told.job_id, "status": status},
        events=(Event(name="webhook.sent", data={"status": status}),),
    )
