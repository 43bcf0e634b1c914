"""The principals that API keys read for, at present."""

from __future__ import annotations

from typing import cast

import orjson
import redis

from hopline.errors import Permanent
from hopline.principals import common
from workers.core.jobs.work import Job
from workers.core.redis_keys import API_KEYS


class KeyPrincipals:
    """The principals of API keys; nothing is remembered, so that a change counts with the next reading.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def of_job(self, job: Job) -> tuple[str, ...] | None:
        """Return the principals for whom a job may read now: its own, as far as its key still has them.

        Raises:
            Permanent: the key that it was submitted with no longer exists.
        """
        if not job.caller:
            return job.principals
        stored = cast("str | None", self._client.hget(API_KEYS, job.caller))
        if stored is not None:
            return common(job.principals, orjson.loads(stored).get("principals"))
        # Nobody knows any more what it might see: it may have been narrowed before it was revoked.
        raise Permanent("the API key of this job was revoked, and with it the right to see documents")
