"""The watchdog: a thread in every worker, with one leader chosen by a lock, that sends due items again."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import cast

import redis
import structlog
from redis.exceptions import RedisError

from hopline.errors import Conflict, InvalidInput
from hopline.models.jobs import JobState, Priority
from workers.core.jobs.records import Backlog, JobRecord, Look
from workers.core.jobs.work import Job
from workers.core.redis_keys import ACTIVE, WATCHDOG
from workers.engine.driver import LATE, FlowDriver
from workers.engine.hours import keep_hours
from workers.engine.outages import REDIS_AWAY
from workers.engine.outbox import cancelled_epoch, cancels
from workers.engine.scheduled import begin_all_due
from workers.engine.submit import message_priority, messages_for
from workers.flows.registry import FLOWS, STRATEGIES, flow_of
from workers.limits.fair_queue import let_out
from workers.limits.queue_ages import MOST_TENANTS, OldestSent, oldest_sent
from workers.telemetry.counters import count_lost
from workers.telemetry.metrics import COUNTS
from workers.telemetry.queues import FAIR_QUEUE

log = structlog.get_logger()

_PAGE = 100  # jobs looked at in one round trip
_HOURS_SECONDS = 20  # between two looks at the hours that jobs may run in, and at what schedules are to begin
_ORPHAN_SECONDS = 60  # an indexed job that was never created is forgotten after this
_JOBS: tuple[Priority, ...] = ("high", "normal", "low")


@dataclass
class Watchdog:
    """Checks every active job once per interval.

    Args:
        driver: moves jobs on.
        interval: seconds between two checks.
        stopping: set when checking is to stop; also used to wait between two checks.
        clock: clock in seconds, used to detect late checks.
    """

    driver: FlowDriver
    interval: float
    stopping: threading.Event = field(default_factory=threading.Event)
    clock: Callable[[], float] = time.monotonic
    _name: str = field(default_factory=lambda: secrets.token_hex(8))

    def __post_init__(self) -> None:
        self._ledger = self.driver.services.ledger
        self._pauses = self.driver.services.pauses
        self._hours_kept = -float(_HOURS_SECONDS)
        self._lease_seconds = self._ledger.config.lease_seconds
        self._looks_from = 0.0
        self._tenants: dict[str, tuple[str, ...]] = {}  # of active jobs that were looked at
        self._ended: set[str] = set()  # active jobs that had ended at the last look

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def stop(self) -> None:
        """Stop checking."""
        self.stopping.set()

    def _watch(self) -> None:
        due = self.clock() + self.interval
        while not self.stopping.wait(self.interval):
            try:
                if not self.leads():
                    self._let_out()  # the leader may be of a version that does not
                    self._waits_for_renewals(due)
                elif not self._waits_for_renewals(due):
                    self._keep_hours_and_schedules()
                    self.look_once()
            except REDIS_AWAY as error:
                log.warning("watchdog.failed", error=str(error))
                self._looks_from = self.clock() + self._lease_seconds
            except Exception:
                log.exception("watchdog.failed")
            due = self.clock() + self.interval

    def _waits_for_renewals(self, due: float) -> bool:
        """Return whether Redis, or this machine, stood still until a moment ago.

        Who holds leases could not renew them then: they are not lost yet. A look was due at that time.
        """
        now = self.clock()
        if now - due > self._lease_seconds / 2:
            self._looks_from = now + self._lease_seconds
        return now < self._looks_from

    def leads(self) -> bool:
        """Return whether this watchdog is the leader, and prolong its term if so."""
        client = self._ledger.client
        marker = self.driver.services.store_marker
        if not marker.is_seen() and marker.seen_by_others:
            return False  # it could admit nothing; its term as a leader ends by itself
        term = int(3000 * self.interval) + 1000
        if client.set(WATCHDOG, self._name, nx=True, px=term):
            return True
        if client.get(WATCHDOG) != self._name:
            return False
        client.pexpire(WATCHDOG, term)
        return True

    def _keep_hours_and_schedules(self) -> None:
        if time.monotonic() - self._hours_kept >= _HOURS_SECONDS:
            self._hours_kept = time.monotonic()
            keep_hours(self.driver.services)
            begin_all_due(self.driver.services, self.driver.publisher)

    def look_once(self) -> None:
        """Check all active jobs, a page at a time.

        The process that ended a job processes its outbox; entries still there at the next check are processed
        here.
        """
        ended_before, self._ended = self._ended, set[str]()
        jobs = cast("list[str]", self._ledger.client.zrange(ACTIVE, 0, -1))
        self._tenants = {job_id: self._tenants[job_id] for job_id in jobs if job_id in self._tenants}
        backlogs = self._backlogs() if jobs else None
        for at in range(0, len(jobs), _PAGE):
            page = self._attended(jobs[at : at + _PAGE])
            waiting = self._waiting(page, backlogs) if backlogs else ()
            for job_id, look in zip(page, self._ledger.look(page, waiting), strict=True):
                if look.verdict == "ended":
                    self._ended.add(job_id)
                    if job_id not in ended_before:
                        count_lost(look.lost)  # by this look, which ended it
                        continue
                try:
                    self._attend(job_id, look)
                except Exception as error:  # one job's fault must not leave the others unattended
                    if isinstance(error, Conflict) and not isinstance(error, InvalidInput):
                        # It has gone on since the look: the next one sees its new state.
                        log.info("job.gone_on", job_id=job_id, why=str(error))
                    else:
                        log.exception("job.not_attended", job_id=job_id)

    def _attended(self, jobs: list[str]) -> list[str]:
        """Return the jobs to check: all but running ones that are paused."""
        paused = {job_id for job_id in jobs if self._pauses.holds(job_id)}
        running = self._ledger.running(paused) if paused else set()
        return [job_id for job_id in jobs if job_id not in running]

    def _backlogs(self) -> Backlogs | None:
        """Return the jobs that have waited for long; None if there are none, or the broker is away."""
        try:
            self._let_out()
            backlogs = Backlogs(self.driver.services.broker_redis, self._ledger.config.resend_seconds)
        except RedisError:
            log.exception("queues.unread")
            return None
        return None if backlogs.is_empty else backlogs

    def _waiting(self, page: list[str], backlogs: Backlogs) -> list[Backlog]:
        """Return for each job what of it may wait for its turn."""
        unknown = [job_id for job_id in page if job_id not in self._tenants]
        self._tenants |= self._ledger.tenants(unknown)
        return [backlogs.of(job_id, self._tenants.get(job_id, ())) for job_id in page]

    def _let_out(self) -> None:
        let_out(self.driver.services.broker_redis)

    def _attend(self, job_id: str, look: Look) -> None:
        count_lost(look.lost)
        if look.verdict == "broken":
            log.error("job.broken", job_id=job_id, error=look.error)
        elif look.verdict == "missing":
            self._drop_orphan(job_id)
        elif look.verdict == "ended":
            self._pauses.drop(job_id)  # who ended it may have died before
            self.driver.work_off(job_id)
        elif look.send or look.cursor >= 0 or look.attention != "none" or look.delegated or look.outbox:
            record = self._ledger.job(job_id)
            if record is not None:
                self._act(record.job.model_copy(update={"epoch": look.epoch}), look)

    def _act(self, job: Job, look: Look) -> None:
        flow = flow_of(job.kind, job.params)
        again = [(due.item_id, due.step, due.quarantined) for due in look.send]
        children = {child.job.id: child for child in self._children(look)}
        again += [(item, self._ledger.step_of(job.id, item), False) for item in _orphaned(look, children)]
        messages = [
            message.model_copy(update={"queue": "quarantine"}) if quarantined else message
            for item, step, quarantined in again
            for message in messages_for(flow, job, [(item, step)])
        ]
        if messages:
            log.info("items.resent", job_id=job.id, items=len(messages))
            COUNTS.count("hopline_items_resent", by=len(messages))
            self.driver.publisher.send(messages)
        if look.cursor >= 0:
            self.driver.admit(job, look.cursor)
        if look.attention == "close":
            self.driver.close(job, look.phase, LATE, late=True)
        elif look.attention == "cut":
            self.driver.cut(job, LATE)
        for entry, child in look.outbox.items():
            if not cancels(entry):
                continue  # of an end that was retried
            self.driver.cancel_child(child, cancelled_epoch(entry, child, look.epoch))
            self._ledger.strike(job.id, look.epoch, entry, child)
        for record in children.values():
            if record.state is not JobState.RUNNING and _works_for(record, look):
                self.driver.work_off(record.job.id)  # nobody else may tell of its end any more

    def _children(self, look: Look) -> list[JobRecord]:
        """Return the jobs that items are delegated to; those that are gone are left out."""
        return self._ledger.jobs_by_id([child for _, child in look.delegated]) if look.delegated else []

    def _drop_orphan(self, job_id: str) -> None:
        indexed = self._ledger.client.zscore(ACTIVE, job_id)
        now = self._ledger.client.time()[0]  # Redis's clock, as that of the index
        if indexed is not None and now - float(indexed) > _ORPHAN_SECONDS:
            self._ledger.leave(job_id)
            self._pauses.drop(job_id)


def _works_for(child: JobRecord, look: Look) -> bool:
    return child.parent is not None and child.parent.epoch == look.epoch


def _orphaned(look: Look, children: Mapping[str, JobRecord]) -> list[str]:
    """Return delegated items that no child job will finish: they are done again.

    The child does not exist, or it ended for an older epoch of its parent.
    """
    finishing = {
        name for name, child in children.items() if child.state is JobState.RUNNING or _works_for(child, look)
    }
    return [item for item, child in look.delegated if child not in finishing]


class Backlogs:
    """The messages that have been waiting for long.

    A list is served in the order of sending, and so are a tenant's messages in the shared queue. A message
    sent after the oldest one there is waiting behind it; a message sent before it was taken, or lost.

    Args:
        broker: the broker's Redis.
        seconds: minimum waiting time for a backlog.
        most_tenants: number of tenants of the shared queue that are examined.
    """

    def __init__(self, broker: redis.Redis, seconds: float, most_tenants: int = MOST_TENANTS) -> None:
        self._latest = time.time() - seconds
        self._oldest = oldest_sent(broker, most_tenants)
        self._of: dict[tuple[str, ...], Backlog] = {}

    @cached_property
    def is_empty(self) -> bool:
        """Whether nothing in any queue has been waiting for long."""
        queues = self._oldest.lists
        return self._oldest.has_all_tenants and all(
            at >= self._latest for queue in queues for at in self._oldest.of_queue(queue)
        )

    def of(self, job_id: str, tenants: tuple[str, ...]) -> Backlog:
        """Return the steps of a job whose messages may be waiting.

        Args:
            job_id: the job.
            tenants: tenants under which its messages may wait in the shared queue.
        """
        has_lying = any(jobs is not None and job_id in jobs for jobs in self._oldest.jobs.values())
        key = (job_id, *tenants) if has_lying else ("", *tenants)
        if key not in self._of:
            self._of[key] = self._backlog(job_id, tenants)
        return self._of[key]

    def _backlog(self, job_id: str, tenants: tuple[str, ...]) -> Backlog:
        backlog: dict[str, dict[Priority, int]] = {}
        for step, (queue, urgency) in _steps().items():
            for job in _JOBS:
                sent = self._sent(queue, message_priority(job, urgency), job_id, tenants)
                if sent is not None and sent < self._latest:
                    backlog.setdefault(step, {})[job] = int(sent * 1000)
        return backlog

    def _sent(self, queue: str, priority: int, job_id: str, tenants: tuple[str, ...]) -> float | None:
        """Return when the oldest message ahead of a job's own was sent; None if there is none."""
        if queue != FAIR_QUEUE:
            return self._oldest.lists[queue].get(priority)
        times = [_lying(self._oldest, priority, job_id)]
        for tenant in tenants:
            if tenant in self._oldest.tenants:
                times.append(self._oldest.tenants[tenant].get(priority))
            elif not self._oldest.has_all_tenants:
                times.append(0.0)  # nobody knows
        return min((at for at in times if at is not None), default=None)


def _lying(oldest: OldestSent, priority: int, job_id: str) -> float | None:
    """Return when the oldest message of a job was sent that lies in a list of the shared queue."""
    jobs = oldest.jobs.get(priority)
    return oldest.lists[FAIR_QUEUE].get(priority) if jobs is None else jobs.get(job_id)


@cache
def _steps() -> dict[str, tuple[str, int]]:
    """Return each step's queue and priority; a step that several flows have is the same in all of them."""
    flows = (*FLOWS.values(), *STRATEGIES.values())
    return {name: (step.queue, step.priority) for flow in flows for name, step in flow.steps.items()}
