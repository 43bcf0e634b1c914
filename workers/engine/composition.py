"""Runs the phases of a small job one after another in the worker that started it, without messages.

The ledger records the same as for any job: every item is taken and finished by itself, but the last items of
a phase are recorded together with the opening of the next phase, in one round trip. So a worker that dies
leaves the same state as any other, and any obstacle, such as a failed item or a phase with too many, is left
to messages as usual.
"""

from __future__ import annotations

import contextvars
import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from queue import PriorityQueue
from typing import Generic, Protocol, TypeVar

import structlog
from redis.exceptions import ResponseError
from structlog.contextvars import bound_contextvars

from hopline.models.jobs import Json
from workers.core.jobs.flow import Flow
from workers.core.jobs.records import Begun, Claim, Finished, Moved
from workers.core.jobs.work import Done, End, Item, Job, Outcome, Phase, as_json
from workers.engine.driver import AWAY_SECONDS
from workers.engine.leases import Leases
from workers.engine.outages import REDIS_AWAY, outlast
from workers.engine.submit import message_priority
from workers.flows.registry import flow_of
from workers.ledger.budget import JobMeter
from workers.services import Services
from workers.telemetry.counters import count_begun, count_outcome

log = structlog.get_logger()

Following = Phase | End | None
Result = TypeVar("Result")


@dataclass(frozen=True)
class Work:
    """An item that this worker has taken."""

    claim: Claim
    job: Job
    step: str
    phase: int
    input: Json
    attempt: int = 1  # 1 for the first; lost leases are not counted

    @classmethod
    def of(cls, claim: Claim, job: Job, begun: Begun) -> Work:
        """Return the item taken from the ledger."""
        return cls(
            claim=claim,
            job=job,
            step=begun.step,
            phase=begun.phase,
            input=begun.input,
            attempt=begun.tries + 1,
        )


@dataclass(frozen=True)
class Attempt:
    """The result of an item's step: its outcome, or the error it raised."""

    work: Work
    meter: JobMeter
    seconds: float
    outcome: Outcome | None = None
    error: Exception | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it succeeded and changes nothing of its phase except its own item."""
        made = self.outcome
        if made is None:
            return False
        return not (made.delegate or made.children or made.close or made.given_back or made.notes)

    @property
    def finished(self) -> Finished:
        """The ledger's record of a finished item."""
        assert self.outcome is not None  # noqa: S101 - the caller looked
        return Finished(
            claim=self.work.claim, outcome=self.outcome, seconds=self.seconds, usage=self.meter.usage
        )


class Worker(Protocol):
    """Runs single items for a composition."""

    quarantine: bool
    running: Leases
    services: Services

    def laid_aside(self, work: Work) -> bool:
        """Defer an item while a server that it needs is unavailable."""

    def attempt(self, work: Work) -> Attempt:
        """Run an item's step; its lease stays held."""

    def settle(self, attempt: Attempt, following: Following = None) -> str:
        """Record the result of an attempt and act on it; return the ledger's verdict."""

    def note_recorded(self, attempt: Attempt, moved: Moved) -> None:
        """Count a recorded attempt."""

    def follow(self, attempt: Attempt, moved: Moved) -> None:
        """Act on a recorded result."""


class Composition:
    """Advances small jobs.

    Args:
        worker: runs each item.
        most: maximum number of items per phase.
        threads: maximum number of items run concurrently, over all jobs.
        shown_seconds: how long, at most, finished items wait to be recorded while others of their phase are
            running.
    """

    def __init__(self, worker: Worker, most: int, threads: int, shown_seconds: float = 1.0) -> None:
        self._worker = worker
        self._most = most
        self._shown_seconds = shown_seconds
        self._item_threads: ItemThreads[Attempt | None] = ItemThreads(threads)
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Start no further items, as this worker is ending; the remaining work is left to messages."""
        self._stopped.set()

    def takes(self, attempt: Attempt) -> bool:
        """Return whether this worker continues with the job of a first item that it has finished.

        Not in quarantine: there each item runs by itself, to find out which one kills workers.
        """
        work = attempt.work
        return (
            self._most > 0
            and attempt.is_plain
            and work.phase == 0
            and not self._worker.quarantine
            and flow_of(work.job.kind, work.job.params).composed
        )

    def go_on(self, first: Attempt) -> None:
        """Run a job after its first item, to its end or until an obstacle occurs."""
        flow = flow_of(first.work.job.kind, first.work.job.params)
        taken: list[Work] = []
        try:
            self._go_on(first, flow, taken)
        finally:
            for work in taken:
                self._worker.running.release(work.claim)

    def _go_on(self, first: Attempt, flow: Flow, taken: list[Work]) -> None:
        job, results = first.work.job, dict[int, list[Done]]()
        done = [first]
        while done:
            phase = done[0].work.phase
            results.setdefault(phase, []).extend(map(_done, done))
            following = _following(flow, phase, results, job)
            stops = self._stopped.is_set() or self._is_paused(job)
            if stops or not isinstance(following, Phase) or not self._fits(following, flow, first):
                self._settle(done, following)
                return
            works = self._open(done, following, taken)
            done, recorded = self._do(works)
            results[phase + 1] = list(map(_done, recorded)) if done else []

    def _is_paused(self, job: Job) -> bool:
        return outlast(lambda: self._worker.services.pauses.holds(job.id))

    def _fits(self, phase: Phase, flow: Flow, first: Attempt) -> bool:
        if {flow.queue_of(item.step) for item in phase.items} != {flow.queue_of(first.work.step)}:
            return False  # other workers do it
        return not (phase.listed or phase.caps) and 0 < len(phase.items) <= min(self._most, phase.window)

    def _open(self, done: Sequence[Attempt], phase: Phase, taken: list[Work]) -> list[Work]:
        """Record finished items, and take the next phase.

        Args:
            done: the last items of the phase before.
            phase: the phase that follows it.
            taken: called with each newly leased item.

        Returns:
            The phase's items; nothing where some of them are not to be had.
        """
        first = done[0].work
        opening = first.claim.on(f"advance:{first.phase + 1}")
        unsent = phase.model_copy(update={"items": tuple(map(self._never_sent, phase.items))})
        ledger = self._worker.services.ledger
        ours = {"recorded"}

        def go_on() -> tuple[list[Moved], list[Begun]]:
            try:
                return ledger.go_on([attempt.finished for attempt in done], opening, unsent)
            except REDIS_AWAY:
                ours.add("done")  # it may be this worker's call that did it, whose reply was lost
                raise

        try:
            moved, begun = outlast(go_on)
        except Exception as error:  # noqa: BLE001 - each is recorded by itself, and what is wrong shows there
            log.warning("phase.not_opened", error=str(error))
            self._settle(done)
            return []
        for attempt, move in zip(done, moved, strict=True):
            self._worker.running.release(attempt.work.claim)
            self._worker.note_recorded(attempt, move)
        works = []
        for item, start in zip(phase.items, begun, strict=True):
            count_begun(start)
            if start.verdict == "go":
                works.append(Work.of(opening.on(item.id), first.job, start))
                self._worker.running.hold(works[-1].claim)
        taken += works
        if len(works) == len(phase.items) and all(move.verdict in ours for move in moved):
            return works
        for attempt, move in zip(done, moved, strict=True):
            self._worker.follow(attempt, move)
        for work in works:
            self._leave(work, "the rest of its phase is done elsewhere")
        return []

    def _never_sent(self, item: Item) -> Item:
        """Return the item marked as having no message, so that if lost it does not wait for one."""
        return item.model_copy(update={"delay": self._worker.services.settings.resend_seconds})

    def _do(self, works: Sequence[Work]) -> tuple[list[Attempt], list[Attempt]]:
        """Do all items of a phase side by side.

        Returns:
            The results to record, and those recorded meanwhile; nothing if an item failed or must wait, in
            which case all are settled individually.
        """
        attempts, recorded, whole = list[Attempt](), list[Attempt](), True
        pending = {self._begin(work) for work in works} if len(works) > 1 else set()
        if len(works) == 1:
            attempts, whole = _made([self._attempt(works[0])])
        try:
            while pending:
                ready, pending = wait(pending, timeout=self._shown_seconds)
                made, plain = _made([attempt.result() for attempt in ready])
                attempts, whole = [*attempts, *made], whole and plain
                if pending:
                    whole = self._settle(attempts) and whole
                    attempts, recorded = [], [*recorded, *attempts]
        except ResponseError:
            self._settle(_made([attempt.result() for attempt in pending])[0])
            raise
        finally:
            wait(pending)
        if not whole:
            self._settle(attempts)
            return [], []
        return attempts, recorded

    def _settle(self, attempts: Sequence[Attempt], following: Following = None) -> bool:
        """Record the result of each item individually.

        Args:
            attempts: those of one phase that are not recorded yet.
            following: the next phase, if these are the last items and the ledger has the results.

        Returns:
            Whether the ledger took each: else another worker's result may stand in it.

        Raises:
            ResponseError: a full Redis refused some; all were tried.
        """
        refused: ResponseError | None = None
        whole = True
        for attempt in attempts:
            known = following if whole and attempt is attempts[-1] else None
            with bound_contextvars(item=attempt.work.claim.item_id):
                try:
                    whole = self._worker.settle(attempt, known) == "recorded" and whole
                except ResponseError as error:
                    refused, whole = error, False
            self._worker.running.release(attempt.work.claim)
        if refused is not None:
            raise refused
        return whole

    def _begin(self, work: Work) -> Future[Attempt | None]:
        """Have an item done by a helper."""
        flow = flow_of(work.job.kind, work.job.params)
        urgency = message_priority(work.job.priority, flow.priority_of(work.step))
        return self._item_threads.submit(
            urgency, partial(contextvars.copy_context().run, self._attempt, work)
        )

    def _attempt(self, work: Work) -> Attempt | None:
        """Run an item; None if it is deferred: its worker stops, its job pauses, or a server is away."""
        with bound_contextvars(item=work.claim.item_id):
            if self._stopped.is_set():
                self._leave(work, "its worker ends")
                return None
            if self._is_paused(work.job):
                self._leave(work, "its job is paused")
                return None
            if self._lays_aside(work):
                self._worker.running.release(work.claim)
                return None
            attempt = self._worker.attempt(work)
            self._worker.running.hold(work.claim)  # until it is recorded with the others
            return attempt

    def _lays_aside(self, work: Work) -> bool:
        try:
            return outlast(lambda: self._worker.laid_aside(work))
        except ResponseError as error:
            log.warning("item.not_deferred", error=str(error))
            return True

    def _leave(self, work: Work, why: str) -> None:
        """Leave an item to a later message; where Redis is full, its lease runs out."""
        try:
            outlast(lambda: self._worker.services.ledger.defer(work.claim, AWAY_SECONDS, why))
        except ResponseError as error:
            log.warning("item.not_deferred", error=str(error))
        self._worker.running.release(work.claim)
        count_outcome(work.step, "deferred")


def _made(attempts: Sequence[Attempt | None]) -> tuple[list[Attempt], bool]:
    """Return the attempts that were made, and whether all were, and are plain."""
    made = [attempt for attempt in attempts if attempt is not None]
    return made, len(made) == len(attempts) and all(attempt.is_plain for attempt in made)


def _done(attempt: Attempt) -> Done:
    """Return an item's result in the form in which the flow would read it from the ledger."""
    result = as_json(attempt.finished.outcome.result)
    return Done(item_id=attempt.work.claim.item_id, step=attempt.work.step, result=result)


def _following(flow: Flow, phase: int, results: dict[int, list[Done]], job: Job) -> Following:
    """Return the next phase; None if the flow fails, since it will fail again in the usual way."""
    try:
        return flow.advance(phase, results, job)
    except Exception as error:  # noqa: BLE001
        log.warning("flow.not_composed", kind=job.kind, error=str(error))
        return None


class ItemThreads(Generic[Result]):
    """Threads of a worker process, started as needed; they end with the process.

    Args:
        most: maximum number of threads.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls: PriorityQueue[tuple[int, int, Callable[[], Result], Future[Result]]] = PriorityQueue()
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._started = 0
        self._open = 0  # calls that wait or are being made

    def submit(self, priority: int, call: Callable[[], Result]) -> Future[Result]:
        """Make a call as soon as a thread is free; lower numbers first, then in order of arrival."""
        result: Future[Result] = Future()
        with self._lock:
            self._open += 1
            if self._open > self._started < self._most:
                self._started += 1
                threading.Thread(target=self._serve, name=f"item-{self._started}", daemon=True).start()
        self._calls.put((priority, next(self._numbers), call, result))
        return result

    def _serve(self) -> None:
        while True:
            _priority, _number, call, result = self._calls.get()
            try:
                result.set_result(call())
            except BaseException as error:  # noqa: BLE001 - whoever waits for the result raises it
                result.set_exception(error)
            del call, result  # nothing is kept of them while this thread waits for the next
            with self._lock:
                self._open -= 1
