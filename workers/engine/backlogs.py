"""Tells which messages of a job may still wait for their turn: the watchdog does not send them again."""

from __future__ import annotations

import time
from functools import cache, cached_property

import redis

from hopline.models.jobs import Priority
from workers.engine.submit import message_priority
from workers.flows.registry import FLOWS, STRATEGIES
from workers.ledger.records import Backlog
from workers.limits.queue_ages import MOST_TENANTS, OldestSent, oldest_sent
from workers.telemetry.queues import FAIR_QUEUE

_JOBS: tuple[Priority, ...] = ("high", "normal", "low")


class Backlogs:
    """The messages that have waited for long.

    A list is served in the order of sending, as is what a tenant has waiting in the shared queue. What was
    sent after the oldest message there waits behind it; what was sent before was taken, or lost.

    Args:
        broker: the broker's Redis.
        seconds: what waits for less is no backlog.
        most_tenants: of the shared queue that are looked at.
    """

    def __init__(self, broker: redis.Redis, seconds: float, most_tenants: int = MOST_TENANTS) -> None:
        self._latest = time.time() - seconds
        self._oldest = oldest_sent(broker, most_tenants)
        self._of: dict[tuple[str, ...], Backlog] = {}

    @cached_property
    def is_empty(self) -> bool:
        """Whether nothing has waited for long, of all that there is."""
        queues = self._oldest.lists
        return self._oldest.has_all_tenants and all(
            at >= self._latest for queue in queues for at in self._oldest.of_queue(queue)
        )

    def of(self, job_id: str, tenants: tuple[str, ...]) -> Backlog:
        """Return the steps of which messages may wait that a job has sent.

        Args:
            job_id: the job.
            tenants: under which its messages may wait for turns of the shared queue.
        """
        has_lying = any(jobs is not None and job_id in jobs for jobs in self._oldest.jobs.values())
        key = (job_id, *tenants) if has_lying else ("", *tenants)
        if key not in self._of:
            self._of[key] = self._backlog(job_id, tenants)
        return self._of[key]

    def _backlog(self, job_id: str, tenants: tuple[str, ...]) -> Backlog:
        backlog: dict[str, dict[Priority, int]] = {}
        for step, (queue, urgency) in _steps().items():
            for job in _JOBS:
                sent = self._sent(queue, message_priority(job, urgency), job_id, tenants)
                if sent is not None and sent < self._latest:
                    backlog.setdefault(step, {})[job] = int(sent * 1000)
        return backlog

    def _sent(self, queue: str, priority: int, job_id: str, tenants: tuple[str, ...]) -> float | None:
        """Return when the oldest message was sent that one of a job waits behind; None without one."""
        if queue != FAIR_QUEUE:
            return self._oldest.lists[queue].get(priority)
        times = [_lying(self._oldest, priority, job_id)]
        for tenant in tenants:
            if tenant in self._oldest.tenants:
                times.append(self._oldest.tenants[tenant].get(priority))
            elif not self._oldest.has_all_tenants:
                times.append(0.0)  # nobody knows
        return min((at for at in times if at is not None), default=None)


def _lying(oldest: OldestSent, priority: int, job_id: str) -> float | None:
    """Return when the oldest message of a job was sent that lies in a list of the shared queue."""
    jobs = oldest.jobs.get(priority)
    return oldest.lists[FAIR_QUEUE].get(priority) if jobs is None else jobs.get(job_id)


@cache
def _steps() -> dict[str, tuple[str, int]]:
    """Return each step's queue and priority; a step that several flows have is the same in all of them."""
    flows = (*FLOWS.values(), *STRATEGIES.values())
    return {name: (step.queue, step.priority) for flow in flows for name, step in flow.steps.items()}
