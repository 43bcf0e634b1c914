"""Delivers the webhook of a job that has ended; `adapters/webhook` signs and sends it."""

from __future__ import annotations

from hopline.events.jobs import WebhookSent
from hopline.models.base import Frozen
from workers.core.jobs.webhooks import WebhookParams
from workers.core.jobs.work import NoInput, Outcome
from workers.core.ports import Ports


class DeliverResult(Frozen):
    """A webhook that was called."""

    job_id: str  # of the job that has ended
    status: int  # the receiver's, of HTTP


def deliver_webhook(_input: NoInput, ports: Ports) -> Outcome:
    """POST which job has ended and how; the message's id is the job's, so that duplicates are recognised.

    Raises:
        Transient: the receiver did not take it; it is called again later.
        Permanent: it will not be called again.
    """
    params = WebhookParams.read_stored(ports.job.params)
    status = ports.webhooks.send(params.url, ports.job.id, params.body(), ports.job.caller)
    return Outcome(
        result=DeliverResult(job_id=params.job_id, status=status),
        events=(WebhookSent(status=status),),
    )
