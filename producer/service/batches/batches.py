"""Named batches: submit, show, pause, resume, cancel, retry, report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hopline.errors import InvalidInput, Permanent
from hopline.models.reports import DocumentLine, Report
from hopline.models.times import timestamp
from producer.service.backend import Part
from workers.core.jobs.batches import ASKED
from workers.ingest.batch import line_of
from workers.ingest.report import lines_of, make_report, refused_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hopline.models.audit import Act
    from hopline.models.batches import BatchStatus, BatchSubmitted
    from hopline.models.jobs import Budget
    from producer.service.batches.submission import BatchOrder, ListingProgress
    from workers.core.jobs.batches import BatchRecord
    from workers.core.jobs.work import Terms
    from workers.history.audit_book import Acted

_KIND = "batch"
_ASKED = "somebody asked for it: `hopline batches resume {name}` resumes it"
_RUNNING = "running"
_NOT_REPORTED = {_RUNNING, "cancelled"}  # the kept one is of before a retry
_DOCUMENT = "ingest.document"


class Batches(Part):
    """Named batches; `AsyncBatches` documents the operations."""

    def submit(
        self, order: BatchOrder, terms: Terms, progress: ListingProgress | None = None
    ) -> BatchSubmitted:
        """List sources and create a job from them.

        Raises:
            InvalidInput: a value is invalid, the name is taken, or no source contains a document.
            DependencyAway: the blob store failed; repeating the call continues.
        """
        from producer.service.batches.submission import submit_named_batch
        from workers.engine.hours import keep_hours_of

        backend = self._backend
        with self._audit.act("submit", _KIND, order.name, order.collection):
            submitted = submit_named_batch(
                backend.services, backend.publisher, order, terms=terms, progress=progress
            )
            begins = keep_hours_of(backend.services, submitted.job_id)
        return submitted.model_copy(update={"waits_until": None if begins is None else timestamp(begins)})

    def get(self, name: str) -> BatchStatus:
        """Return a batch's status.

        Raises:
            InvalidInput: there is no batch with this name.
        """
        from producer.service.batches.status import status_of

        return status_of(self._services, self._services.batches.get(name))

    def all(self) -> list[BatchStatus]:
        """Return the status of all batches, newest first."""
        from producer.service.batches.status import status_of

        return [status_of(self._services, record) for record in self._services.batches.all()]

    def find(self, name: str) -> BatchRecord | None:
        """Return a batch's record; None if there is none with this name."""
        return self._services.batches.find(name)

    def records(self) -> list[BatchRecord]:
        """Return the records of all batches, newest first."""
        return self._services.batches.all()

    def pause(self, name: str) -> BatchStatus:
        """Pause a batch: items in progress finish, and no new ones start.

        Raises:
            InvalidInput: there is no batch with this name, or it is not running.
        """
        with self._acting("pause", name):
            self._services.pauses.pause(self._running(name), "user", _ASKED.format(name=name))
        return self.get(name)

    def resume(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        now: bool = False,
        between: str | None = None,
        zone: str = "",
    ) -> BatchStatus:
        """Resume a batch, with new limits and hours if given.

        Raises:
            InvalidInput: there is no batch with this name, it is not running, a limit is below the amount
                already spent, or the hours are not valid.
        """
        from workers.engine.hours import set_hours

        with self._acting("resume", name):
            job_id = self._running(name)
            if budget is not None:
                self._services.ledger.raise_budget(job_id, budget)
            if now or between is not None:
                set_hours(self._services, job_id, between, zone, at_once=now)
            self._services.pauses.resume(job_id, *ASKED)
        return self.get(name)

    def cancel(self, name: str) -> BatchStatus:
        """Cancel a batch; documents already in the graph stay.

        Raises:
            InvalidInput: there is no batch with this name, or its job has expired.
        """
        from workers.engine.submit import cancel_job

        with self._acting("cancel", name):
            cancel_job(self._services, self._services.batches.get(name).job_id)
        return self.get(name)

    def retry(self, name: str) -> BatchStatus:
        """Retry the documents of an ended batch that failed or were not processed.

        Raises:
            InvalidInput: there is no batch with this name, it is running, or there is nothing to retry.
        """
        from workers.engine.submit import retry_job

        with self._acting("retry", name):
            retry_job(self._services, self._backend.publisher, self._services.batches.get(name).job_id)
        return self.get(name)

    def report(self, name: str) -> Report:
        """Return a batch's report; a preliminary one while it runs.

        Raises:
            InvalidInput: there is no batch with this name.
            Permanent: its job has expired, and no report is kept.
        """
        return find_report(self._services, name)

    def _acting(self, act: Act, name: str) -> AbstractContextManager[Acted]:
        record = self.find(name)
        return self._audit.act(act, _KIND, name, record.collection if record else "")

    def _running(self, name: str) -> str:
        status = self.get(name)
        if status.state not in {"running", "paused"}:
            message = (
                f"batch {name!r} does not run: it is {status.state}; `hopline batches show {name}` says more"
            )
            raise InvalidInput("batch", name, "a running batch", message=message)
        return status.job_id


if TYPE_CHECKING:
    from workers.services import Services


def find_report(services: Services, name: str) -> Report:
    """Return a batch's report; if it is running, or was cancelled, one based on its job's data.

    Raises:
        InvalidInput: there is no batch with this name.
        Permanent: its job has expired, and no report is kept.
    """
    record = services.batches.get(name)
    facts = services.books.of_job(record.job_id)
    if record.report and (facts is None or facts.state not in _NOT_REPORTED):
        return Report.read_stored(services.blobs.get(record.report))
    if facts is None:
        raise Permanent(f"the job of batch {name} has expired, and it left no report")
    running = facts.state == _RUNNING
    after = services.graph.growth(record.collection)
    lines = _lines(services, record.job_id)
    report = make_report(facts, lines, refused_of(services.blobs, facts), after, running=running)
    if not running:  # it was ended before it could be reported
        reference = services.blobs.put(report.model_dump_json().encode("utf-8"), ".json")
        services.books.enter(name, record.job_id, reference)
    return report


def _lines(services: Services, job_id: str) -> Iterator[DocumentLine]:
    pages = [page.reference for page in services.spool.pages(job_id)]
    yield from lines_of(services.blobs, pages)
    for done in services.ledger.results(job_id).values():
        yield from (line_of(item) for item in done if item.step == _DOCUMENT)
