"""Admission control: refuses new jobs when the queues are full or the caller has too many in flight."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from producer.api.problems import Problem
from workers.core import ids

if TYPE_CHECKING:
    from producer.api.access import Caller
    from producer.api.context import Api
    from producer.service.service import Service

_DEPTH_SECONDS = 0.5  # how old the queues' depth may be
_RETRY_JOBS = 2  # seconds
_RETRY_QUEUES = 5


@contextmanager
def admitted(api: Api, caller: Caller, key: str | None) -> Iterator[str]:
    """Yield the idempotency key under which the block may submit a job.

    If none was sent, a new one is made. If the block raises, nothing is counted.

    Raises:
        Problem: too much work is waiting, or the caller has reached its limit of running jobs.
    """
    named = key if key is not None else f"once {ids.job_id()}"  # nobody else has it
    if key is not None and was_submitted(api, caller, named):
        yield named
        return
    with slot_for(api, caller.id, ids.job_id(caller.id, named)):
        yield named


def was_submitted(api: Api, caller: Caller, key: str) -> bool:
    """Return whether a job with this idempotency key exists, so that repeating the request adds no work."""
    if key not in caller.submitted:
        caller.submitted[key] = api.service.jobs.exists(caller.id, key)
    return caller.submitted[key]


@contextmanager
def slot_for(api: Api, caller: str, name: str) -> Iterator[None]:
    """Count a job as running for a caller, if the block starts it.

    Raises:
        Problem: as `admitted`.
    """
    api.queue_bound.check()
    slots = api.service.slots
    took = slots.take(caller, name)
    if took == "full":
        reason = f"{slots.most} jobs of this key are in flight, which is all that may be"
        raise Problem(429, f"{reason} (setting api_jobs_in_flight)", retry_after=_RETRY_JOBS)
    try:
        yield
    except BaseException:
        if took == "taken":
            slots.give_back(caller, name)
        raise
    if took == "there":
        slots.keep(caller, name)


class QueueBound:
    """Refuses work while too many messages wait; the depth is read twice a second.

    Args:
        service: reads the queues.
        most: maximum number of waiting messages, over all queues.
    """

    def __init__(self, service: Service, most: int) -> None:
        self._service = service
        self._most = most
        self._depth, self._until = 0, 0.0

    def check(self) -> None:
        """Check that the queues have room.

        Raises:
            Problem: too much work is waiting.
        """
        if time.monotonic() > self._until:
            self._depth = self._service.queue_depth()
            self._until = time.monotonic() + _DEPTH_SECONDS
        if self._depth > self._most:
            reason = f"{self._depth} messages wait for workers, more than {self._most}: try again later"
            raise Problem(503, reason, retry_after=_RETRY_QUEUES)
