"""Client calls for jobs: follow, read results, cancel, retry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from hopline.allowed_values import allowed_in_words
from hopline.errors import InvalidInput
from hopline.models.jobs import JobFilter, JobState
from hopline.models.replays import Replay
from hopline.traces import current_traceparent
from producer.client.part import Part, Pending
from producer.client.watch import JobWatch
from producer.reports import outcomes
from producer.reports.replay import replay_of
from producer.service.job_acts.acts import narrowed, wanted
from producer.service.job_acts.replays import Change
from workers.core.jobs.work import Terms

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from hopline.models.answers import Answer
    from hopline.models.ingest_reports import IngestReport
    from hopline.models.jobs import DeadLetter, JobsActed, Verb
    from hopline.models.pauses import WorkKind, WorkPause
    from hopline.models.weights import Tenant, Weight
    from workers.core.jobs.work import Event
    from workers.ledger.records import JobRecord


class Jobs(Part):
    """What a client does with jobs."""

    def follow(self, job_id: str, *, timeout: float | None = None) -> JobWatch:
        """Return a position in the job's events, for callers that poll on their own."""
        return JobWatch(self._link.jobs.feed(job_id), job_id, timeout=timeout)

    def watch(self, job_id: str, *, timeout: float | None = None) -> Iterator[Event]:
        """Yield the job's events from its beginning until it has ended; a server's restart is survived.

        Raises:
            NotFound: the job is unknown, or has expired.
            TimeoutError: still running after `timeout` seconds; the job goes on.
        """
        return iter(self.follow(job_id, timeout=timeout))

    def wait(self, job_id: str, timeout: float | None = None) -> Pending[Answer | IngestReport]:
        """Block until the job has ended; return its answer, or its report if it was an ingestion.

        Raises: as `watch`.
        """
        return Pending.job(job_id, outcomes.outcome_of, timeout)

    def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        return self._link.jobs.get(job_id)

    def waits_for(self, job_id: str) -> str:
        """Return what a job waits for that no worker has begun: its place in the queue, or a worker."""
        return self._link.jobs.waits_for(job_id)

    def jobs(
        self,
        /,
        limit: int = 50,
        *,
        state: JobState | None = None,
        kind: str | None = None,
        collection: str | None = None,
        since: datetime | None = None,
        **meant: Any,
    ) -> list[JobRecord]:
        """Return the newest jobs, newest first, without their outcomes; those of others only over the broker.

        Args:
            limit: how many at most.
            state: only those that stand there.
            kind: only queries, batches, …
            collection: only those of a collection.
            since: only those submitted then or later; in this machine's zone unless it names one.
            **meant: tags: only those with all of these; step: only those with items of one, such as
                ingest.extract; error: only those of whose errors this is a part; until: only those submitted
                then or before.

        Raises:
            InvalidInput: a value is not valid.
        """
        meant |= {"state": state, "kind": kind, "collection": collection, "since": since}
        return self._link.jobs.newest(wanted(_filter(meant)), limit)

    def act_on_jobs(
        self,
        /,
        verb: Verb,
        *,
        dry_run: bool = False,
        params: Mapping[str, Any] | None = None,
        key: str | None = None,
        **meant: Any,
    ) -> JobsActed:
        """Cancel, retry or replay the newest 2,000 of many jobs; one that is refused stops no other.

        Args:
            verb: cancel those that run, retry those that ended with something to do again, or replay
                questions that have ended and are no replays themselves.
            dry_run: only say which these are.
            params: of a replay, as for `replay`.
            key: of a replay, as for `replay`.
            **meant: which jobs, as for `jobs`: state, kind, collection, tags, step, error, since, until.

        Raises:
            InvalidInput: nothing says which, or a value is not valid.
        """
        jobs, change = narrowed(_filter(meant), verb), Change.of(params, key)
        terms = Terms(trace=current_traceparent())
        return self._link.jobs.act(verb, jobs, dry_run=dry_run, change=change, terms=terms)

    def replay(
        self, job_id: str, params: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Pending[Replay]:
        """Ask an ended job's question again with changed parameters; return both answers, to compare.

        It reads the documents, prompts and models of now. The same call again returns the same replay.

        Args:
            job_id: of a question; it stays as it is.
            params: fields of `workers.core.jobs.params.QueryParams` to change; None stands for the default.
            key: another one makes another replay with the same parameters, such as after a model was changed.

        Raises:
            NotFound: the job is unknown, or has expired.
            InvalidInput: it is no question's, or a parameter is not valid.
            StateConflict: it has not ended.
        """
        replayed = self.submit_replay(job_id, params, key=key)
        return Pending((job_id, replayed), lambda records: replay_of(*records))

    def submit_replay(
        self, job_id: str, params: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> str:
        """Submit a replay; return its job's id at once. Arguments and errors are those of `replay`."""
        terms = Terms(trace=current_traceparent())
        return self._link.jobs.replay(job_id, Change.of(params, key), terms).job.id

    def pauses(self) -> list[WorkPause]:
        """Return what is paused across jobs, oldest first; over HTTP it needs the scope admin."""
        return list(self._link.work_pauses.all())

    def pause_work(self, kind: WorkKind, name: str) -> list[WorkPause]:
        """Pause work across jobs: what is begun ends, nothing new is begun. Return all pauses.

        Args:
            kind: queue, step, model or key.
            name: of it; of a key, its id.

        Raises:
            InvalidInput: there is no such queue or step, or a model's name is not one.
            NotFound: there is no such API key.
        """
        return list(self._link.work_pauses.pause(kind, name))

    def resume_work(self, kind: WorkKind, name: str) -> list[WorkPause]:
        """Resume what `pause_work` paused; return the pauses that are left.

        Raises:
            NotFound: it is not paused.
        """
        return list(self._link.work_pauses.resume(kind, name))

    def weights(self) -> list[Weight]:
        """Return the weights of API keys and collections; over HTTP it needs the scope admin."""
        return list(self._link.weights.all())

    def set_weight(self, kind: Tenant, name: str, weight: float | None) -> list[Weight]:
        """Set what share of bulk work a tenant gets while others have some, too; return all weights.

        Args:
            kind: collection or key.
            name: of the collection; of a key, its id, or its name where no other key has it.
            weight: of twice the weight is twice the share; None takes it away, and the tenant counts 1.

        Raises:
            InvalidInput: the weight or a name is not valid.
            NotFound: there is no such key, or no weight to take away.
        """
        return list(self._link.weights.set(kind, name, weight))

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return a job's dead letters, each with its input and error."""
        return self._link.jobs.dead_letters(job_id)

    def cancel(self, job_id: str) -> JobRecord:
        """Cancel a job, unless it has ended already; return its record."""
        return self._link.jobs.cancel(job_id)

    def retry(self, job_id: str) -> JobRecord:
        """Retry a job's dead letters; a query becomes a new job. Return the job that runs now."""
        return self._link.jobs.retry(job_id)


def _filter(meant: Mapping[str, Any]) -> JobFilter:
    try:
        return TypeAdapter(JobFilter).validate_python(meant)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        allowed = "one of: " + ", ".join(sorted(JobFilter.__annotations__))
        if first["type"] != "extra_forbidden":
            allowed = allowed_in_words(first)
        raise InvalidInput(".".join(map(str, first["loc"])), first["input"], allowed) from error
