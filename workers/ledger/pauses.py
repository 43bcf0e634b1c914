"""Records which jobs are paused, including children, and why."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import cast

import redis

from hopline.models.jobs import Pause, PauseKind
from hopline.models.reports import PauseSpan
from hopline.models.times import STORED, timestamp
from workers.core.jobs.batches import PAUSE_KINDS
from workers.core.redis_keys import PAUSED, pauses_key
from workers.ledger.scripts import Scripts

_HISTORY_SECONDS = 30 * 86400
_FRESH_SECONDS = 0.5


def root_of(job_id: str) -> str:
    """Return the root of a job: a child's id starts with its parent's id and a dot."""
    return job_id.partition(".")[0]


class Pauses:
    """The pauses of all jobs; one instance per process, shared by its threads.

    A job is paused as long as it has a reason to be, and may have several. In the hash of all pauses, the
    most important reason is stored under the job's id, the only field that the previous version knows;
    further ones are stored under the id and their kind.

    Items already started are finished; no further item of the job is started until no reason is left.

    Args:
        client: the ledger's Redis.
        fresh_seconds: maximum age of a process's copy of the pauses.
    """

    def __init__(self, client: redis.Redis, fresh_seconds: float = _FRESH_SECONDS) -> None:
        self._client = client
        self._fresh = fresh_seconds
        self._scripts = Scripts(client)
        self._known: frozenset[str] = frozenset()
        self._read = -self._fresh

    def pause(self, root: str, kind: PauseKind, why: str, *, met: tuple[str, int] | None = None) -> bool:
        """Give a job a reason to pause; False if it already has one of this kind, or has ended.

        Args:
            root: the job.
            kind: kind of the reason.
            why: the reason in words.
            met: a limit of the job's budget (calls, tokens or cost) with the value that was reached; if the
                limit has another value by now, it was raised in the meantime and the job is not paused.
        """
        pause = Pause(kind=kind, why=why, since=timestamp(self._now()))
        limit = (f"limit_{met[0]}", met[1]) if met else ("", "")
        reply = self._scripts.call(
            "pause", root, PAUSED, root, kind, pause.model_dump_json(context=STORED), *limit, *PAUSE_KINDS
        )
        self._read = -self._fresh
        return bool(reply[0] == "new")

    def resume(self, root: str, *kinds: PauseKind) -> bool:
        """Remove reasons of these kinds, or all; return False if there were none.

        If none is left, the watchdog sends the due items.
        """
        return self._lift(root, *(kinds or PAUSE_KINDS))

    def drop(self, root: str) -> None:
        """Delete the pauses of an ended job, unless it was retried in the meantime."""
        self._lift(root, *PAUSE_KINDS, ended_only=True)

    def _lift(self, root: str, *kinds: PauseKind, ended_only: bool = False) -> bool:
        lifted = self._scripts.call(
            "lift", root, PAUSED, root, int(ended_only), len(kinds), *kinds, *PAUSE_KINDS
        )
        if lifted:
            self._read = -self._fresh
            ended = {"until": timestamp(self._now())}
            spans = (PauseSpan(**Pause.read_stored(text).model_dump(), **ended) for text in lifted)
            self._client.rpush(pauses_key(root), *(span.model_dump_json(context=STORED) for span in spans))
            self._client.expire(pauses_key(root), _HISTORY_SECONDS)
        return bool(lifted)

    def history(self, root: str) -> tuple[PauseSpan, ...]:
        """Return a job's pauses, oldest first; current ones come last, without an end."""
        stored = cast("list[str]", self._client.lrange(pauses_key(root), 0, -1))
        past = [PauseSpan.read_stored(text) for text in stored]
        return (*past, *(PauseSpan(**now.model_dump()) for now in self.reasons(root)))

    def of(self, job_id: str) -> Pause | None:
        """Return the most important reason why a job is currently paused; None if it is not paused."""
        return next(iter(self.reasons(job_id)), None)

    def reasons(self, job_id: str) -> tuple[Pause, ...]:
        """Return all reasons why a job is currently paused, the most important first."""
        root = root_of(job_id)
        fields = [root, *(f"{root} {kind}" for kind in PAUSE_KINDS)]
        stored = cast("list[str | None]", self._client.hmget(PAUSED, fields))
        return _in_order(Pause.read_stored(text) for text in stored if text)

    def holds(self, job_id: str) -> bool:
        """Return whether a job is paused, as read at most `fresh_seconds` ago."""
        if time.monotonic() - self._read >= self._fresh:
            self._read = time.monotonic()
            self._known = frozenset(self.all())
        return root_of(job_id) in self._known

    def all(self) -> dict[str, tuple[Pause, ...]]:
        """Return all paused jobs by the id of their root, with their reasons, the most important first."""
        stored = cast("dict[str, str]", self._client.hgetall(PAUSED))
        by_root: dict[str, list[Pause]] = {}
        for name, text in stored.items():
            by_root.setdefault(name.partition(" ")[0], []).append(Pause.read_stored(text))
        return {root: _in_order(pauses) for root, pauses in by_root.items()}

    def _now(self) -> float:
        seconds, micros = self._client.time()
        return seconds + micros / 1_000_000


def _in_order(pauses: Iterable[Pause]) -> tuple[Pause, ...]:
    return tuple(sorted(pauses, key=lambda pause: PAUSE_KINDS.index(pause.kind)))
