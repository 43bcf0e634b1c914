"""The record in Redis of every job's items. It decides what is due; the runner sends it."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
import redis
from redis.exceptions import ResponseError

from workers.core.errors import Conflict, InvalidInput, KeyReused
from workers.core.jobs.manifest import Manifest
from workers.core.jobs.work import Budget, Item, Job, JobState, Json, Outcome, Phase, Usage, as_json
from workers.ledger.keys import ACTIVE, RECENT, job_key, recent_key
from workers.ledger.outboxes import OutboxKeeper
from workers.ledger.queries import LedgerQueries
from workers.ledger.records import Backlog, Begun, Claim, Config, Look, Moved, Parent
from workers.ledger.scripts import Scripts
from workers.ledger.wire import (
    encode,
    flat_events,
    flat_given,
    flat_items,
    growth_fields,
    is_same,
    limit_fields,
    limits,
    milliseconds,
    plain,
    read_look,
    read_moved,
    spent,
    time_fields,
)

_RECENT_KEPT = 2000
_MILLION = 1_000_000
_FIELDS = {"calls": "max_calls", "tokens": "max_tokens", "cost": "max_cost"}


class Ledger(LedgerQueries, OutboxKeeper):
    """Jobs and items, changed by scripts that each do one step whole.

    Args:
        client: a Redis client with `decode_responses`; its retries may repeat any call harmlessly.
        config: times and bounds for jobs submitted here.
    """

    def __init__(self, client: redis.Redis, config: Config | None = None) -> None:
        super().__init__(client)
        self.config = config or Config()
        self.scripts = Scripts(client)

    # jobs -----------------------------------------------------------------------------------------

    def submit(
        self,
        job: Job,
        phase: Phase,
        *,
        manifest: Manifest | None = None,
        budget: Budget | None = None,
        timeout: float | None = None,
        parent: Parent | None = None,
        session: str | None = None,
        config: Config | None = None,
    ) -> int:
        """Create an active job; return its epoch, 0 if it already exists. May be repeated.

        Args:
            job: what every item may know of it.
            phase: its first.
            manifest: the list of what waits of that phase.
            budget: of its model use.
            timeout: seconds until its deadline.
            parent: the item that its end finishes.
            session: to which its answer belongs.
            config: its own times and bounds; such a job is the service's, and not among those of users.

        Raises:
            KeyReused: the id was used with another job (an idempotency key with another body).
        """
        users = parent is None and config is None
        if users:
            self._list_recent(job)
        fields = [
            *time_fields(config or self.config, timeout),
            *limit_fields(budget or Budget()),
            *growth_fields(phase, manifest),
            *(("session", session) if session else ()),
            *(("webhook", job.webhook) if job.webhook and parent is None else ()),
            *(("request", job.request_id) if job.request_id else ()),
        ]
        spec = job.model_dump_json(exclude={"request_id"})
        reply = self.scripts.call(
            "submit",
            job.id,
            spec,
            parent.model_dump_json() if parent else "",
            len(fields) // 2,
            *fields,
            *flat_items(phase.items),
            last_key=ACTIVE,
        )
        if reply[0] == "conflict" and not is_same(orjson.loads(spec), orjson.loads(reply[1])):
            raise KeyReused(job.id)
        return int(reply[1]) if reply[0] == "created" else 0

    def _list_recent(self, job: Job) -> None:
        """Add a job to the newest ones: of all callers, and of its API key."""
        seconds, micros = self.client.time()
        pipeline = self.client.pipeline(transaction=False)
        for newest in {RECENT, recent_key(job.caller)}:
            pipeline.zadd(newest, {job.id: seconds + micros / 1_000_000}, nx=True)
            pipeline.zremrangebyrank(newest, 0, -_RECENT_KEPT - 1)
        pipeline.execute()

    def end(self, job_id: str, epoch: int | None, state: JobState, outcome: Json) -> bool:
        """End a job; the first caller wins and gets True."""
        of = "" if epoch is None else epoch
        return bool(self.scripts.call("end", job_id, of, state.value, encode(outcome), "")[0] == "ended")

    def close(self, job_id: str, epoch: int, phase: int, why: str) -> Moved:
        """Close a phase early: what has no valid lease is dropped, nothing is added any more.

        Where nothing is left of it, the item that advances the flow is due, leased to nobody.
        """
        return read_moved(self.scripts.call("close", job_id, epoch, phase, plain(why, 500)))

    # items ----------------------------------------------------------------------------------------

    def begin(self, claim: Claim, *, quarantine: bool = False, want_job: bool = True) -> Begun:
        """Take an item's lease, or learn why not."""
        reply = self.scripts.call("begin", claim.job_id, *claim.args(), int(quarantine), int(want_job))
        if reply[0] != "go":
            return Begun(verdict=reply[0], lost="".join(reply[1:2]), died=reply[2:] == ["1"])
        _, step, phase, given, tries, spec, request, lost = reply
        own = {"epoch": claim.epoch, "request_id": request}
        job = Job.read_stored(spec).model_copy(update=own) if spec else None
        return Begun(
            verdict="go",
            step=step,
            phase=int(phase),
            input=orjson.loads(given),
            tries=int(tries),
            job=job,
            lost=lost,
        )

    def renew(self, claims: Sequence[Claim]) -> list[bool | None]:
        """Renew leases in one round trip; False is a lease that is no longer the caller's.

        None is one of a job whose record could not be read: nobody knows, and it may be tried again.
        """
        calls = [(claim.job_id, claim.args()) for claim in claims]
        replies = self.scripts.call_many("renew", calls)
        return [None if isinstance(reply, ResponseError) else reply[0] == 1 for reply in replies]

    def finish(
        self, claim: Claim, outcome: Outcome, seconds: float = 0.0, usage: Usage | None = None
    ) -> Moved:
        """Record a result, once; the first wins, whoever brings it."""
        return read_moved(
            self.scripts.call(
                "finish",
                claim.job_id,
                *claim.args(),
                encode(as_json(outcome.result), bounded=True),
                *spent(seconds, usage or Usage()),
                *flat_events(outcome.events),
                *flat_items(outcome.children),
                *flat_given(outcome.given_back),
            )
        )

    def open_phase(self, claim: Claim, phase: Phase, manifest: Manifest | None = None) -> Moved:
        """Finish an advance item by opening the phase that follows, whole and once."""
        return read_moved(
            self.scripts.call(
                "advance",
                claim.job_id,
                *claim.args(),
                manifest.reference if manifest else "",
                manifest.size if manifest else 0,
                phase.window,
                len(phase.caps),
                *(part for pair in phase.caps.items() for part in pair),
                *flat_items(phase.items),
            )
        )

    def admit(self, job_id: str, epoch: int, cursor: int, items: Sequence[Item]) -> Moved:
        """Admit the next items of a manifest; nothing happens where the cursor has moved on."""
        reply = self.scripts.call("admit", job_id, epoch, cursor, *flat_items(items))
        if reply[0] != "admitted":
            return Moved(verdict=reply[0])
        return Moved(verdict="admitted", cursor=reply[1], added=tuple(reply[2]))

    def manifest_of(self, job_id: str) -> str:
        """Return the reference of the current phase's manifest."""
        reference = self.client.hget(job_key(job_id, "job"), "manifest")
        if not reference:
            raise Conflict(f"job {job_id} has no manifest")
        return str(reference)

    def step_of(self, job_id: str, item_id: str) -> str:
        """Return an item's step."""
        value = self.client.hget(job_key(job_id, "items"), item_id)
        if not value:
            raise Conflict(f"job {job_id} has no item {item_id}")
        return str(value).split(" ", 2)[1]

    def defer(self, claim: Claim, seconds: float, why: str) -> bool:
        """Give a lease back without counting an attempt."""
        reply = self.scripts.call(
            "defer", claim.job_id, *claim.args(), milliseconds(seconds), plain(why, 500)
        )
        return bool(reply[0] == "deferred")

    def fail(
        self,
        claim: Claim,
        error: str,
        *,
        permanent: bool = False,
        retry_after: float = 0.0,
        seconds: float = 0.0,
        usage: Usage | None = None,
    ) -> Moved:
        """Record a failed attempt: `again` after its back-off, or `dead` with a degraded result."""
        return read_moved(
            self.scripts.call(
                "fail",
                claim.job_id,
                *claim.args(),
                plain(error, 2000),
                int(permanent),
                milliseconds(retry_after),
                *spent(seconds, usage or Usage()),
            )
        )

    # the watchdog ---------------------------------------------------------------------------------

    def look(self, job_ids: Sequence[str], backlog: Backlog | None = None) -> list[Look]:
        """Check jobs in one round trip: what must be re-sent, closed, worked off, or is broken.

        What was sent later than the oldest message that waits by the backlog is not sent again.
        """
        waits: list[str | int] = [
            milliseconds(self.config.delegated_seconds),
            milliseconds(self.config.resend_cap_seconds),
            orjson.dumps(backlog).decode() if backlog else "",
        ]
        replies = self.scripts.call_many("look", [(job_id, waits) for job_id in job_ids])
        return [read_look(reply) for reply in replies]

    # limits ---------------------------------------------------------------------------------------

    def raise_budget(self, job_id: str, budget: Budget) -> None:
        """Set the given limits of a running job; the others stay.

        Raises:
            InvalidInput: a limit is not above what is spent or booked already; none was set.
            Conflict: the job has ended.
        """
        given = limits(budget)
        reply = self.scripts.call("raise_limits", job_id, *(part for pair in given.items() for part in pair))
        if reply[0] == "gone":
            raise Conflict(f"job {job_id} has ended")
        if reply[0] == "low":
            name, booked = reply[1], reply[2]
            scale = _MILLION if name == "cost" else 1
            allowed = f"more than the {booked / scale:g} that are spent or booked already"
            raise InvalidInput(_FIELDS[name], given[name] / scale, allowed)

    def set_hours(self, job_id: str, hours: str, zone: str, free_until: float) -> None:
        """Set the hours of a running job; it may also run until a time, in seconds since the epoch.

        Raises:
            Conflict: the job has ended.
        """
        told = ("hours", hours, "zone", zone, "hours_free", round(free_until * 1000))
        if self.scripts.call("set_hours", job_id, *told)[0] == "gone":
            raise Conflict(f"job {job_id} has ended")
