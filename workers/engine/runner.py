"""The runner: starts an item, runs its step, records the result and publishes what follows."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from celery.exceptions import Ignore, Retry
from redis.exceptions import RedisError, ResponseError
from structlog.contextvars import bound_contextvars

from hopline.errors import Conflict, Deferred, HoplineError, Permanent, Transient
from hopline.models.jobs import Budget
from hopline.secrets import scrubbed
from workers.core.errors import BudgetExceeded, DependencyRefuses, StoreUnseen, worded
from workers.core.jobs.flow import Step
from workers.core.jobs.messages import Publisher
from workers.core.jobs.records import Begun, Claim, Moved
from workers.core.jobs.traces import log_fields
from workers.core.jobs.work import Job
from workers.core.retries import RETRIES
from workers.engine.composition import Attempt, Composition, Following, Work
from workers.engine.driver import ADVANCE, AWAY_SECONDS, Delivery, FlowDriver
from workers.engine.leases import Leases
from workers.engine.memory_limit import MemoryLimit, is_full
from workers.engine.outages import REDIS_AWAY, outage_of, outlast
from workers.engine.session_history import without_history
from workers.engine.submit import messages_for
from workers.engine.traces import item_trace
from workers.flows.registry import flow_of
from workers.ledger.wire import limits
from workers.limits.breakers import Held
from workers.limits.fair_queue import refund_turn
from workers.services import Services
from workers.telemetry.counters import count_attempt, count_begun, count_error, count_outcome, count_written
from workers.telemetry.queues import BEHIND
from workers.telemetry.traces.leaf import follow_item, leave_item

log = structlog.get_logger()

_JOBS_KEPT = 512
_AGAIN = "again"  # the verdict on an item that will be done again later
_DEFERRED = "deferred"  # as that, but it was no attempt
_DISK = "disk"
# Calls that came back show that these are back: a step may find that it need not call.
_TOLD_BY_CALLS = frozenset(("model", "embedding"))


@dataclass
class Runner:
    """Runs items; one per process, shared by its threads.

    Args:
        services: the adapters.
        publisher: sends messages of items that the ledger makes due.
        quarantine: whether this process takes items that killed other workers.
        worker: name of this process, as in Flower; used in its claims.
        known_seconds: how long a job's description is cached.
    """

    services: Services
    publisher: Publisher
    quarantine: bool = False
    worker: str = ""
    known_seconds: float = 600.0
    _jobs: dict[tuple[str, int], tuple[float, Job]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ledger = self.services.ledger
        self.running = Leases(self.ledger, self.services.settings.lease_seconds)
        self.driver = FlowDriver(self.services, self.publisher, self.running)
        settings = self.services.settings
        self.composition = Composition(self, settings.small_document_chunks, settings.bulk_threads)
        self.full_redis = MemoryLimit()
        self.store_marker = self.services.store_marker
        self._model_seconds = RETRIES.item_time_limits * settings.model_timeout
        # Less than an ended job is kept: after that its id may be another job's.
        self.known_seconds = min(self.known_seconds, self.ledger.config.keep_seconds)

    def run(self, job_id: str, epoch: int, item_id: str, delivery: Delivery) -> str:
        """Run one item, whatever its current state.

        Returns:
            Always "ok", so that a chord's results are small.

        Raises:
            Ignore: another worker is working on the item; a chord does not count this task.
            Retry: another task will run the item later; a chord does not count this one.
        """
        try:
            if self._is_left(job_id, epoch, item_id):
                raise Ignore  # it stays due
            self.full_redis.stand_back(self.ledger.client)
            return self._run(job_id, epoch, item_id, delivery)
        except REDIS_AWAY as error:
            raise Ignore from error  # it stays due, too
        except ResponseError as error:
            if not self.full_redis.met(error):
                raise
            raise Ignore from error

    def _is_left(self, job_id: str, epoch: int, item_id: str) -> bool:
        """Defer an item of a paused job until after the pause; return False if the job is not paused.

        What is known of pauses may be older than the end of one, after which the item was sent.
        """
        pauses = self.services.pauses
        if not pauses.holds(job_id) or pauses.of(job_id) is None:
            return False
        self.ledger.put_back(job_id, epoch, item_id)
        return True

    def _run(self, job_id: str, epoch: int, item_id: str, delivery: Delivery) -> str:
        token = f"{secrets.token_hex(8)}@{self.worker}" if self.worker else secrets.token_hex(8)
        claim = Claim(job_id=job_id, epoch=epoch, item_id=item_id, token=token)
        with bound_contextvars(job_id=job_id, item=item_id):
            known = self._known(job_id, epoch)
            begun = self.ledger.begin(claim, quarantine=self.quarantine, want_job=known is None)
            count_begun(begun)
            if begun.verdict in ("busy", "later"):
                raise Ignore
            if begun.verdict == "go":
                job = known or self._remember(begun)
                with bound_contextvars(**log_fields(job.request_id, job.trace)):
                    done = self._do(Work.of(claim, job, begun), delivery)
                if not done:
                    raise Retry("message held back; it will be sent again when due", when=None)
        return "ok"

    def _known(self, job_id: str, epoch: int) -> Job | None:
        since, job = self._jobs.get((job_id, epoch), (0.0, None))
        return job if time.monotonic() - since < self.known_seconds else None

    def _remember(self, begun: Begun) -> Job:
        if begun.job is None:
            raise Conflict("the job's description is missing")
        if len(self._jobs) >= _JOBS_KEPT:
            self._jobs.clear()
        self._jobs[(begun.job.id, begun.job.epoch)] = (time.monotonic(), begun.job)
        return begun.job

    def _do(self, work: Work, delivery: Delivery) -> bool:
        """Do a taken item; False if it will run again later."""
        if work.step == ADVANCE:
            if why := work.input.get("given_up"):
                return self.driver.give_up(work.claim, work.job, work.phase, why)
            return self.driver.advance(work.claim, work.job, work.phase, delivery)
        if self.laid_aside(work):
            self._refund(work)
            return False
        try:
            attempt = self.attempt(work)
            if self.composition.takes(attempt):
                self.composition.go_on(attempt)
                return True
            verdict = self.settle(attempt, delivery=delivery)
            if verdict == _DEFERRED:
                self._refund(work)
            return verdict not in (_AGAIN, _DEFERRED)
        finally:
            self.running.release(work.claim)

    def _refund(self, work: Work) -> None:
        """Give the turn back that the message of an item has cost, whose work was put off."""
        if self.quarantine:
            return  # it waited for no turn
        flow = flow_of(work.job.kind, work.job.params)
        (message,) = messages_for(flow, work.job, [(work.claim.item_id, work.step)])
        with suppress(RedisError):
            refund_turn(self.services.broker_redis, message)

    def attempt(self, work: Work) -> Attempt:
        """Run a taken item's step, whatever it raises, while renewing its lease."""
        job, step = work.job, self._step_of(work)
        meter = self.services.meter(job)
        outcome, raised, started = None, None, time.monotonic()
        self.running.hold(work.claim, step.time_limit + self._model_seconds)
        token = follow_item(item_trace(self.services, job, work.claim, work.attempt))
        try:
            telling = self.services.telling(work.claim)
            permits = self.services.permits(meter, bulk=step.queue in BEHIND)
            ports = self.services.ports(job, meter, telling, permits)
            outcome = step.do(without_history(job, ports, work.input), ports)
            telling.tell_waiting()
        except Exception as error:  # noqa: BLE001 - whatever a step raises ends in the ledger
            raised = error
        finally:
            leave_item(token)
        seconds = time.monotonic() - started
        return Attempt(work=work, meter=meter, seconds=seconds, outcome=outcome, error=raised)

    def settle(self, attempt: Attempt, following: Following = None, delivery: Delivery | None = None) -> str:
        """Record the result of an attempt and act on it.

        Args:
            attempt: the attempt.
            following: the next phase or the end, if known.
            delivery: how its message arrived.

        Returns:
            The ledger's verdict: `recorded` if this result is the item's, `again` if the item will be run
            again later, `deferred` if that is not a failure.
        """
        work, error = attempt.work, attempt.error
        moved = None
        if error is None:
            try:
                moved = self._record(attempt)
            except Exception as raised:  # noqa: BLE001 - whatever the ledger refuses ends in it, too
                error = raised
        if error is not None:
            why = outage_of(error)
            count_error(why)
            return outlast(lambda: self._failed(attempt, why, delivery or Delivery()))
        self.running.release(work.claim)
        if moved is None:
            return "delegated"
        self.note_recorded(attempt, moved)
        self.follow(attempt, moved, following, delivery)
        close = attempt.finished.outcome.close
        if close and moved.verdict == "recorded" and not moved.advance:
            self._close_early(work.job, work.phase, close)
        return moved.verdict

    def _record(self, attempt: Attempt) -> Moved | None:
        """Record the result; None if the item was handed to a child job."""
        work, done = attempt.work, attempt.finished
        if done.outcome.delegate:
            self.driver.delegate(work.claim, work.job, done.outcome.delegate)
            count_outcome(work.step, "delegated")
            return None
        return outlast(lambda: self.ledger.finish(done.claim, done.outcome, done.seconds, done.usage))

    def note_recorded(self, attempt: Attempt, moved: Moved) -> None:
        """Count a recorded attempt, and tell the breakers which servers were available to it."""
        self.services.breakers.passed(self._step_of(attempt.work).needs - _TOLD_BY_CALLS)
        count_attempt(attempt.work.step, moved.verdict, attempt.seconds)
        if moved.verdict == "recorded":
            count_written(attempt.finished.outcome.events)

    def laid_aside(self, work: Work) -> bool:
        """Defer an item whose work is paused, and a bulk item while a server that it needs is unavailable."""
        step = self._step_of(work)
        held = self.services.work_pauses.holds(step.queue, work.step, work.job.caller)
        held = held or (self._missing(step) if step.queue in BEHIND else None)
        if held is None:
            return False
        self.ledger.defer(work.claim, held.seconds, held.why)
        count_outcome(work.step, "deferred")
        return True

    def _missing(self, step: Step[Any]) -> Held | None:
        """Return why an item waits for a server; None where all are there."""
        blind = _DISK in step.needs and not self.store_marker.is_seen()
        if blind:
            return Held(seconds=AWAY_SECONDS, why=str(StoreUnseen()))
        return self.services.breakers.holds(step.needs)

    def _step_of(self, work: Work) -> Step[Any]:
        return flow_of(work.job.kind, work.job.params).steps[work.step]

    def _close_early(self, job: Job, phase: int, why: str) -> None:
        """Close the phase after an item that is done; if that fails, the other items simply finish."""
        try:
            self.driver.close(job, phase, why)
        except Exception:
            log.exception("phase.not_closed", phase=phase)

    def follow(
        self,
        attempt: Attempt,
        moved: Moved,
        following: Following = None,
        delivery: Delivery | None = None,
    ) -> None:
        """Act on a recorded result; if that fails, the work stays due and the watchdog repeats it."""
        work = attempt.work
        children = attempt.outcome.children if attempt.outcome else ()
        try:
            self.driver.follow(work.claim, work.job, work.phase, moved, children, delivery, following)
        except Exception:
            log.exception("item.not_followed")

    def _failed(self, attempt: Attempt, error: Exception, delivery: Delivery) -> str:
        """Record a step's error by its class; return the ledger's verdict."""
        work, meter = attempt.work, attempt.meter
        claim, job = work.claim, work.job
        self._leave_full(claim, error)
        meter.tell_waits()
        wait = self._wait_for(job, work.step, error)
        if wait is not None:
            self.ledger.defer(claim, wait, str(error))
            count_outcome(work.step, "deferred")
            log.info("item.deferred", step=work.step, error=str(error))
            return _DEFERRED
        if isinstance(error, BudgetExceeded):
            self.driver.close(job, work.phase, str(error))
        if isinstance(error, Conflict):  # mostly the job has ended, or does so here, and nothing is recorded
            self.driver.leave_ended(job)
        permanent = isinstance(error, (Permanent, BudgetExceeded, Conflict))
        if isinstance(error, HoplineError):
            log.warning("item.failed", step=work.step, error=str(error), permanent=permanent)
        else:
            log.error("item.crashed", step=work.step, exc_info=error)
        moved = self.ledger.fail(
            claim,
            _worded(error),
            permanent=permanent,
            retry_after=(error.retry_after or 0.0) if isinstance(error, Transient) else 0.0,
            seconds=attempt.seconds,
            usage=meter.usage,
        )
        count_attempt(work.step, moved.verdict, attempt.seconds)
        self.follow(attempt, moved, delivery=delivery)
        return moved.verdict

    def _leave_full(self, claim: Claim, error: Exception) -> None:
        """Raise a full Redis's error: nothing was recorded, though a lease can usually be released."""
        if is_full(error):
            with suppress(ResponseError):
                self.ledger.defer(claim, AWAY_SECONDS, str(error))
            raise error

    def _wait_for(self, job: Job, name: str, error: Exception) -> float | None:
        """Return the seconds after which an item is done again that has to wait, and has not failed."""
        step = flow_of(job.kind, job.params).steps[name]
        met = step.queue in BEHIND and self.services.breakers.met(error, step.needs)
        match error:
            case Deferred():
                return error.retry_after or AWAY_SECONDS
            case DependencyRefuses() if met:
                return AWAY_SECONDS
            case BudgetExceeded() if waits_for_budget(self.services, job, error):
                return AWAY_SECONDS
        return None


def _worded(error: Exception) -> str:
    """Return an error for its dead letter; a retryable one needs no class name."""
    return scrubbed(str(error)) if isinstance(error, Transient) else worded(error)


def waits_for_budget(services: Services, job: Job, error: BudgetExceeded) -> bool:
    """Return whether an item is deferred because of its budget; pause the paying job if that is used up.

    The job is not paused if calls in flight may leave room, or if the limit has been raised since. Returns
    False if jobs of this kind do not pause; their phase is closed instead.
    """
    payer = services.ledger.job(job.root or job.id)
    if payer is None or not flow_of(payer.job.kind, payer.job.params).pauses:
        return False
    if error.room_soon or not _stands(payer.budget, error):
        return True
    met = (error.limited, error.limit) if error.limited else None
    if services.pauses.pause(payer.job.id, "budget", str(error), met=met):
        log.warning("job.paused", job_id=payer.job.id, kind="budget", reason=str(error))
    return True


def _stands(budget: Budget, error: BudgetExceeded) -> bool:
    """Return whether the limit that was met is the job's limit still."""
    return limits(budget).get(error.limited, error.limit) == error.limit
