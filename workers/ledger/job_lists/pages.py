"""Lists jobs in pages, newest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import cast

import orjson
import redis
from pydantic_core import to_json

from hopline.models.jobs import JobState, Json
from workers.adapters.redis.lua import lua_source
from workers.core.ids import parent_of_job
from workers.core.jobs.records import JobRecord, Wanted
from workers.core.redis_keys import ACTIVE, job_key, recent_key

_PAGE = 100  # jobs read in one round trip
LOOKED_AT = 1000  # jobs at which Redis looks without doing anything else: some milliseconds
_MOST_ACTIVE = 5000  # searched for those no longer among the newest
OF_THE_SERVICE = frozenset({"webhook", "provider_cancel"})  # kinds of jobs that nobody submits
_OF_OUTCOME = ("error", "reason")


class JobPages:
    """Lists jobs: first the newest ones, then older ones that are still running.

    Args:
        client: a Redis client with `decode_responses`.
        read: returns the records of the given jobs without their outcomes; jobs that no longer exist are left
            out.
        looked_at: number of the newest jobs that Redis examines in one call.
    """

    def __init__(
        self,
        client: redis.Redis,
        read: Callable[[Sequence[str]], list[JobRecord]],
        looked_at: int = LOOKED_AT,
    ) -> None:
        self._client = client
        self._read = read
        self._looked_at = looked_at
        self._newest = client.register_script(lua_source("workers.ledger.job_lists", "newest"))

    def page(self, wanted: Wanted, before: str, limit: int) -> tuple[list[JobRecord], str]:
        """Return a page, and the cursor of the next one; see `LedgerQueries.page`."""
        records, at = list[JobRecord](), before
        for page in self._pages(wanted, before):
            fitting = {record.job.id: record for record in self._fitting(wanted, [name for name, _ in page])}
            for name, behind in page:
                at = behind
                if name in fitting:
                    records.append(fitting[name])
                if len(records) == limit:
                    return records, at
        return records, ""

    def _pages(self, wanted: Wanted, cursor: str) -> Iterator[Sequence[tuple[str, str]]]:
        """Yield batches of (id, cursor after it) of jobs that may match."""
        looked: str | None = cursor
        while looked is not None:
            cursor = looked
            likely, looked = self._newest_before(wanted, cursor)
            yield from _batched(likely)
        yield from _batched(self._longest_before(wanted, cursor))

    def _fitting(self, wanted: Wanted, job_ids: Sequence[str]) -> list[JobRecord]:
        """Return those of some jobs that are wanted."""
        records = [record for record in self._read(job_ids) if wanted.fits(record)]
        if wanted.error is None:
            return records
        errors = errors_of(self._client, records)
        text = wanted.error.casefold()
        return [record for record in records if text in errors.get(record.job.id, "").casefold()]

    def _newest_before(self, wanted: Wanted, cursor: str) -> tuple[list[tuple[str, str]], str | None]:
        """Return (id, cursor after it) of the newest jobs that may match, and the last cursor.

        Redis checks them in batches, so that it can answer others in between; jobs of the same moment are
        ordered by id. The last cursor is None if no jobs are left.
        """
        score, _, last = cursor.partition(":")
        latest = "+inf" if wanted.until is None else repr(wanted.until)
        oldest = "-inf" if wanted.since is None else repr(wanted.since)
        args: list[str | int | bytes] = [
            score,
            last,
            latest,
            oldest,
            self._looked_at,
            orjson.dumps(_conditions(wanted)),
        ]
        reply = cast("list[str]", self._newest(keys=[recent_key(wanted.caller)], args=args))
        places = [(name, f"{float(at)!r}:{name}") for name, at in zip(reply[::2], reply[1::2], strict=True)]
        return places[1:], places[0][1] if places else None

    def _longest_before(self, wanted: Wanted, cursor: str) -> list[tuple[str, str]]:
        """Return (id, cursor after it) of running jobs too old for the list of the newest jobs."""
        if wanted.state and wanted.state.is_terminal:
            return []
        active = cast("list[str]", self._client.zrange(ACTIVE, 0, _MOST_ACTIVE - 1))
        users = [name for name in active if parent_of_job(name) is None]
        listed = self._client.zmscore(recent_key(wanted.caller), users) if users else []
        left = [name for name, score in zip(users, listed, strict=True) if score is None]
        score, _, last = cursor.partition(":")
        before = (float(score), last) if score else (float("inf"), "")
        ages = [
            (record.created, record.job.id)
            for record in self._read(left)
            if record.job.kind not in OF_THE_SERVICE and wanted.caller in ("", record.job.caller)
        ]
        older = sorted((age for age in ages if age < before), reverse=True)
        return [(name, f"{created!r}:{name}") for created, name in older]


def _batched(places: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    """Split jobs into batches that one round trip can read."""
    for at in range(0, len(places), _PAGE):
        yield places[at : at + _PAGE]


def _conditions(wanted: Wanted) -> Json:
    """Return the filter fields of a job from its keys in Redis."""
    named = [("kind", wanted.kind), *wanted.tags.items()]
    if wanted.collections is not None and len(wanted.collections) == 1:
        named.append(("collection", next(iter(wanted.collections))))
    is_open = wanted.is_open or (wanted.state is not None and not wanted.state.is_terminal)
    return {
        "state": JobState.RUNNING if is_open else wanted.state or "",
        "texts": [_pair(name, value) for name, value in named if value is not None],
        "step": f"items:{wanted.step}" if wanted.step else "",
        "wrong": wanted.error is not None,
    }


def _pair(name: str, value: str) -> str:
    """Return a field from a job's description."""
    return to_json({name: value}).decode()[1:-1]


def errors_of(client: redis.Redis, records: Sequence[JobRecord]) -> dict[str, str]:
    """Return the errors in each job's outcome, documents and dead letters, one per line, by job id."""
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
