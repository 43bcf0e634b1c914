"""The task that the beat process sends when a schedule is due."""

from __future__ import annotations

import redis

from workers.app import app
from workers.core.errors import Transient
from workers.engine.scheduled import begin_scheduled
from workers.process import runner
from workers.schedules.beat import TASK


def begin_due(name: str, zone: str) -> str:  # noqa: ARG001 - the entry's zone is the scheduler's
    """Submit a schedule's job; retried for an hour while a server is away."""
    current = runner()
    return begin_scheduled(current.services, current.driver.publisher, name)


begin = app.task(
    begin_due,
    name=TASK,
    autoretry_for=(Transient, redis.RedisError),
    retry_backoff=2,
    retry_backoff_max=60,
    max_retries=60,
)
