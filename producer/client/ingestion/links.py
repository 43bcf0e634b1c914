"""The part of the port between a client and hopline that ingests from places: batches, syncs, estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from hopline.models.batches import BatchStatus, BatchSubmitted
    from hopline.models.estimates import Estimate
    from hopline.models.jobs import Budget
    from hopline.models.params import SyncParams
    from hopline.models.reports import Report
    from hopline.models.schedules import Schedule, Scheduled, ScheduleRuns
    from hopline.models.sources import SourcePage
    from producer.service.batches.estimates import EstimateOrder
    from producer.service.batches.submission import BatchOrder, ListingProgress
    from workers.core.jobs.work import Terms
    from workers.ledger.records import JobRecord


class BatchesLink(Protocol):
    """Named batches; an unknown name is an InvalidInput, over HTTP a NotFound."""

    def submit(
        self, order: BatchOrder, terms: Terms, progress: ListingProgress | None = None
    ) -> BatchSubmitted:
        """List sources and make a job of them.

        Raises:
            InvalidInput: a value is wrong, the name is taken, or no source names a document.
        """

    def get(self, name: str) -> BatchStatus:
        """Return a batch's status."""

    def all(self) -> list[BatchStatus]:
        """Return the status of all batches, newest first."""

    def pause(self, name: str) -> BatchStatus:
        """Pause a batch: items in progress finish, and nothing new begins."""

    def resume(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        now: bool = False,
        between: str | None = None,
        zone: str = "",
    ) -> BatchStatus:
        """Resume a batch, with new limits and hours if given."""

    def cancel(self, name: str) -> BatchStatus:
        """Cancel a batch; documents already in the graph stay."""

    def retry(self, name: str) -> BatchStatus:
        """Retry the documents of an ended batch that failed or were not done."""

    def report(self, name: str) -> Report:
        """Return a batch's report; a preliminary one while it runs."""


class EstimatesLink(Protocol):
    """What documents would take."""

    def make(self, order: EstimateOrder) -> Estimate:
        """Return what the documents of some sources would take.

        Raises:
            InvalidInput: a value is wrong; over HTTP also if they are too many for a request.
        """


class SourcesLink(Protocol):
    """What requests may ingest from."""

    def page(self, place: str = "", *, cursor: str = "", limit: int = 100) -> SourcePage:
        """Return the places that requests may name documents in, or what lies in a folder of one.

        Raises:
            InvalidInput: requests may not read there, or there is no folder that can be read.
        """


class SyncsLink(Protocol):
    """Syncs of collections with sources."""

    def submit(
        self,
        params: SyncParams,
        collection: str,
        key: str | None,
        profile: str | Path | None,
        terms: Terms,
    ) -> JobRecord:
        """Submit a sync; return what is recorded of its job.

        Raises:
            InvalidInput: the profile, the collection or a source is wrong.
        """


class SchedulesLink(Protocol):
    """Schedules of syncs; an unknown name is an InvalidInput, over HTTP a NotFound."""

    def all(self) -> list[Scheduled]:
        """Return all schedules by name."""

    def runs(self, name: str, *, before: str = "", limit: int = 50) -> ScheduleRuns:
        """Return a page of the syncs that a schedule began, newest first."""

    def add(self, schedule: Schedule, profile: str | Path | None = None) -> Scheduled:
        """Store a schedule, replacing the one of its name.

        Raises:
            InvalidInput: the profile or a source is wrong.
        """

    def pause(self, name: str) -> Scheduled:
        """Let a schedule begin nothing until it is resumed; a job that it began goes on."""

    def resume(self, name: str) -> Scheduled:
        """Let a paused schedule begin again when it is due next; what it missed is not made up for."""

    def remove(self, name: str) -> None:
        """Delete a schedule; a job that it began goes on."""
