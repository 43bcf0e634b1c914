"""The result of a sync."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Usage
from workers.core.jobs.batches import DocumentLine

if TYPE_CHECKING:
    from workers.ledger.records import JobRecord


class SyncReport(Frozen):
    """What was found, and what was done about it."""

    job_id: str
    status: JobState
    dry_run: bool = False
    sources: tuple[str, ...] = ()
    # Documents by what was found: new, changed, moved, removed, unchanged, doubtful (its place was not read).
    counts: dict[str, int] = {}
    examples: dict[str, tuple[str, ...]] = {}  # addresses of some, by the same words
    refused: int = 0  # what lies in the sources and is no document
    documents: dict[str, int] = {}  # what became of the new, changed and moved ones: done, partial, failed …
    removals: dict[
        str, int
    ] = {}  # removed, kept, failed; those that were moved are removed at their old place
    failed: tuple[DocumentLine, ...] = ()  # some of what went wrong
    error: str | None = None
    usage: Usage = Usage()

    @property
    def changes(self) -> int:
        """How many documents are not in step, or were not."""
        return sum(self.counts.get(kind, 0) for kind in ("new", "changed", "moved", "removed"))


def sync_report_of(record: JobRecord) -> SyncReport:
    """Return the report of a sync; its status says whether it still runs or was cancelled."""
    outcome: dict[str, Any] = record.outcome or {}
    fields = {name: value for name, value in outcome.items() if name in SyncReport.model_fields}
    fields.setdefault("error", outcome.get("reason"))
    return SyncReport(
        **{"sources": record.job.params["sources"], "dry_run": record.job.params["dry_run"], **fields},
        job_id=record.job.id,
        status=JobState(record.state),
        usage=record.usage,
    )
