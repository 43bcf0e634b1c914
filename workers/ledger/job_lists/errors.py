"""Reads what went wrong in jobs, where lists ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import cast

import orjson
import redis

from hopline.models.jobs import Json
from workers.ledger.keys import job_key
from workers.ledger.records import JobRecord

_OF_OUTCOME = ("error", "reason")


def errors_of(client: redis.Redis, records: Sequence[JobRecord]) -> dict[str, str]:
    """Return by job what its end, its documents and its dead letters say of errors, a line each."""
    pipeline = client.pipeline(transaction=False)
    for record in records:
        pipeline.hget(job_key(record.job.id, "job"), "outcome")
        pipeline.hvals(job_key(record.job.id, "dead"))
    replies = pipeline.execute()
    return {
        record.job.id: "\n".join(chain(_of_outcome(outcome), _of_letters(letters)))
        for record, outcome, letters in zip(records, replies[::2], replies[1::2], strict=True)
    }


def _of_outcome(stored: str | None) -> list[str]:
    outcome = cast("Json", orjson.loads(stored)) if stored else {}
    documents = outcome.get("documents")
    parts = [outcome, *(documents if isinstance(documents, list) else [])]
    return [str(part[name]) for part in parts for name in _OF_OUTCOME if _says(part, name)]


def _says(part: object, name: str) -> bool:
    return isinstance(part, dict) and bool(part.get(name))


def _of_letters(letters: Sequence[str]) -> list[str]:
    return [str(orjson.loads(letter)["error"]) for letter in letters]
