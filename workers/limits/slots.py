"""Limits a caller's jobs in flight; slots of ended jobs are found and freed, so that none leaks."""

from __future__ import annotations

from typing import Literal, cast

import redis

from hopline.models.jobs import JobState
from workers.adapters.redis.lua import lua_source
from workers.core.redis_keys import job_key, slots_key

Taken = Literal["there", "taken", "full"]
_SCRIPT = "take_slot"
_CREATED_WITHIN = 60.0  # seconds from a slot's taking to its job's creation
_KEPT_MS = 8 * 86_400_000  # longer than a job runs


class Slots:
    """The slots of all callers.

    Args:
        client: the ledger's Redis.
        most: maximum number of jobs in flight per caller.
    """

    def __init__(self, client: redis.Redis, most: int) -> None:
        self._script = client.register_script(lua_source("workers.limits", _SCRIPT))
        self._client = client
        self.most = most

    def take(self, caller: str, job_id: str) -> Taken:
        """Take a slot for a job that is about to be submitted; those of ended jobs are freed first.

        Returns:
            taken: the job has a slot now. there: it already had one, because somebody else is submitting the
                same job. full: there is no free slot.
        """
        took = self._try(caller, job_id)
        return self._try(caller, job_id) if took == "full" and self._free(caller) else took

    def _try(self, caller: str, job_id: str) -> Taken:
        return cast("Taken", self._script(keys=[slots_key(caller)], args=[job_id, self.most, _KEPT_MS]))

    def keep(self, caller: str, job_id: str) -> None:
        """Count an existing job, even if its slot was just released."""
        seconds, micros = self._client.time()
        self._client.zadd(slots_key(caller), {job_id: seconds + micros / 1_000_000}, nx=True)

    def give_back(self, caller: str, job_id: str) -> None:
        """Release the slot of a job that was not submitted after all, unless the job is running."""
        if self._client.hget(job_key(job_id, "job"), "state") != JobState.RUNNING:
            self._client.zrem(slots_key(caller), job_id)

    def _free(self, caller: str) -> int:
        """Release the slots of jobs that have ended or never existed; return how many."""
        slots = slots_key(caller)
        held = cast("list[tuple[str, float]]", self._client.zrange(slots, 0, -1, withscores=True))
        pipeline = self._client.pipeline(transaction=False)
        for job_id, _ in held:
            pipeline.hget(job_key(job_id, "job"), "state")
        states = cast("list[str | None]", pipeline.execute())
        late = self._client.time()[0] - _CREATED_WITHIN
        ended = [
            job_id
            for (job_id, since), state in zip(held, states, strict=True)
            if state != JobState.RUNNING and (state is not None or since < late)
        ]
        return self._client.zrem(slots, *ended) if ended else 0
