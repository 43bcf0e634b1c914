"""Counts the running jobs by kind."""

from __future__ import annotations

from collections import Counter
from typing import cast

import orjson
import redis

from workers.core.jobs.work import JobState
from workers.ledger.keys import ACTIVE, job_key

_PAGE = 500
_MOST = 5000  # whose kind is looked at; a scrape must not read a night's work
UNREAD = "unread"


def running_by_kind(client: redis.Redis) -> dict[str, int]:
    """Return kind → jobs that run; beyond the newest 5000 they are counted under `unread`."""
    total = client.zcard(ACTIVE)
    newest = cast("list[str]", client.zrevrange(ACTIVE, 0, _MOST - 1))
    found: Counter[str] = Counter()
    for at in range(0, len(newest), _PAGE):
        pipeline = client.pipeline(transaction=False)
        for job_id in newest[at : at + _PAGE]:
            pipeline.hmget(job_key(job_id, "job"), ["state", "spec"])
        found.update(_kind(spec) for state, spec in pipeline.execute() if state == JobState.RUNNING)
    if total > _MOST:
        found[UNREAD] = total - _MOST
    return dict(found)


def _kind(spec: str) -> str:
    try:
        return str(orjson.loads(spec)["kind"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return UNREAD
