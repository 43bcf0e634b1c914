"""Stores the records of named batches, which outlive their jobs."""

from __future__ import annotations

from typing import cast

import redis
from redis.client import Pipeline

from hopline.errors import unknown_name
from workers.core.jobs.batches import BatchRecord
from workers.core.jobs.report import BatchFacts
from workers.core.redis_keys import BATCHES, job_key
from workers.ledger.pauses import Pauses
from workers.ledger.queries import LedgerQueries

_MOST = 1000  # batches kept; the oldest are forgotten first


class Batches:
    """The records of all named batches, by name.

    Args:
        client: the ledger's Redis.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def find(self, name: str) -> BatchRecord | None:
        """Return a batch's record; None if there is none with this name."""
        text = cast("str | None", self._client.hget(BATCHES, name))
        return BatchRecord.read_stored(text) if text else None

    def get(self, name: str) -> BatchRecord:
        """Return a batch's record.

        Raises:
            InvalidInput: there is no batch with this name.
        """
        record = self.find(name)
        if record is None:
            raise unknown_name("batch", name, listed_by="hopline batches")
        return record

    def save(self, record: BatchRecord) -> None:
        """Store a batch's record, replacing the one with its name."""
        self._client.hset(BATCHES, record.name, record.model_dump_json())
        self._forget_oldest()

    def claim(self, record: BatchRecord, before: BatchRecord | None) -> bool:
        """Store a new batch's record; return False if the record of that name is no longer `before`."""

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
        texts = cast("dict[str, str]", self._client.hgetall(BATCHES))
        records = (BatchRecord.read_stored(text) for text in texts.values())
        return sorted(records, key=lambda record: record.created, reverse=True)

    def _forget_oldest(self) -> None:
        if self._client.hlen(BATCHES) > _MOST:
            self._client.hdel(BATCHES, *(record.name for record in self.all()[_MOST:]))


_WAITED = "waited:"  # fields of the job that pays: limiter -> milliseconds


class BatchBooks:
    """The ledger's records of named batches, for reports.

    Args:
        client: the ledger's Redis.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._batches = Batches(client)

    def of_job(self, job_id: str) -> BatchFacts | None:
        """Return a batch's record by its job; None if the batch has no name or no longer has a record."""
        job = LedgerQueries(self._client).job(job_id, outcome=False)
        record = self._batches.find(str(job.job.params.get("name", ""))) if job else None
        if job is None or record is None or record.job_id != job_id:
            return None
        return BatchFacts(
            record=record,
            state=job.state.value,
            created=job.created,
            usage=job.usage,
            waited=self._waited(job_id),
            pauses=Pauses(self._client).history(job_id),
            leases_lost=job.leases_lost,
        )

    def enter(self, name: str, job_id: str, reference: str) -> bool:
        """Record a report's reference in the batch's record; False if the name belongs to another job now."""
        record = self._batches.find(name)
        if record is None or record.job_id != job_id:
            return False
        self._batches.save(record.model_copy(update={"report": reference}))
        return True

    def _waited(self, job_id: str) -> dict[str, float]:
        stored = self._client.hscan_iter(job_key(job_id, "job"), match=_WAITED + "*", count=1000)
        fields = cast("list[tuple[str, str]]", list(stored))
        return {name.removeprefix(_WAITED): int(ms) / 1000 for name, ms in fields}
