"""The record in Redis of every job's items. It decides which items are due; the runner sends them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, Literal, cast

import orjson
import redis
from redis.exceptions import ResponseError

from hopline.errors import Conflict, InvalidInput, KeyReused
from hopline.models.jobs import Budget, JobState, Json, Parent, Usage
from workers.core.jobs.manifest import Manifest
from workers.core.jobs.records import Backlog, Begun, Claim, Config, Finished, Look, Moved
from workers.core.jobs.work import Event, Item, Job, Outcome, Phase, as_json
from workers.core.redis_keys import ACTIVE, HISTORY, RECENT, job_key, recent_key
from workers.ledger.queries import LedgerQueries
from workers.ledger.scripts import Scripts
from workers.ledger.wire import (
    encode,
    flat_events,
    flat_items,
    flat_release,
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


class OutboxKeeper:
    """The ledger's records of delegated items and of the outboxes of ended jobs."""

    client: redis.Redis
    config: Config
    scripts: Scripts

    def delegate(self, claim: Claim, child: str) -> bool:
        """Delegate an item to a child job, whose end finishes it; False if the item no longer waits."""
        wait = milliseconds(self.config.delegated_seconds)
        reply = self.scripts.call("delegate", claim.job_id, *claim.args(), child, wait)
        return bool(reply[0] != "gone")

    def cancel_child(self, job_id: str, parent_epoch: int, why: str) -> None:
        """End a child that works for this epoch of its parent, or an older one."""
        state, outcome = JobState.CANCELLED.value, encode({"reason": why})
        self.scripts.call("end", job_id, "", state, outcome, parent_epoch)

    def finish_child(
        self, claim: Claim, result: Json, error: str, event: Event, *, failed: bool = False
    ) -> Moved:
        """Finish a delegated item when its child ends; an error makes it a dead letter, for a retry."""
        # Not bounded: the child's outcome is in Redis already, and a refusal here would be repeated for ever.
        reply = self.scripts.call(
            "finish_child",
            claim.job_id,
            *claim.args(),
            encode(result),
            plain(error, 2000),
            event.name,
            encode(event.data),
            int(failed),
        )
        return read_moved(reply)

    def note_doubt(self, job_id: str) -> None:
        """Record that a running job was paused because its children failed, so that it happens once."""
        self.client.hset(job_key(job_id, "job"), "failed:doubted", 1)

    def outbox(self, job_id: str) -> dict[str, str]:
        """Return the follow-up work of an ended job."""
        return cast("dict[str, str]", self.client.hgetall(job_key(job_id, "outbox")))

    def strike(self, job_id: str, epoch: int, entry: str, value: str) -> None:
        """Remove an entry from a job's outbox if it is unchanged since it was read in this epoch."""
        self.scripts.call("strike", job_id, epoch, entry, value)

    def hand_over(self, job_id: str, epoch: int, row: str, most: int) -> Literal["none", "kept", "lost"]:
        """Hand over an ended job's row of history, once for its end in this epoch.

        Args:
            job_id: the job.
            epoch: epoch that it ended in.
            row: the row as JSON; "" if history is turned off.
            most: maximum number of rows waiting to be written; further rows are lost.
        """
        reply = self.scripts.call("hand_over", job_id, epoch, row, most, more_keys=(HISTORY,))
        return cast('Literal["none", "kept", "lost"]', reply[0])

    def leave(self, job_id: str) -> bool:
        """Remove an ended job with an empty outbox from the index of active jobs; True the first time."""
        return bool(self.scripts.call("leave", job_id, more_keys=(ACTIVE,))[0])

    def forget(self, job_id: str, epoch: int) -> None:
        """Delete a child that ended in this epoch, once its parent has its outcome."""
        self.scripts.call("forget", job_id, epoch)


RECENT_KEPT = 200_000  # of all, and of each API key; some 20 MB of Redis
_MILLION = 1_000_000
_BESIDE_SPEC = {"request_id", "trace"}
_FIELDS = {"calls": "max_calls", "tokens": "max_tokens", "cost": "max_cost"}


class Ledger(LedgerQueries, OutboxKeeper):
    """Jobs and items, changed by scripts that each perform one step atomically.

    Args:
        client: a Redis client with `decode_responses`; its retries may repeat any call harmlessly.
        config: times and limits for jobs submitted here.
        recent_kept: number of the newest jobs listed, both overall and per API key.
    """

    def __init__(
        self, client: redis.Redis, config: Config | None = None, *, recent_kept: int = RECENT_KEPT
    ) -> None:
        super().__init__(client)
        self._recent_kept = recent_kept
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
        """Create an active job, listed among the newest overall and of its API key; may be repeated.

        A child is created only while its parent's item waits for it.

        Args:
            job: the data that every item may use.
            phase: its first phase.
            manifest: the list of items of that phase that are still to be admitted.
            budget: limits of its model use.
            timeout: seconds until its deadline.
            parent: the item that the job's end finishes.
            session: session that its answer belongs to.
            config: special times and limits; a job with these belongs to the service and is not listed among
                users' jobs.

        Returns:
            Its epoch; 0 if the job already exists, or is a child that no item waits for.

        Raises:
            KeyReused: the id was used with another job (an idempotency key with another body).
            InvalidInput: it has too many items, or one is too large.
        """
        fields = [
            *time_fields(config or self.config, timeout),
            *limit_fields(budget or Budget()),
            *growth_fields(phase, manifest),
            *(("session", session) if session else ()),
            *(("webhook", job.webhook) if job.webhook and parent is None else ()),
            *(("reply", job.reply.model_dump_json()) if job.reply and parent is None else ()),
            *(("request", job.request_id) if job.request_id else ()),
            *(("trace", job.trace) if job.trace else ()),
        ]
        spec = job.model_dump_json(exclude=_BESIDE_SPEC)
        newest = dict.fromkeys((RECENT, recent_key(job.caller))) if parent is None and config is None else ()
        reply = self.scripts.call(
            "submit",
            job.id,
            spec,
            parent.model_dump_json() if parent else "",
            self._recent_kept,
            len(fields) // 2,
            *fields,
            *flat_items(phase.items),
            more_keys=(*newest, ACTIVE),
        )
        if reply[0] == "conflict" and not is_same(orjson.loads(spec), orjson.loads(reply[1])):
            raise KeyReused(job.id)
        return int(reply[1]) if reply[0] == "created" else 0

    def end(self, job_id: str, epoch: int | None, state: JobState, outcome: Json) -> bool:
        """End a job; the first caller wins and gets True."""
        of = "" if epoch is None else epoch
        return bool(self.scripts.call("end", job_id, of, state.value, encode(outcome), "")[0] == "ended")

    def end_flow(self, claim: Claim, state: JobState, outcome: Json) -> bool:
        """Finish an advance item by ending the job; False if the flow has already moved on or ended."""
        ended = ("end", claim.job_id, claim.epoch, state.value, encode(outcome), "", claim.item_id)
        return bool(self.scripts.call(*ended)[0] == "ended")

    def close(self, job_id: str, epoch: int, phase: int, why: str, *, late: bool = False) -> Moved:
        """Close a phase early: items without a valid lease are dropped, and no more items are added.

        If no item of the phase is left, the advance item becomes due; it is leased to nobody.

        Args:
            job_id: the job.
            epoch: epoch of the job.
            phase: the phase to close.
            why: reason for closing it.
            late: whether the deadline has passed. If so, items of this and later phases that waited for a
                server, a limit or their next attempt fail with the reason instead of being dropped.
        """
        return read_moved(self.scripts.call("close", job_id, epoch, phase, plain(why, 500), int(late)))

    # items ----------------------------------------------------------------------------------------

    def begin(self, claim: Claim, *, quarantine: bool = False, want_job: bool = True) -> Begun:
        """Take an item's lease, or return why it cannot be taken."""
        args = self._begin_args(claim, quarantine=quarantine, want_job=want_job)
        return _begun(claim, self.scripts.call("begin", claim.job_id, *args))

    def _begin_args(self, claim: Claim, *, quarantine: bool, want_job: bool) -> list[str | int]:
        lease = milliseconds(self.config.lease_seconds)
        return [*claim.args(), int(quarantine), int(want_job), lease]

    def renew(self, claims: Sequence[Claim]) -> list[bool | None]:
        """Renew leases in one round trip; False means that the caller has lost the lease.

        None means that the job's record could not be read: the state is unknown, and the call may be
        repeated.
        """
        calls = [(claim.job_id, claim.args()) for claim in claims]
        replies = self.scripts.call_many("renew", calls)
        return [None if isinstance(reply, ResponseError) else reply[0] == 1 for reply in replies]

    def finish(
        self, claim: Claim, outcome: Outcome, seconds: float = 0.0, usage: Usage | None = None
    ) -> Moved:
        """Record a result, once; the first result wins, whichever worker sends it."""
        args = _finish_args(Finished(claim=claim, outcome=outcome, seconds=seconds, usage=usage or Usage()))
        return read_moved(self.scripts.call("finish", claim.job_id, *args))

    def open_phase(self, claim: Claim, phase: Phase, manifest: Manifest | None = None) -> Moved:
        """Finish an advance item by opening the next phase, atomically and only once."""
        return read_moved(self.scripts.call("advance", claim.job_id, *_open_args(claim, phase, manifest)))

    def go_on(
        self, done: Sequence[Finished], opening: Claim, phase: Phase
    ) -> tuple[list[Moved], list[Begun]]:
        """Finish the last items of a phase, open the next one and take its items: one round trip.

        Each script decides as if it were called alone: if these items do not complete their phase, nothing is
        opened and there is nothing to take. May be repeated.

        Args:
            done: the items, all claimed with one token.
            opening: the claim on the advance item.
            phase: the next phase.

        Returns:
            The outcome for each result, and for each item of the phase.
        """
        claims = [opening.on(item.id) for item in phase.items]
        replies = self.scripts.call_all(
            opening.job_id,
            [
                *(("finish", _finish_args(finished)) for finished in done),
                ("advance", _open_args(opening, phase)),
                *(("begin", self._begin_args(claim, quarantine=False, want_job=False)) for claim in claims),
            ],
        )
        moved = [read_moved(reply) for reply in replies[: len(done)]]
        begun = zip(claims, replies[len(done) + 1 :], strict=True)
        return moved, [_begun(claim, reply) for claim, reply in begun]

    def admit(self, job_id: str, epoch: int, cursor: int, items: Sequence[Item]) -> Moved:
        """Admit the next items of a manifest; does nothing if the cursor has moved on."""
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
        """Return a lease without counting an attempt."""
        reply = self.scripts.call(
            "defer", claim.job_id, *claim.args(), milliseconds(seconds), plain(why, 500)
        )
        return bool(reply[0] == "deferred")

    def put_back(self, job_id: str, epoch: int, item_id: str) -> bool:
        """Make an item due now whose message was dropped because the job is paused; False if not needed."""
        return bool(self.scripts.call("put_back", job_id, epoch, item_id)[0] == "due")

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

    def look(self, job_ids: Sequence[str], backlogs: Sequence[Backlog] = ()) -> list[Look]:
        """Check jobs in one round trip for items to send again, phases to close, ended or broken jobs.

        Args:
            job_ids: the jobs.
            backlogs: backlog of each job; items sent later than the oldest message in it are not sent again.
        """
        waits = (
            milliseconds(self.config.delegated_seconds),
            milliseconds(self.config.resend_cap_seconds),
        )
        waiting = [orjson.dumps(backlog).decode() if backlog else "" for backlog in backlogs]
        each = zip(job_ids, waiting or repeat("", len(job_ids)), strict=True)
        replies = self.scripts.call_many(
            "look", [(job_id, [*waits, waits_for]) for job_id, waits_for in each]
        )
        return [read_look(reply) for reply in replies]

    # limits ---------------------------------------------------------------------------------------

    def raise_budget(self, job_id: str, budget: Budget) -> None:
        """Set the given limits of a running job; the others stay.

        Raises:
            InvalidInput: a limit does not exceed the amount already spent or reserved, or no limit is given.
            Conflict: the job has ended.
        """
        amounts = limits(budget)
        reply = self.scripts.call(
            "raise_limits", job_id, *(part for pair in amounts.items() for part in pair)
        )
        if reply[0] == "gone":
            raise Conflict(f"job {job_id} has ended")
        if reply[0] == "low":
            name, booked = reply[1], reply[2]
            scale = _MILLION if name == "cost" else 1
            allowed = f"more than the {booked / scale:g} that are spent or booked already"
            raise InvalidInput(_FIELDS[name], amounts[name] / scale, allowed)

    def set_hours(self, job_id: str, hours: str, zone: str, free_until: float) -> None:
        """Set the hours of a running job; it may also run until `free_until`, in seconds since the epoch.

        Raises:
            Conflict: the job has ended.
        """
        fields = ("hours", hours, "zone", zone, "hours_free", round(free_until * 1000))
        if self.scripts.call("set_hours", job_id, *fields)[0] == "gone":
            raise Conflict(f"job {job_id} has ended")


def _finish_args(done: Finished) -> list[str | int]:
    return [
        *done.claim.args(),
        encode(as_json(done.outcome.result), bounded=True),
        *spent(done.seconds, done.usage),
        *flat_events(done.outcome.events),
        *flat_items(done.outcome.children),
        len(done.outcome.notes),
        *done.outcome.notes,
        *flat_release(done.outcome.given_back),
    ]


def _open_args(claim: Claim, phase: Phase, manifest: Manifest | None = None) -> list[str | int]:
    return [
        *claim.args(),
        manifest.reference if manifest else "",
        manifest.size if manifest else 0,
        phase.window,
        len(phase.caps),
        *(part for pair in phase.caps.items() for part in pair),
        *flat_items(phase.items),
        "" if phase.subjects is None else phase.subjects,
    ]


def _begun(claim: Claim, reply: list[Any]) -> Begun:
    if reply[0] != "go":
        return Begun(verdict=reply[0], lost="".join(reply[1:2]), died=reply[2:] == ["1"])
    _, step, phase, input_json, tries, spec, request, lost, trace = reply
    own = {"epoch": claim.epoch, "request_id": request, "trace": trace}
    job = Job.read_stored(spec).model_copy(update=own) if spec else None
    return Begun(
        verdict="go",
        step=step,
        phase=int(phase),
        input=orjson.loads(input_json),
        tries=int(tries),
        job=job,
        lost=lost,
    )
