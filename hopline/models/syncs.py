"""The result of a sync."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from hopline.models.base import OfKind
from hopline.models.jobs import Json, ToldState, Usage
from hopline.models.reports import DocumentLine

if TYPE_CHECKING:
    from hopline.models.results import Job


class SyncReport(OfKind):
    """The differences that a sync found, and its actions."""

    kind: Literal["sync"] = "sync"
    job_id: str
    status: ToldState
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

    @classmethod
    def of(cls, job: Job, stored: Json | None = None) -> Self:
        """Return the report of a sync's job; its status shows whether it still runs or was cancelled.

        Args:
            job: the sync's job.
            stored: an outcome as the job's flow stored it; by default the job's own.
        """
        if stored is None and isinstance(job.outcome, cls):
            return job.outcome
        outcome = stored or {}
        told = {name: value for name, value in outcome.items() if name in cls.model_fields}
        known = {"sources": job.params["sources"], "dry_run": job.params["dry_run"]}
        reason = {"error": outcome.get("reason")}
        ends = {"kind": job.kind, "job_id": job.id, "status": job.state, "usage": job.usage}
        return cls.read_stored({**known, **reason, **told, **ends})

    @property
    def changes(self) -> int:
        """Number of documents that differ, or differed, from their source."""
        return sum(self.counts.get(kind, 0) for kind in ("new", "changed", "moved", "removed"))
