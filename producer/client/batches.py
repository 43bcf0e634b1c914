"""Client calls for named batches: submit, inspect, pause, resume, cancel, retry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from producer.client.address import broker_of
from producer.client.link import DEFAULT_COLLECTION
from producer.client.terms import terms_of
from workers.core.errors import InvalidInput
from workers.core.jobs.batches import ASKED
from workers.core.jobs.params import parse_params
from workers.core.jobs.work import Budget, Priority

if TYPE_CHECKING:
    from producer.client.link import Link
    from producer.service.batches.status import BatchStatus
    from producer.service.batches.submission import BatchSubmitted, ListingProgress
    from workers.core.jobs.report import Report
    from workers.services import Services

_ASKED = "somebody asked for it: `hopline batch {name} resume` lets it go on"


class BatchCalls(ABC):
    """What `Hopline` does with named batches; all of it on hopline's servers themselves, not over HTTP."""

    @property
    @abstractmethod
    def _link(self) -> Link:
        """The way to hopline."""

    @property
    @abstractmethod
    def services(self) -> Services:
        """The adapters."""

    def submit_batch(
        self,
        name: str,
        sources: Sequence[str | Path],
        collection: str = DEFAULT_COLLECTION,
        *,
        priority: Priority = "low",
        webhook: str = "",
        progress: ListingProgress | None = None,
        **wanted: Any,
    ) -> BatchSubmitted:
        """List sources and submit them as a named batch; return as soon as the list is stored.

        The same call again, after whatever interrupted it, gives the same batch and stores nothing twice.

        Args:
            name: of the batch; its report is kept under it.
            sources: folders, patterns, .jsonl files, .uris lists, or fsspec addresses.
            collection: where the documents go.
            priority: high, normal or low, among what waits; what people wait for is normal.
            webhook: an address that is told of the batch's end.
            progress: is kept up to date meanwhile.
            **wanted: further fields of `producer.service.batches.submission.BatchOrder`: profile, max_cost, hours, …

        Raises:
            InvalidInput: a value is wrong, the name is taken, or no source names a document.
            DependencyAway: the blob store failed; the same call again goes on.
        """
        from producer.service.batches.submission import BatchOrder, submit_named_batch  # noqa: PLC0415 - who submits
        from workers.engine.hours import keep_hours_of  # noqa: PLC0415 - as above

        named = {"name": name, "sources": tuple(map(str, sources)), "collection": collection}
        order = parse_params(BatchOrder, wanted | named)
        terms = terms_of(priority, webhook)
        link = broker_of(self._link)
        submitted = submit_named_batch(link.services, link.publisher, order, terms=terms, progress=progress)
        begins = keep_hours_of(link.services, submitted.job_id)
        return submitted.model_copy(update={"waits_until": begins})

    def batch(self, name: str) -> BatchStatus:
        """Return a batch's status.

        Raises:
            InvalidInput: there is none of this name.
        """
        from producer.service.batches.status import status_of  # noqa: PLC0415 - only for who looks

        return status_of(self.services, self.services.batches.get(name))

    def batches(self) -> list[BatchStatus]:
        """Return the status of all batches, newest first."""
        from producer.service.batches.status import status_of  # noqa: PLC0415 - as above

        return [status_of(self.services, record) for record in self.services.batches.all()]

    def pause_batch(self, name: str) -> BatchStatus:
        """Pause a batch: items in progress finish, and nothing new begins.

        Raises:
            InvalidInput: there is none of this name, or it does not run.
        """
        job_id = self._running(name)
        self.services.pauses.pause(job_id, "user", _ASKED.format(name=name))
        return self.batch(name)

    def resume_batch(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        now: bool = False,
        between: str | None = None,
        zone: str = "",
    ) -> BatchStatus:
        """Resume a batch, with new limits and hours if given; the others stay.

        Outside its hours it still waits for them.

        Args:
            name: of the batch.
            budget: new limits.
            now: it may run from now on, until its hours end next.
            between: other hours, 22:00-06:00; "" for all.
            zone: of these hours; the batch's own unless given.

        Raises:
            InvalidInput: there is none of this name, it does not run, a limit is below what is spent, or
                the hours are not valid.
        """
        from workers.engine.hours import set_hours  # noqa: PLC0415 - only for who resumes

        job_id = self._running(name)
        if budget is not None:
            self.services.ledger.raise_budget(job_id, budget)
        if now or between is not None:
            set_hours(self.services, job_id, between, zone, at_once=now)
        self.services.pauses.resume(job_id, *ASKED)
        return self.batch(name)

    def cancel_batch(self, name: str) -> BatchStatus:
        """End a batch now; what is in the graph stays there.

        Raises:
            InvalidInput: there is none of this name, or its job has expired.
        """
        from workers.engine.submit import cancel_job  # noqa: PLC0415 - only for who cancels

        cancel_job(self.services, self.services.batches.get(name).job_id)
        return self.batch(name)

    def retry_batch(self, name: str) -> BatchStatus:
        """Do again what failed in a batch that has ended, and what was not done.

        Raises:
            InvalidInput: there is none of this name, it runs, or there is nothing to retry.
        """
        from workers.engine.submit import retry_job  # noqa: PLC0415 - only for who retries

        link = broker_of(self._link)
        retry_job(link.services, link.publisher, link.services.batches.get(name).job_id)
        return self.batch(name)

    def batch_report(self, name: str) -> Report:
        """Return a batch's report; a preliminary one while it runs.

        Raises:
            InvalidInput: there is none of this name.
            Permanent: its job has expired, and no report is kept.
        """
        from producer.service.batches.reports import find_report  # noqa: PLC0415 - only for who reads it

        return find_report(self.services, name)

    def _running(self, name: str) -> str:
        status = self.batch(name)
        if status.state not in {"running", "paused"}:
            message = f"batch {name!r} does not run: it is {status.state}; `hopline batch {name}` says more"
            raise InvalidInput("batch", name, "a batch that runs", message=message)
        return status.job_id
