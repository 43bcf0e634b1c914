"""Queries over the ledger: jobs, their progress, results and dead letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any, cast

import orjson
import redis
import structlog
from pydantic import ValidationError

from hopline.models.jobs import Budget, DeadLetter, JobState, Json, Parent, Usage
from workers.core.ids import child_job_id, parent_of_job
from workers.core.jobs.records import JobRecord, Wanted
from workers.core.jobs.work import ChildResult, Done, Event, Job
from workers.core.redis_keys import ACTIVE, job_key
from workers.ledger.job_lists.pages import JobPages

log = structlog.get_logger()

_MILLION = 1_000_000
_UNTOLD_SECONDS = 600  # after its end, when a job should have told of it
# What is counted of items that a worker took; of one that it has now, there is a lease.
_LEFT_BY_ITEMS = frozenset({"put_offs", "tried", "leases_lost", "delegated", "dropped"})
_NUMBER = re.compile(r"-?[0-9]{1,18}")


class LedgerQueries:
    """The ledger's read side.

    Args:
        client: a Redis client with `decode_responses`.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def job(self, job_id: str, *, outcome: bool = True) -> JobRecord | None:
        """Return a job's record; None if it never existed or has expired.

        A batch's outcome is as long as its list of documents, so it can be left out.
        """
        records = self.jobs_by_id([job_id]) if outcome else self._without_outcomes([job_id])
        return records[0] if records else None

    def exists(self, job_id: str) -> bool:
        """Return whether a job has a record."""
        return bool(self.client.exists(job_key(job_id, "job")))

    def page(self, wanted: Wanted, *, before: str = "", limit: int = 50) -> tuple[list[JobRecord], str]:
        """Return a page of jobs that pass a filter, newest first, without their outcomes.

        Args:
            wanted: the filter.
            before: the cursor returned with the previous page; "" for the first page.
            limit: maximum number of jobs.

        Returns:
            The jobs, and the cursor of the next page; "" if there is none.
        """
        return JobPages(self.client, self._without_outcomes).page(wanted, before, limit)

    def _without_outcomes(self, job_ids: Sequence[str]) -> list[JobRecord]:
        pipeline = self.client.pipeline(transaction=False)
        for job_id in job_ids:
            pipeline.exists(job_key(job_id, "lease"))
            pipeline.hkeys(job_key(job_id, "job"))
        replies = pipeline.execute()
        leased, known = replies[::2], dict(zip(job_ids, replies[1::2], strict=True))
        named = {job_id: [name for name in names if name != "outcome"] for job_id, names in known.items()}
        for job_id, names in named.items():
            pipeline.hmget(job_key(job_id, "job"), ["spec", *names])
            pipeline.hlen(job_key(job_id, "dead"))
        replies = pipeline.execute()
        hashes = (
            {name: value for name, value in zip(["spec", *names], values, strict=True) if value is not None}
            for names, values in zip(named.values(), replies[::2], strict=True)
        )
        return _records(hashes, replies[1::2], leased)

    def jobs_by_id(self, job_ids: Sequence[str]) -> list[JobRecord]:
        """Return the given jobs in one round trip; those that no longer exist are left out."""
        pipeline = self.client.pipeline(transaction=False)
        for job_id in job_ids:
            pipeline.exists(job_key(job_id, "lease"))  # first: what ends after it is seen in what follows
            pipeline.hgetall(job_key(job_id, "job"))
            pipeline.hlen(job_key(job_id, "dead"))
        replies = pipeline.execute()
        return _records(replies[1::3], replies[2::3], replies[::3])

    def running(self, job_ids: Collection[str]) -> set[str]:
        """Return those of the given jobs that are running."""
        pipeline = self.client.pipeline(transaction=False)
        for job_id in job_ids:
            pipeline.hget(job_key(job_id, "job"), "state")
        states = pipeline.execute()
        return {job_id for job_id, state in zip(job_ids, states, strict=True) if state == JobState.RUNNING}

    def tenants(self, job_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the tenants of jobs: in a shared queue, their messages wait under one of them.

        The weights at the time of sending decide which one.
        """
        pipeline = self.client.pipeline(transaction=False)
        for job_id in job_ids:
            pipeline.hget(job_key(job_id, "job"), "spec")
        specs = zip(job_ids, pipeline.execute(), strict=True)
        return {job_id: _tenants(spec) for job_id, spec in specs if spec}

    def ended_child(self, job_id: str) -> JobRecord | None:
        """Return the record of a child deleted after its parent got its outcome; None if there is none."""
        parent = self.job(parent_of_job(job_id) or "", outcome=False)
        if parent is None:
            return None
        # A batch has thousands of results: only the one of this child's item is read.
        results = job_key(parent.job.id, "result")
        items = cast("list[str]", self.client.hkeys(results))
        item = next((item_id for item_id in items if child_job_id(parent.job.id, item_id) == job_id), None)
        stored = cast("str | None", self.client.hget(results, item)) if item is not None else None
        if item is None or stored is None:
            return None
        _, done = done_of(item, stored)
        child = ChildResult.read_stored(done.result)
        return _of_child(parent, done, child) if child.job_id == job_id else None

    def results(self, job_id: str) -> dict[int, list[Done]]:
        """Return the finished items by phase, ordered by id."""
        stored = cast("dict[str, str]", self.client.hgetall(job_key(job_id, "result")))
        phases: dict[int, list[Done]] = {}
        for item_id in sorted(stored):
            if stored[item_id].split(" ", 2)[1] == "flow.advance":
                continue
            phase, done = done_of(item_id, stored[item_id])
            phases.setdefault(phase, []).append(done)
        return phases

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the dead letters, with their inputs and errors."""
        dead = cast("dict[str, str]", self.client.hgetall(job_key(job_id, "dead")))
        ids = sorted(dead)
        items = cast("list[str | None]", self.client.hmget(job_key(job_id, "items"), ids)) if ids else []
        letters = []
        for item_id, item in zip(ids, items, strict=True):
            why = orjson.loads(dead[item_id])
            letters.append(
                DeadLetter(
                    item_id=item_id,
                    step=why["step"],
                    phase=why["phase"],
                    error=why["error"],
                    input=input_in(item),
                    at=why["at"] / 1000,
                )
            )
        return letters

    def input_of(self, job_id: str, item_id: str) -> Json:
        """Return the input of an item; {} if there is no such item."""
        return input_in(cast("str | None", self.client.hget(job_key(job_id, "items"), item_id)))

    def first_errors(self, job_id: str, most: int) -> list[tuple[str, str]]:
        """Return (step, error) of up to `most` dead letters, without their inputs: there may be thousands."""
        dead = self.client.hscan_iter(job_key(job_id, "dead"), count=most)
        letters = [orjson.loads(why) for _, why in islice(dead, most)]
        return [(why["step"], why["error"]) for why in letters]

    def trace_of(self, job_id: str) -> str:
        """Return the trace of a job; "" if it has none or is unknown."""
        return cast("str | None", self.client.hget(job_key(job_id, "job"), "trace")) or ""

    def events(
        self, job_id: str, after: str = "0", *, block: float | None = None, limit: int = 500
    ) -> list[tuple[str, Event]]:
        """Return events after a stream id, oldest first.

        Args:
            job_id: the job.
            after: the last id read; "0" for all stored events.
            block: seconds to wait for the first event; None to return immediately.
            limit: maximum number of events.
        """
        wait = None if block is None else max(1, round(block * 1000))
        reply = self.client.xread({job_key(job_id, "events"): after}, count=limit, block=wait)
        return entries_of(reply)


def entries_of(reply: Any) -> list[tuple[str, Event]]:
    """Return the (id, event) pairs in a reply to XREAD on one stream, in either of Redis's protocols."""
    if not reply:
        return []
    streams = reply.values() if isinstance(reply, dict) else [entries for _, entries in reply]
    entries = next(iter(streams))
    if entries and isinstance(entries[0], list):  # RESP3 wraps the entries of a stream once more
        entries = entries[0] if isinstance(entries[0][0], (list, tuple)) else entries
    return [
        (entry_id, Event(name=fields["name"], data=orjson.loads(fields["data"])))
        for entry_id, fields in entries
    ]


def _records(hashes: Iterable[dict[str, str]], dead: Iterable[int], leased: Iterable[int]) -> list[JobRecord]:
    records = (_readable(*each) for each in zip(hashes, dead, leased, strict=True))
    return [record for record in records if record is not None]


def done_of(item_id: str, stored: str) -> tuple[int, Done]:
    """Return an item's phase, and its result."""
    number, step, value = stored.split(" ", 2)
    error = value[1:] if value.startswith("!") else None
    result = {} if error is not None else orjson.loads(value)
    return int(number), Done(item_id=item_id, step=step, result=result, error=error)


def input_in(stored: str | None) -> Json:
    """Return the input in an item's stored text; {} if there is none."""
    fields: Json = orjson.loads(stored.split(" ", 2)[2]) if stored else {}
    return fields


def _of_child(parent: JobRecord, done: Done, child: ChildResult) -> JobRecord:
    """Build a child job's record from what its parent recorded."""
    job = parent.job.model_copy(
        update={"id": child.job_id, "kind": done.step.rpartition(".")[2], "params": {}}
    )
    ended = parent.ended or parent.created
    fields = {
        "state": child.state,
        "outcome": child.outcome,
        "ended": ended,
        "parent": Parent(job_id=parent.job.id, epoch=parent.epoch, item_id=done.item_id),
    }
    empty = {
        "items": {},
        "done": {},
        "timings": {},
        "usage": Usage(),
        "models": {},
        "dead": 0,
        "dropped": 0,
        "leases_lost": 0,
    }
    return parent.model_copy(update={**empty, **fields, "job": job})


def _readable(fields: dict[str, str], dead: int, leased: int) -> JobRecord | None:
    """Return a job's record; one that cannot be read must not hide the others."""
    if "spec" not in fields:
        return None
    try:
        return _record(fields, dead, leased)
    except (ValidationError, ValueError, KeyError) as error:
        log.exception("job.unreadable", spec=fields["spec"][:200], error=str(error)[:200])
        return None


def _record(fields: dict[str, str], dead: int, leased: int) -> JobRecord:
    job = Job.read_stored(fields["spec"])
    beside = {"request_id": fields.get("request", ""), "trace": fields.get("trace", "")}
    number = {name: int(value) for name, value in fields.items() if _NUMBER.fullmatch(value)}
    return JobRecord(
        job=job.model_copy(update={"epoch": number["epoch"], **beside}),
        state=JobState(fields["state"]),
        phase=number["phase"],
        epoch=number["epoch"],
        created=number["created"] / 1000,
        ended=number["ended"] / 1000 if "ended" in number else None,
        items=_per_step(number, "items:"),
        done=_per_step(number, "done:"),
        timings={step: ms / 1000 for step, ms in _per_step(number, "ms:").items()},
        usage=_usage(job, number),
        models=_models(number),
        budget=_budget(number),
        leases_lost=number.get("leases_lost", 0),
        dead=dead + number.get("dead_spooled", 0),
        dropped=number.get("dropped", 0),
        closed_for=fields.get("closed_for"),
        waits_for=fields.get("put_off") if fields["state"] == JobState.RUNNING else None,
        deadline=number["deadline"] / 1000 if "deadline" in number else None,
        outcome=orjson.loads(fields["outcome"]) if "outcome" in fields else None,
        parent=Parent.read_stored(fields["parent"]) if "parent" in fields else None,
        window=number.get("window", 200),
        paged="dead_spooled" in number,
        first_epoch=number.get("first_epoch", 1),
        hours=(fields["hours"], fields.get("zone", "")) if "hours" in fields else None,
        hours_free=number.get("hours_free", 0) / 1000,
        has_begun=bool(leased) or any(name in _LEFT_BY_ITEMS or name.startswith("done:") for name in number),
    )


def _per_step(number: dict[str, int], prefix: str) -> dict[str, int]:
    named = {name.removeprefix(prefix): count for name, count in number.items() if name.startswith(prefix)}
    named.pop("flow.advance", None)  # the flow's own, no step that anyone waits for
    return named


def _usage(job: Job, number: dict[str, int]) -> Usage:
    # The job that pays knows every settled call; its children know what their own finished items took.
    if job.root not in ("", job.id):
        return Usage(
            model_calls=number.get("own_calls", 0),
            prompt_tokens=number.get("own_prompt", 0),
            completion_tokens=number.get("own_completion", 0),
        )
    return Usage(
        model_calls=number.get("spent_calls", 0),
        prompt_tokens=number.get("spent_prompt", 0),
        completion_tokens=number.get("spent_completion", 0),
        cost=number["spent_cost"] / _MILLION if "spent_cost" in number else None,
    )


def _models(number: dict[str, int]) -> dict[str, Usage]:
    # What a worker settled that did not name the model is in the job's usage alone.
    return {
        name: Usage(
            model_calls=calls,
            prompt_tokens=number.get(f"model:prompt:{name}", 0),
            completion_tokens=number.get(f"model:completion:{name}", 0),
            cost=number[cost] / _MILLION if (cost := f"model:cost:{name}") in number else None,
        )
        for name, calls in _per_step(number, "model:calls:").items()
    }


def _budget(number: dict[str, int]) -> Budget:
    cost = number.get("limit_cost")
    return Budget(
        model_calls=number.get("limit_calls"),
        tokens=number.get("limit_tokens"),
        cost=None if cost is None else cost / _MILLION,
    )


_COUNTED_AT_ONCE = 500
_MOST = 5000  # whose kind is looked at; a scrape must not read a night's work
UNREAD = "unread"


def running_by_kind(client: redis.Redis) -> dict[str, int]:
    """Return the number of running jobs by kind; those beyond the newest 5000 are counted as `unread`."""
    total = client.zcard(ACTIVE)
    newest = cast("list[str]", client.zrevrange(ACTIVE, 0, _MOST - 1))
    counts: Counter[str] = Counter()
    for at in range(0, len(newest), _COUNTED_AT_ONCE):
        pipeline = client.pipeline(transaction=False)
        for job_id in newest[at : at + _COUNTED_AT_ONCE]:
            pipeline.hmget(job_key(job_id, "job"), ["state", "spec"])
        counts.update(_kind(spec) for state, spec in pipeline.execute() if state == JobState.RUNNING)
    if total > _MOST:
        counts[UNREAD] = total - _MOST
    return dict(counts)


def ends_untold(client: redis.Redis) -> int:
    """Return how many ended jobs lack a notification after ten minutes, among the 5000 oldest active."""
    oldest = cast("list[str]", client.zrange(ACTIVE, 0, _MOST - 1))
    pipeline = client.pipeline(transaction=False)
    pipeline.time()
    for job_id in oldest:
        pipeline.hmget(job_key(job_id, "job"), "state", "ended")
    (seconds, _micros), *ends = pipeline.execute()
    late = 1000 * (seconds - _UNTOLD_SECONDS)
    return sum(state not in (None, JobState.RUNNING) and int(ended or 0) < late for state, ended in ends)


def _tenants(spec: str) -> tuple[str, ...]:
    try:
        job = orjson.loads(spec)
        names = (f"collection {job['collection']}", f"key {job.get('caller', '')}")
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return ()
    return names if job.get("caller") else names[:1]


def _kind(spec: str) -> str:
    try:
        return str(orjson.loads(spec)["kind"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return UNREAD
