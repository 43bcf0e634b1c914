"""Circuit breakers: while a server is unavailable, its work is set aside, and one item at a time tries it."""

from __future__ import annotations

import random
import time
from collections.abc import Collection
from typing import cast

import orjson
import redis
import structlog

from hopline.errors import DependencyAway
from hopline.models.base import Frozen
from workers.adapters.redis.lua import lua_source
from workers.core.errors import DependencyRefuses
from workers.core.redis_keys import BREAKERS

log = structlog.get_logger()

_FIRST_SECONDS = 2.0  # until somebody tries; doubles with every try
_LONGEST_SECONDS = 30.0
_LONGEST_ASKED_SECONDS = 3600.0  # however long a server asks to be left alone
_FEW = 5  # calls of one process in a row that a server breaks: it is out of order
MODEL = "model"  # the name of the chat models' breaker
_SHOWN = 500  # characters of why


class Breaker(Frozen):
    """An open breaker."""

    name: str  # of what is away: neo4j, vectors, disk, model, embedding
    why: str
    since: float  # seconds since the epoch
    probe: float  # when somebody tries next
    tries: int = 0


class Held(Frozen):
    """The reason why an item is deferred, and for how long."""

    seconds: float
    why: str


class Breakers:
    """The breakers of all workers; one instance per process, shared by its threads.

    Args:
        client: the ledger's Redis.
        fresh_seconds: maximum age of this process's copy of the breakers.
    """

    def __init__(self, client: redis.Redis, fresh_seconds: float = 0.5) -> None:
        self._client = client
        self._fresh_seconds = fresh_seconds
        self._open = client.register_script(lua_source("workers.limits", "open_breaker"))
        self._try = client.register_script(lua_source("workers.limits", "try_breaker"))
        self._known: dict[str, Breaker] = {}
        self._broken: dict[str, int] = {}  # calls since the last that was answered
        self._read = -fresh_seconds

    def holds(self, needs: Collection[str]) -> Held | None:
        """Return why an item that needs these servers must wait; None if it may run, even as a trial."""
        for name, breaker in self._fresh().items() if needs else ():
            if name not in needs:
                continue
            wait = self._try(keys=[BREAKERS], args=[name, *_milliseconds(_FIRST_SECONDS, _LONGEST_SECONDS)])
            if wait:
                seconds = wait / 1000
                spread = random.uniform(0.0, 1.0 + seconds / 4)  # noqa: S311 - they do not come all at once
                return Held(seconds=seconds + spread, why=f"{name} is away: {breaker.why}"[:_SHOWN])
            log.info("breaker.tried", dependency=name)
        return None

    def met(self, error: Exception, needs: Collection[str]) -> bool:
        """Open the breaker of the server that an error reports as unavailable; False for other errors."""
        if not isinstance(error, DependencyAway | DependencyRefuses) or error.dependency not in needs:
            return False
        retry_after = error.retry_after if isinstance(error, DependencyAway) else None
        self._open_one(error.dependency, str(error), retry_after or 0.0)
        return True

    def broke(self, name: str) -> None:
        """Record a call that failed at the server; a few in a row open its breaker.

        A single failure says nothing about the server: the call's own content may have caused it.
        """
        self._broken[name] = self._broken.get(name, 0) + 1
        if self._broken[name] >= _FEW:
            self._broken.pop(name, None)
            self._open_one(name, f"{_FEW} calls in a row failed", 0.0)

    def _open_one(self, name: str, why: str, retry_after: float) -> None:
        """Open a breaker; `retry_after` is the server's Retry-After in seconds."""
        wait = max(_FIRST_SECONDS, min(retry_after, _LONGEST_ASKED_SECONDS))
        args: list[str | int] = [name, why[:_SHOWN], *_milliseconds(wait), int(retry_after > 0)]
        if self._open(keys=[BREAKERS], args=args):
            log.error("breaker.opened", dependency=name, why=why[:_SHOWN])
        self._read = -self._fresh_seconds

    def passed(self, names: Collection[str]) -> None:
        """Close the breakers of servers that have just answered."""
        for name in names if self._broken else ():
            self._broken.pop(name, None)
        for name in [name for name in names if name in self._fresh()]:
            self._known = {known: breaker for known, breaker in self._known.items() if known != name}
            if self._client.hdel(BREAKERS, name):
                log.info("breaker.closed", dependency=name)

    def all(self) -> dict[str, Breaker]:
        """Return the open breakers by name."""
        texts = cast("dict[str, str]", self._client.hgetall(BREAKERS))
        return {name: _breaker(name, text) for name, text in texts.items()}

    def _fresh(self) -> dict[str, Breaker]:
        if time.monotonic() - self._read >= self._fresh_seconds:
            self._read = time.monotonic()
            self._known = self.all()
        return self._known


def trouble_of_model(breakers: Breakers) -> str:
    """Return why the last call to the model's endpoint got no answer; "" if it got one."""
    opened = breakers.all().get(MODEL)
    return f"The model did not answer when it was asked last: {opened.why}" if opened else ""


def _breaker(name: str, text: str) -> Breaker:
    fields = orjson.loads(text)
    since, probe = fields["since"] / 1000, fields["probe"] / 1000
    return Breaker(name=name, why=fields["why"], since=since, probe=probe, tries=fields["tries"])


def _milliseconds(*seconds: float) -> list[int]:
    return [int(duration * 1000) for duration in seconds]
