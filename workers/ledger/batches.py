"""Stores the records of named batches, which outlive their jobs."""

from __future__ import annotations

from typing import cast

import redis
from redis.client import Pipeline

from workers.core.errors import unknown_name
from workers.core.jobs.batches import BatchRecord
from workers.ledger.keys import BATCHES

_MOST = 1000  # batches kept; the oldest are forgotten first


class Batches:
    """The records of all named batches, by name.

    Args:
        client: the ledger's Redis.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def find(self, name: str) -> BatchRecord | None:
        """Return a batch's record; None if there is none of this name."""
        found = cast("str | None", self._client.hget(BATCHES, name))
        return BatchRecord.read_stored(found) if found else None

    def get(self, name: str) -> BatchRecord:
        """Return a batch's record.

        Raises:
            InvalidInput: there is none of this name.
        """
        found = self.find(name)
        if found is None:
            raise unknown_name("batch", name, listed_by="hopline batch")
        return found

    def save(self, record: BatchRecord) -> None:
        """Store a batch's record, in place of the one of its name."""
        self._client.hset(BATCHES, record.name, record.model_dump_json())
        self._forget_oldest()

    def claim(self, record: BatchRecord, before: BatchRecord | None) -> bool:
        """Store a new batch's record; False if its name has another record than `before` by now."""

        def take(pipeline: Pipeline) -> bool:
            stored = cast("str | None", pipeline.hget(BATCHES, record.name))
            known = BatchRecord.read_stored(stored).job_id if stored else None
            pipeline.multi()
            if known not in {before.job_id if before else None, record.job_id}:
                return False
            pipeline.hset(BATCHES, record.name, record.model_dump_json())
            return True

        # redis-py types the function as one that returns nothing.
        claimed = bool(self._client.transaction(take, BATCHES, value_from_callable=True))  # type: ignore[arg-type]
        self._forget_oldest()
        return claimed

    def all(self) -> list[BatchRecord]:
        """Return the records, newest first."""
        found = cast("dict[str, str]", self._client.hgetall(BATCHES))
        records = (BatchRecord.read_stored(told) for told in found.values())
        return sorted(records, key=lambda record: record.created, reverse=True)

    def _forget_oldest(self) -> None:
        if self._client.hlen(BATCHES) > _MOST:
            self._client.hdel(BATCHES, *(record.name for record in self.all()[_MOST:]))
