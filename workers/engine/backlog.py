"""Finds items whose messages still wait in a long queue, so that they are not sent again."""

from __future__ import annotations

from functools import cache

import redis

from workers.core.jobs.work import Priority
from workers.engine.submit import message_priority
from workers.flows.registry import FLOWS, STRATEGIES
from workers.ledger.records import Backlog
from workers.telemetry.queues import oldest_sent

_JOBS: tuple[Priority, ...] = ("high", "normal", "low")


def backlog_of(broker: redis.Redis, seconds: float) -> Backlog:
    """Return the steps whose messages wait in a list of which the oldest has waited for longer than that.

    A list is served in the order of sending. What was sent after its oldest message waits behind it; what was
    sent before and is not in there was taken, or lost.

    Args:
        broker: the broker's Redis.
        seconds: what waits for less is no backlog.
    """
    oldest = oldest_sent(broker, seconds)
    if not oldest:
        return {}
    found: dict[str, dict[Priority, int]] = {}
    for step, (queue, urgency) in _steps().items():
        for job in _JOBS:
            sent = oldest.get((queue, message_priority(job, urgency)))
            if sent is not None:
                found.setdefault(step, {})[job] = int(sent * 1000)
    return found


@cache
def _steps() -> dict[str, tuple[str, int]]:
    """Return each step's queue and priority; a step that several flows have is the same in all of them."""
    flows = (*FLOWS.values(), *STRATEGIES.values())
    return {name: (step.queue, step.priority) for flow in flows for name, step in flow.steps.items()}
