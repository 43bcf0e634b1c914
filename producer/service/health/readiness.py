"""Readiness: probes every part that work needs, all at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import structlog

from hopline.models.about import Part, Readiness
from infra.local.probes import (
    NO_WORKER,
    OPTIONAL,
    Answer,
    NotThereError,
    beat_at_work,
    probe_redis,
    queue_idle,
    refused_login,
    server_probes,
)
from infra.local.status import waiting_by_limiter
from workers.limits.breakers import Breakers
from workers.limits.model_queues import lines_now
from workers.limits.work_pauses import WorkPauses
from workers.telemetry.presence import blind_by_queue, workers_by_queue
from workers.telemetry.queues import BEHIND, QUEUES, SUBMISSIONS

if TYPE_CHECKING:
    from workers.services import Services

log = structlog.get_logger()

SECONDS = 3.5  # that one part may take to answer
_KEPT_SECONDS = 1.0  # so that many who ask are one question
_PROBES = 16

Asked = Callable[[], str]  # returns what the part says of itself; raises where it is away


class Probes:
    """Probes the parts, at most once a second however many callers ask.

    A hanging probe is given up after its time limit, and the part is not probed again until its thread has
    returned.

    Args:
        asks: the probe of each part, by name.
        seconds: time limit of each probe.
    """

    def __init__(self, asks: dict[str, Asked], seconds: float = SECONDS) -> None:
        self._asks = asks
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(_PROBES, thread_name_prefix="probe")
        self._under_way: dict[str, Future[str]] = {}
        self._task: asyncio.Task[Readiness] | None = None
        self._until = 0.0

    async def now(self) -> Readiness:
        """Return the status of the parts, at most a second old."""
        if self._task is None or (self._task.done() and time.monotonic() >= self._until):
            self._task = asyncio.create_task(self._ask_all())
        return await asyncio.shield(self._task)

    def close(self) -> None:
        """Stop waiting for probes."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask_all(self) -> Readiness:
        parts = await asyncio.gather(*(self._ask(name) for name in self._asks))
        self._until = time.monotonic() + _KEPT_SECONDS
        return Readiness(ready=all(part.state == "up" for part in parts), parts=tuple(parts))

    async def _ask(self, name: str) -> Part:
        started = time.monotonic()
        known = self._under_way.get(name)
        future = known if known and not known.done() else self._threads.submit(self._asks[name])
        self._under_way[name] = future
        answer = asyncio.wrap_future(future)
        answer.add_done_callback(_heard)
        await asyncio.wait({answer}, timeout=self._seconds)
        spent = round(1000 * (time.monotonic() - started), 1)
        error = answer.exception() if answer.done() else TimeoutError()
        if error is None:
            return Part(name=name, state="up", ms=spent, detail=answer.result())
        why = str(error) if isinstance(error, NotThereError) else type(error).__name__
        why = refused_login(error) or why
        log.warning("part.down", part=name, error=why)
        return Part(name=name, state="down", ms=spent, detail=why)


def probes_of(services: Services) -> Probes:
    """Return probes of the configured servers and of each queue's workers."""
    servers = server_probes(services.settings)
    broker = services.settings.broker_url
    if broker:
        servers["broker"] = partial(probe_redis, broker.get_secret_value())
    asks: dict[str, Asked] = {name: partial(_version, ask) for name, ask in servers.items()}
    asks |= {f"workers {queue}": partial(_workers, services, queue) for queue in (*QUEUES, SUBMISSIONS)}
    asks["beat"] = partial(beat_at_work, services.hasty_redis)
    waits = {"breakers": _breakers, "limits": _limits, "pauses": _pauses}
    return Probes(asks | {name: partial(ask, services) for name, ask in waits.items()})


def _version(ask: Callable[[], Answer]) -> str:
    return ask()[0]


def _breakers(services: Services) -> str:
    """Name the servers that bulk work waits for; questions continue."""
    opened = sorted(Breakers(services.hasty_redis).all())
    return f"open: {', '.join(opened)}" if opened else "all closed"


def _limits(services: Services) -> str:
    waiting = waiting_by_limiter(lines_now(services.hasty_redis))
    summary = ", ".join(f"{count} calls for {limiter}" for limiter, count in sorted(waiting.items()))
    return f"waiting: {summary}" if summary else "nobody waits"


def _pauses(services: Services) -> str:
    """Return the number of pauses, without names of models and keys, which the probe must not reveal."""
    paused = WorkPauses(services.hasty_redis).all()
    queues = sorted(pause.name for pause in paused if pause.kind == "queue")
    others = len(paused) - len(queues)
    parts = [*(f"queue {name}" for name in queues), *([f"{others} others"] if others else [])]
    return f"paused: {', '.join(parts)}" if parts else "nothing is paused"


def _heard(answer: asyncio.Future[str]) -> None:
    """Consume a probe's late failure, so that asyncio does not log it."""
    if not answer.cancelled():
        answer.exception()


def _workers(services: Services, queue: str) -> str:
    count = workers_by_queue(services.hasty_redis)[queue]
    if not count and queue in OPTIONAL:
        return queue_idle(services.hasty_redis, services.broker_redis, queue)
    if not count:
        raise NotThereError(NO_WORKER)
    blind = blind_by_queue(services.hasty_redis)[queue]
    if blind >= count and queue in BEHIND:
        raise NotThereError("no worker of this queue sees the blob store")
    summary = f"{count} workers" if count > 1 else "1 worker"
    return (
        f"{summary}, {blind} of them without the blob store (another HOPLINE_BLOB_URL?)" if blind else summary
    )
