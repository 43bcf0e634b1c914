"""Which jobs begin nothing new, their children included, and why."""

from __future__ import annotations

import time
from typing import cast

import redis

from workers.core.batches import Pause, PauseKind
from workers.core.report import PauseSpan
from workers.ledger.keys import PAUSED, pauses_key

_HISTORY_SECONDS = 30 * 86400
_FRESH_SECONDS = 0.5  # what a process knows of the pauses is never older


def root_of(job_id: str) -> str:
    """Return the job at the top: a child's id begins with its parent's and a point."""
    return job_id.partition(".")[0]


class Pauses:
    """The pauses of all jobs; one instance per process, shared by its threads.

    What an item has begun goes on to its end; nothing else of the job is begun until it is resumed.

    Args:
        client: the ledger's Redis.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._known: dict[str, Pause] = {}
        self._read = -_FRESH_SECONDS

    def pause(self, root: str, kind: PauseKind, why: str) -> bool:
        """Pause a job; False where it is paused already, for whatever reason."""
        seconds, micros = self._client.time()
        pause = Pause(kind=kind, why=why, since=seconds + micros / 1_000_000)
        new = bool(self._client.hsetnx(PAUSED, root, pause.model_dump_json()))
        self._read = -_FRESH_SECONDS
        return new

    def resume(self, root: str) -> bool:
        """Let a job go on; False where it was not paused. The watchdog sends what is due."""
        self._read = -_FRESH_SECONDS
        pause = self.of(root)
        if pause is None or not self._client.hdel(PAUSED, root):
            return False
        seconds, micros = self._client.time()
        span = PauseSpan(**pause.model_dump(), until=seconds + micros / 1_000_000)
        self._client.rpush(pauses_key(root), span.model_dump_json())
        self._client.expire(pauses_key(root), _HISTORY_SECONDS)
        return True

    def history(self, root: str) -> tuple[PauseSpan, ...]:
        """Return the pauses that a job had, oldest first; the last one has no end where it still pauses."""
        stored = cast("list[str]", self._client.lrange(pauses_key(root), 0, -1))
        past = [PauseSpan.read_stored(told) for told in stored]
        now = self.of(root)
        return (*past, PauseSpan(**now.model_dump())) if now else tuple(past)

    def of(self, job_id: str) -> Pause | None:
        """Return why a job pauses, as it stands in this moment; None where it does not."""
        found = cast("str | None", self._client.hget(PAUSED, root_of(job_id)))
        return Pause.read_stored(found) if found else None

    def holds(self, job_id: str) -> bool:
        """Say whether nothing of a job may begin, by what was read half a second ago at most."""
        if time.monotonic() - self._read >= _FRESH_SECONDS:
            self._read = time.monotonic()
            self._known = self.all()
        return root_of(job_id) in self._known

    def all(self) -> dict[str, Pause]:
        """Return every pause by its root job."""
        found = cast("dict[str, str]", self._client.hgetall(PAUSED))
        return {root: Pause.read_stored(told) for root, told in found.items()}
