"""Checks with a marker blob that this process sees the same blob store as the other workers."""

from __future__ import annotations

import secrets
import threading
import time
from typing import Protocol, cast

import redis
import structlog
from redis.client import Pipeline

from hopline.errors import HoplineError
from workers.core.redis_keys import BLOB_STORE

log = structlog.get_logger()

_LOOK_SECONDS = 2.0  # between two looks
_TOLD_SECONDS = 10.0  # who sees the marker says so about as often
_FRESH_SECONDS = 30.0  # somebody sees it who said so within these
_GONE_SECONDS = 120.0  # when nobody has seen it for so long, the store is another one: it gets a new marker


class MarkedStore(Protocol):
    """The methods of a blob store that its marker needs."""

    def has(self, reference: str) -> bool:
        """Return whether the blob exists."""

    def mark(self, data: bytes) -> str:
        """Store bytes, even if other workers cannot see them; return the reference."""


class StoreMarker:
    """The marker as one process sees it; shared by its threads.

    The first process to look creates the marker; Redis stores its reference, and when a running worker last
    saw it.

    Args:
        client: the ledger's Redis.
        store: blob store used by this process.
    """

    def __init__(self, client: redis.Redis, store: MarkedStore) -> None:
        self._client = client
        self._store = store
        self._lock = threading.Lock()
        self._looked = -_LOOK_SECONDS
        self._told = -_TOLD_SECONDS
        self._unseen_since: float | None = None  # by Redis's clock
        self.seen_by_others = False  # while this process does not see it

    def is_seen(self, *, now: bool = False) -> bool:
        """Return whether the marker exists, as of a few seconds ago or, with `now`, checked again."""
        with self._lock:
            if now or time.monotonic() - self._looked >= _LOOK_SECONDS:
                self._looked = time.monotonic()
                self._look()
            return self._unseen_since is None

    def tell(self) -> bool:
        """Record in Redis that this worker sees the marker, if it does; return whether it does."""
        seen = self.is_seen()
        if seen and time.monotonic() - self._told >= _TOLD_SECONDS:
            self._client.hset(BLOB_STORE, "seen", repr(self._now()))
            self._told = time.monotonic()
        return seen

    def renew(self) -> None:
        """Replace the marker with a new one, so that no sweep or retention rule removes it."""
        if self.is_seen(now=True):
            self._put(cast("str | None", self._client.hget(BLOB_STORE, "marker")))

    def _look(self) -> None:
        known = cast("dict[str, str]", self._client.hgetall(BLOB_STORE))
        marker, last_sighting, moment = known.get("marker"), float(known.get("seen", 0)), self._now()
        try:
            seen = marker is not None and self._store.has(marker)
            if not seen and (not last_sighting or self._waited(moment, last_sighting)):
                seen = self._put(marker)
        except HoplineError as error:  # whether the store is away is found out by who needs it
            log.warning("store.not_looked_at", error=str(error))
            return
        if not seen and self._unseen_since is None:
            log.error("store.unseen", why="its marker is missing: another HOPLINE_BLOB_URL, or no mount?")
        elif seen and self._unseen_since is not None:
            log.info("store.seen")
        self._unseen_since = None if seen else self._unseen_since or moment
        self.seen_by_others = not seen and moment - last_sighting < _FRESH_SECONDS

    def _waited(self, moment: float, last_sighting: float) -> bool:
        """Return whether no worker sees it: at start others may only be slower."""
        since = self._unseen_since
        return since is not None and moment - max(last_sighting, since) > _GONE_SECONDS

    def _put(self, before: str | None) -> bool:
        """Make a new blob the marker; False if another process has done that meanwhile."""
        marker = self._store.mark(f"hopline's blobs, {secrets.token_hex(16)}\n".encode())

        def enter(pipeline: Pipeline) -> bool:
            known = cast("str | None", pipeline.hget(BLOB_STORE, "marker"))
            pipeline.multi()
            if known == before:
                pipeline.hset(BLOB_STORE, "marker", marker)
            return known == before

        # redis-py types the function as one that returns nothing.
        return bool(self._client.transaction(enter, BLOB_STORE, value_from_callable=True))  # type: ignore[arg-type]

    def _now(self) -> float:
        seconds, micros = self._client.time()
        return float(seconds) + micros / 1_000_000
