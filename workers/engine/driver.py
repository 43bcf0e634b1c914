"""Acts on changes of state: sends children, advances finished phases, and notifies after a job's end."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass

import structlog

from hopline.errors import Conflict, Deferred, InvalidInput, Permanent, Transient
from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json, Parent
from workers.core.errors import StoreUnseen, worded
from workers.core.ids import child_job_id, parent_of_job
from workers.core.jobs.flow import Flow, only_item
from workers.core.jobs.messages import Publisher
from workers.core.jobs.params import read_input
from workers.core.jobs.records import Claim, JobRecord, Moved
from workers.core.jobs.work import ChildJob, End, Item, Job, Phase
from workers.engine.history import hand_over
from workers.engine.leases import Leases
from workers.engine.outages import outage_of, outlast
from workers.engine.outbox import is_stopped_at_provider, work_off
from workers.engine.result_pages import items_at, outcome_shown, results_of, spool_results
from workers.engine.submit import create, first_page, messages_for
from workers.flows.registry import flow_of
from workers.ledger.retry import retry_dead_letters
from workers.services import QUERY_KIND, Services
from workers.telemetry.counters import count_dead_letter, count_error

log = structlog.get_logger()
ADVANCE = "flow.advance"
LATE = "the deadline has passed"
AWAY_SECONDS = 2.0  # how long work that needs an absent server is laid aside
_ADVANCE_SECONDS = 120.0
_FIRST = 200  # documents of a batch
_DOUBTED = 40  # failures among these, a fifth, at which the batch is doubted
_GONE_ON = "the job it belongs to has gone on without it"


class Delivery(Frozen):
    """The way a message arrived: whether Celery itself delivers the next one."""

    in_chain: bool = False
    in_chord: bool = False

    @property
    def delivers(self) -> bool:
        """Whether the chain or chord sends the next item."""
        return self.in_chain or self.in_chord


@dataclass
class FlowDriver:
    """Moves jobs on. Stateless; shared by a process's threads."""

    services: Services
    publisher: Publisher
    running: Leases  # renews the leases of what is advanced

    def follow(
        self,
        claim: Claim,
        job: Job,
        phase: int,
        moved: Moved,
        children: Sequence[Item] = (),
        delivery: Delivery | None = None,
        following: Phase | End | None = None,
    ) -> None:
        """Act on a recorded result: send its children, and advance a finished phase (to `following`)."""
        lease = claim.on(moved.advance)
        with self.running.holding(lease, _ADVANCE_SECONDS) if moved.advance else nullcontext():
            self.spool(job, phase, moved)
            self.send_new(job, moved, children)
            if moved.advance:
                self.advance(lease, job, phase, delivery or Delivery(), following)

    def send_new(self, job: Job, moved: Moved, children: Sequence[Item]) -> None:
        """Send new items of a phase, and admit more if there is room."""
        if moved.added:
            steps = {child.id: child.step for child in children}
            self._send(job, [(item, steps[item]) for item in moved.added])
        if moved.cursor >= 0:
            self.admit(job, moved.cursor)

    def spool(self, job: Job, phase: int, moved: Moved) -> None:
        """Move results out of Redis if there are many."""
        if moved.results >= self.services.spool.at:
            try:
                spool_results(self.services, job, flow_of(job.kind, job.params), phase)
            except StoreUnseen as error:  # whoever finishes an item next tries again
                log.warning("results.not_spooled", job_id=job.id, error=str(error))

    def advance(
        self,
        claim: Claim,
        job: Job,
        phase: int,
        delivery: Delivery,
        known: Phase | End | None = None,
    ) -> bool:
        """Move a job on from a finished phase, and through the following phases if they are empty.

        Args:
            claim: claim on the advance item.
            job: the job.
            phase: the finished phase.
            delivery: how the message of the phase's last item arrived.
            known: the next phase or the end, if the caller already has the results; otherwise they are read.

        Returns:
            False if the advance has to be repeated later.
        """
        while claim.item_id:
            with self.running.holding(claim, _ADVANCE_SECONDS):
                try:
                    opened = self._open_following(claim, job, phase, delivery, known)
                except Exception as error:  # noqa: BLE001 - whatever a flow raises ends in the ledger
                    return self._advance_failed(claim, job, phase, outage_of(error))
            claim, phase, known = claim.on(opened), phase + 1, None
        return True

    def _advance_failed(self, claim: Claim, job: Job, phase: int, error: Exception) -> bool:
        count_error(error)
        if isinstance(error, Deferred):
            outlast(lambda: self.services.ledger.defer(claim, AWAY_SECONDS, str(error)))
            return False
        log.error("flow.crashed", kind=job.kind, exc_info=error)
        why = worded(error)
        moved = outlast(lambda: self.services.ledger.fail(claim, why))
        if moved.verdict == "dead":
            count_dead_letter(ADVANCE)
            with suppress(Deferred):  # it is due, and done by whoever gets the watchdog's message
                self._end_failed(claim, job, phase, why)
        return moved.verdict != "again"

    def give_up(self, claim: Claim, job: Job, phase: int, why: str) -> bool:
        """End a job as failed because its advance was given up; False if that has to be repeated later.

        Args:
            claim: claim on the advance item.
            job: the job that cannot continue.
            phase: the finished phase.
            why: why the flow cannot continue.
        """
        with self.running.holding(claim, _ADVANCE_SECONDS):
            try:
                self._end_failed(claim, job, phase, why)
            except Deferred as error:
                return self._advance_failed(claim, job, phase, error)
        return True

    def _end_failed(self, claim: Claim, job: Job, phase: int, why: str) -> None:
        """End a job as failed with its current results; a retry of its dead letter continues from there.

        Raises:
            Deferred: what there is cannot be read now.
        """
        reason = f"the flow could not go on: {why}"
        flow, outcome = flow_of(job.kind, job.params), Json()
        try:
            results = results_of(self.services, job, flow, phase)
            outcome = self._shown(job, flow.cut_short(results, job, reason))
        except Exception as raised:  # a flow that cannot go on may be unable to end as well
            if isinstance(error := outage_of(raised), Deferred):
                raise error from raised
            log.exception("flow.not_cut_short", kind=job.kind)
        if self.services.ledger.end_flow(claim, JobState.FAILED, {**outcome, "reason": reason}):
            self._ended(job, JobState.FAILED)

    def _open_following(
        self, claim: Claim, job: Job, phase: int, delivery: Delivery, known: Phase | End | None
    ) -> str:
        """Ask the flow what follows a drained phase; open that phase or end the job.

        Returns:
            The item that advances the flow again, leased to the caller, if that phase is already finished.
        """
        flow = flow_of(job.kind, job.params)
        results = results_of(self.services, job, flow, phase) if known is None else {}
        following = known or flow.advance(phase, results, job)
        if isinstance(following, End):
            if self.services.ledger.end_flow(claim, following.state, self._shown(job, following)):
                self._ended(job, following.state)
            return ""
        first, manifest = first_page(self.services, following)
        moved = self.services.ledger.open_phase(claim, first, manifest)
        if moved.verdict not in ("opened", "late"):
            return ""
        if moved.verdict == "late" and not moved.advance and self.close(job, phase + 1, LATE, late=True):
            return ""  # nothing of it would be done; all of it tells for what it waited
        added = set(moved.added)
        acting = flow.chosen(results, phase + 1, job) or flow
        self._publish_phase(job, acting, [item for item in first.items if item.id in added], delivery)
        if moved.cursor >= 0:
            self.admit(job, moved.cursor)
        return moved.advance

    def _publish_phase(self, job: Job, flow: Flow, items: Sequence[Item], delivery: Delivery) -> None:
        """Send a phase's first items, as a chord if the flow says so; except those that Celery delivers."""
        due = [(item.id, item.step) for item in items if not (item.delay and delivery.delivers)]
        if flow.chord and due and due[0][1] == flow.chord[0]:
            header = messages_for(flow, job, due)
            body = messages_for(flow, job, [(only_item(flow.chord[1]), flow.chord[1])])[0]
            self.publisher.chord(header, body)
        else:
            self._send(job, due)

    def _send(self, job: Job, items: Sequence[tuple[str, str]]) -> None:
        self.publisher.send(messages_for(flow_of(job.kind, job.params), job, list(items)))

    def admit(self, job: Job, cursor: int) -> None:
        """Admit and send the next page of the phase's manifest; end a job whose manifest is lost.

        A worker that cannot see the blob store leaves this to others. One that stalled until the job had
        another manifest, or none, has nothing to admit.
        """
        try:
            items = items_at(self.services, self.services.ledger.manifest_of(job.id), cursor)
        except (StoreUnseen, Conflict) as error:
            log.warning("items.not_admitted", job_id=job.id, error=str(error))
            return
        except Permanent as error:
            self.cut(job, f"the list of what is left to do is lost: {error}")
            return
        self.send_new(job, self.services.ledger.admit(job.id, job.epoch, cursor, items), items)

    def close(self, job: Job, phase: int, why: str, *, late: bool = False) -> bool:
        """Close a phase early, and send its advance item if that finishes it; False for the last phase.

        late: whether the deadline has passed, so that waiting items fail with the reason.
        """
        if not flow_of(job.kind, job.params).may_close(
            phase, job, lambda: self.services.ledger.results(job.id)
        ):
            return False
        moved = self.services.ledger.close(job.id, job.epoch, phase, why, late=late)
        if moved.advance:
            self._send(job, [(moved.advance, ADVANCE)])
        return True

    def cut(self, job: Job, why: str) -> None:
        """End a job with the results so far."""
        flow, record = flow_of(job.kind, job.params), self.services.ledger.job(job.id)
        results = results_of(self.services, job, flow, record.phase if record else 0)
        waits = f", and hopline still waited: {record.waits_for}" if record and record.waits_for else ""
        end = flow.cut_short(results, job, why + waits)
        if self.services.ledger.end(job.id, job.epoch, end.state, self._shown(job, end)):
            self._ended(job, end.state)

    def _shown(self, job: Job, end: End) -> Json:
        outcome = outcome_shown(self.services, flow_of(job.kind, job.params), end.outcome)
        if job.kind != QUERY_KIND or "details" not in outcome:
            return outcome
        model = {"model": self.services.settings.strong_model}
        return {**outcome, "details": model | outcome["details"]}

    def _ended(self, job: Job, state: JobState) -> None:
        log.info("job.ended", job_id=job.id, kind=job.kind, state=state.value)
        if job.root in ("", job.id):
            self.services.pauses.drop(job.id)
        self.work_off(job.id)

    def work_off(self, job_id: str) -> None:
        """Process an ended job's outbox, and move its parent on."""
        for claim, moved in work_off(self.services, job_id, token=secrets.token_hex(8)):
            parent = self.services.ledger.job(claim.job_id)
            if parent is None or parent.epoch != claim.epoch:
                continue  # retried since: what there was to do next is void
            self._doubt(parent.job, moved)
            self.follow(claim, parent.job, parent.phase, moved)

    def _doubt(self, job: Job, moved: Moved) -> None:
        """Pause a large job if too many of its first items failed, because then all of them probably will."""
        is_early = job.params.get("documents", 0) >= _FIRST and moved.done <= _FIRST
        if is_early and moved.failed >= _DOUBTED:  # more, where whoever counted the last was killed
            why = f"{moved.failed} of the first {moved.done} documents failed: see why, then resume or cancel"
            self.services.pauses.pause(job.id, "failures", why)
            self.services.ledger.note_doubt(job.id)
            log.warning("batch.paused", job_id=job.id, why=why)

    def delegate(self, claim: Claim, job: Job, child: ChildJob) -> None:
        """Delegate an item to a child job, which is created, or reopened if it had been given up."""
        ledger = self.services.ledger
        parent = Parent(job_id=claim.job_id, epoch=claim.epoch, item_id=claim.item_id)
        name = child_job_id(claim.job_id, claim.item_id)
        records = {record.job.id: record for record in ledger.jobs_by_id([name, claim.job_id])}
        known, whole = records.get(name), records.get(claim.job_id)
        if whole is None or whole.epoch != claim.epoch:
            raise Conflict(f"job {claim.job_id} has ended or was retried")
        if known is None or not self._open_again(known, parent):
            flow = flow_of(child.kind, child.params)
            params = read_input(flow.params, child.params)
            made = Job(
                id=name,
                kind=child.kind,
                collection=job.collection,
                params=params.model_dump(mode="json"),
                root=job.root or job.id,
                caller=job.caller,
                priority=job.priority,
                limited=job.limited,
                principals=job.principals,
                acted_by=job.acted_by,
                tags=job.tags,
                request_id=job.request_id,
                trace=self._trace_of_child(job, name),
            )
            create(self.services, self.publisher, flow, made, params, parent=parent)
        if not ledger.delegate(claim, name):
            self.cancel_child(name, claim.epoch)

    def _trace_of_child(self, job: Job, name: str) -> str:
        """Return the trace of an item's job, a separate one because a batch has thousands."""
        tracer = self.services.tracer
        return tracer.opened_child(name, job.trace) if tracer is not None else ""

    def _open_again(self, child: JobRecord, parent: Parent) -> bool:
        """Reopen a child that ended under an older epoch of its parent; False if it must be recreated.

        Raises:
            Transient: what it left to be done is not done yet.
        """
        ledger, name = self.services.ledger, child.job.id
        if child.state is JobState.RUNNING or child.parent == parent:
            return True
        if not hand_over(self.services, child):
            raise Transient(f"{name} cannot be reopened yet: its history has not been saved")
        if not child.dead or is_stopped_at_provider(child):  # there is nothing to go on from
            ledger.forget(name, child.epoch)
            return False
        try:
            retry_dead_letters(ledger, name, parent, epoch=child.epoch)
        except InvalidInput as error:
            now = ledger.job(name)  # another worker that does the same item may have opened it meanwhile
            if now is not None and now.state is not JobState.RUNNING and now.parent != parent:
                raise Transient(f"{name} cannot be reopened yet: {error}") from error
            return now is not None
        return True

    def cancel_child(self, job_id: str, parent_epoch: int) -> None:
        """End a job that its parent no longer needs, unless it was opened for a newer epoch of the parent."""
        self.services.ledger.cancel_child(job_id, parent_epoch, _GONE_ON)
        self.work_off(job_id)

    def leave_ended(self, job: Job) -> None:
        """Cancel a job whose root has ended, together with all jobs between the two.

        The process that ended the root, or the watchdog, does so next anyway. Until then, failures caused by
        that end would be recorded as failures of the job itself.
        """
        if job.root in ("", job.id):
            return
        ledger = self.services.ledger
        below, above = job.id, parent_of_job(job.id)
        while above is not None and above != job.root:
            below, above = above, parent_of_job(above)
        # Read before the root is: a retry of the root meanwhile opens it for a newer epoch, which stays.
        record = ledger.job(below) if above else None
        if record is not None and record.parent is not None and not ledger.running({job.root}):
            self.cancel_child(below, record.parent.epoch)
