"""Service for jobs: their records, events and ends, and the reasons why they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import NotFound
from hopline.models.jobs import JobState
from hopline.words import counted
from producer.service.backend import Part
from workers.core.ids import job_id as id_of
from workers.core.jobs.work import Event

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from hopline.models.audit import Act
    from hopline.models.jobs import DeadLetter, Pause, Verb
    from producer.service.job_acts.acts import FittingJobs
    from producer.service.job_acts.replays import Change, CheckedReplay
    from workers.core.jobs.records import JobRecord, Wanted
    from workers.core.jobs.work import Terms
    from workers.history.audit_book import Acted
    from workers.ledger.ledger import Ledger


class Jobs(Part):
    """The jobs of the ledger."""

    @property
    def _ledger(self) -> Ledger:
        return self._services.ledger

    def entries(self, job_id: str) -> list[tuple[str, Event]]:
        """Return all kept events of a job, oldest first, with their ids."""
        entries, after = list[tuple[str, Event]](), "0"
        while page := self._ledger.events(job_id, after):
            entries += page
            after = page[-1][0]
        return entries

    def find(self, job_id: str) -> JobRecord | None:
        """Return a job's record; None if there is none."""
        return self._ledger.job(job_id)

    def find_without_outcome(self, job_id: str) -> JobRecord | None:
        """Return the same without the outcome, which for a batch is as long as its list of documents."""
        return self._ledger.job(job_id, outcome=False)

    def get(self, job_id: str) -> JobRecord:
        """Return a job's record.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        return _known(self.find(job_id), job_id)

    def of_key(self, caller: str, key: str) -> JobRecord | None:
        """Return a caller's job with this idempotency key; None if there is none."""
        return self.find(id_of(caller, key))

    def exists(self, caller: str, key: str) -> bool:
        """Return whether a job with an idempotency key exists, so that repeating the request adds no work."""
        return self._ledger.exists(id_of(caller, key))

    def ended_child(self, job_id: str) -> JobRecord | None:
        """Return a document's ended job from its batch; None if there is none."""
        return self._ledger.ended_child(job_id)

    def page(self, wanted: Wanted, *, before: str = "", limit: int) -> tuple[list[JobRecord], str]:
        """Return a page of the selected jobs, and the cursor of the next page; "" at the end."""
        return self._ledger.page(wanted, before=before, limit=limit)

    def running(self, limit: int) -> list[JobRecord]:
        """Return the newest jobs that have not ended."""
        from workers.core.jobs.records import Wanted

        return self.page(Wanted(is_open=True), limit=limit)[0]

    def fitting(
        self, wanted: Wanted, verb: Verb, may: Callable[[JobRecord], bool] = lambda _: True
    ) -> FittingJobs:
        """Return the newest 2,000 of the selected jobs that allow an act, and their total number.

        Args:
            wanted: selects the jobs.
            verb: the act.
            may: returns whether the caller may act on a job.
        """
        from producer.service.job_acts.acts import MOST_JOBS, FittingJobs, fits

        wanted = wanted.model_copy(update={"is_open": verb == "cancel"})
        cursor, matched = "", 0
        records: list[JobRecord] = []
        while True:
            page, cursor = self.page(wanted, before=cursor, limit=MOST_JOBS)
            fitting = [record for record in page if fits(verb, record) and may(record)]
            matched += len(fitting)
            records += fitting[: MOST_JOBS - len(records)]
            if not cursor:
                return FittingJobs(records=tuple(records), matched=matched)

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the job's dead letters."""
        return self._ledger.dead_letters(job_id)

    def end(self, job_id: str) -> None:
        """End a job now; a job that was deleted because its batch has its outcome has already ended."""
        from workers.engine.submit import cancel_job

        with self._acting("cancel", job_id):
            cancel_job(self._services, job_id)

    def run_again(self, job_id: str) -> JobRecord:
        """Retry a job's dead letters; return the job that runs now.

        The job itself may have been deleted, if its batch has its outcome.

        Raises:
            InvalidInput: there is nothing to retry, or the job is retried with its batch.
        """
        from workers.engine.submit import retry_job

        with self._acting("retry", job_id):
            return retry_job(self._services, self._backend.publisher, job_id)

    def check_replay(self, record: JobRecord, change: Change, terms: Terms) -> CheckedReplay:
        """Return a checked replay of a job. The same change of the same job is one replay.

        Raises:
            InvalidInput: it is not a question's job, or a parameter is wrong.
            StateConflict: it has not ended.
        """
        from producer.service.job_acts.replays import checked_replay
        from producer.service.questions import Questions

        return checked_replay(Questions(self._backend), record, change, terms)

    def submit_replay(self, replay: CheckedReplay) -> JobRecord:
        """Submit a checked replay."""
        from workers.engine.submit import submit_job

        job = replay.of.job
        with self._audit.act("replay", job.kind, job.id, job.collection):
            return submit_job(
                self._services,
                self._backend.publisher,
                job.kind,
                job.collection,
                replay.params,
                key=replay.key,
                terms=replay.terms,
            )

    def _acting(self, act: Act, job_id: str) -> AbstractContextManager[Acted]:
        record = self.find_without_outcome(job_id)
        kind, collection = (record.job.kind, record.job.collection) if record else ("job", "")
        return self._audit.act(act, kind, job_id, collection)

    def retried_as(self, record: JobRecord) -> str:
        """Return the id of the job that will run if this one is retried."""
        from workers.engine.submit import retried_as

        return retried_as(record)

    def pauses(self, job_id: str) -> tuple[Pause, ...]:
        """Return why a job begins nothing new, most important reason first."""
        return self._services.pauses.reasons(job_id)

    def place_in_queue(self, record: JobRecord) -> str:
        """Return why a job is queued: a pause, or its place in the queue; "" if it is next or has begun."""
        from workers.telemetry.queues import FAIR_QUEUE, messages_before

        if record.told_state is not JobState.QUEUED:
            return ""
        queue, priority = self._place(record)
        for pause in self._services.work_pauses.all():
            if (pause.kind, pause.name) in {("queue", queue), ("key", record.job.caller)}:
                by = f" by {pause.by}" if pause.by else ""
                resume = f"`hopline pauses delete {pause.kind} {pause.name}` resumes it"
                return f"{pause.kind} {pause.name} is paused{by}: {resume}"
        before = messages_before(self._services.broker_redis, queue, priority)
        if not before:
            return ""
        tasks = ("at most " if queue == FAIR_QUEUE else "") + counted(before, "task")  # tenants take turns
        return f"waiting its turn: {tasks} before it in the queue; `hopline status` shows which workers run"

    def _place(self, record: JobRecord) -> tuple[str, int]:
        """Return the queue and the priority of a job's first message."""
        from workers.engine.submit import message_priority
        from workers.flows.registry import flow_of

        flow = flow_of(record.job.kind, record.job.params)
        step = flow.chain[0] if flow.chain else next(iter(flow.steps))
        return flow.queue_of(step), message_priority(record.job.priority, flow.priority_of(step))


def _known(record: JobRecord | None, job_id: str) -> JobRecord:
    if record is None:
        raise NotFound(
            f"no job {job_id}: it never existed, or its record has expired; `hopline jobs` lists them"
        )
    return record
