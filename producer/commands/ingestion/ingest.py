"""Follows documents that the demonstration submits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.commands.client import batches, cancelling

if TYPE_CHECKING:
    from hopline.models.ingest_reports import IngestReport, Submitted
    from producer.client.hopline import Hopline


def follow_documents(client: Hopline, submitted: Submitted, *, quiet: bool) -> IngestReport:
    """Show a batch's progress until it has ended; return its report."""
    from hopline.progress.ingest import IngestProgress
    from hopline.views.live import follow, ingest_view
    from producer.reports.outcomes import report_of

    progress = IngestProgress(documents=submitted.documents)
    with cancelling(client, submitted.job_id, ask_first=True):
        follow(
            batches(client.follow(submitted.job_id)),
            progress,
            ingest_view(progress),
            quiet=quiet,
            why=lambda: client.waits_for(submitted.job_id),
        )
    return report_of(client.job(submitted.job_id), submitted.refused)
