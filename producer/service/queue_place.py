"""Explains why a job has not begun: others wait before it, or no worker serves its queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.reports.words import counted

if TYPE_CHECKING:
    from producer.client.link import Link
    from workers.ledger.records import JobRecord
    from workers.services import Services

NOBODY_BEGAN = (
    "no worker has begun this job yet: `hopline status` shows which run, `hopline worker` starts one"
)


def waits_for(link: Link, job_id: str) -> str:
    """Return what a job waits for that no worker has begun; over HTTP no more than that it waits."""
    from producer.service.backend import BrokerLink  # noqa: PLC0415 - only for who waits

    if not isinstance(link, BrokerLink):
        return NOBODY_BEGAN
    before = _messages_before(link.services, link.job(job_id))
    if not before:
        return NOBODY_BEGAN
    tasks = counted(before, "task")
    return f"waiting its turn: {tasks} before it in the queue; `hopline status` shows which workers run"


def _messages_before(services: Services, record: JobRecord) -> int:
    from workers.engine.submit import message_priority  # noqa: PLC0415 - as above
    from workers.flows.registry import flow_of  # noqa: PLC0415 - as above
    from workers.telemetry.queues import messages_before  # noqa: PLC0415 - as above

    flow = flow_of(record.job.kind, record.job.params)
    step = flow.chain[0] if flow.chain else next(iter(flow.steps))
    priority = message_priority(record.job.priority, flow.priority_of(step))
    return messages_before(services.broker_redis, flow.queue_of(step), priority)
