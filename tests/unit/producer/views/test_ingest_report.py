"""What is printed of an ingestion: its line of counts, and which documents failed."""

from __future__ import annotations

import io

from rich.console import Console

from producer.reports.ingest import DocumentReport, IngestReport
from producer.views.reports import print_report, summary
from workers.core.jobs.work import JobState

WHOLE = DocumentReport(uri="a.md", document_id="d1", status="done", chunks=2, facts=5)
CUT = DocumentReport(
    uri="b.md", document_id="d2", status="partial", chunks=3, facts=1, error="1 of 3 chunks failed"
)


def test_of_a_very_large_batch_all_documents_are_counted_and_nothing_is_added_up_over_a_few() -> None:
    report = IngestReport(
        job_id="j1", status=JobState.PARTIAL, documents=(WHOLE, CUT), counts={"done": 1, "partial": 1}
    )
    assert summary(report).startswith("2 documents (1 done, 1 failed) · chunks: 5 · facts: 6 · ")
    counts = {"done": 1200, "unchanged": 290, "partial": 4, "failed": 6}
    typed = CUT.model_copy(update={"entities": 2})
    report = IngestReport(job_id="j1", status=JobState.PARTIAL, documents=(typed,), counts=counts)
    assert summary(report).startswith("1,500 documents (1,200 done, 10 failed, 290 unchanged) · ")
    assert not [word for word in ("chunks", "facts", "entities") if word in summary(report)]


def test_failures_that_a_report_does_not_list_are_told() -> None:
    report = IngestReport(
        job_id="j1", status=JobState.PARTIAL, documents=(CUT,), counts={"failed": 9, "partial": 1}
    )
    page = io.StringIO()
    print_report(Console(file=page, width=100), report)
    assert "b.md" in page.getvalue()
    assert "9 further documents failed" in page.getvalue()
    assert "hopline retry j1" in page.getvalue()


def test_a_retry_is_offered_only_where_it_can_help() -> None:
    unreadable = CUT.model_copy(
        update={"status": "failed", "error": "DocumentUnreadable: not a PDF, whatever its name says"}
    )

    def shown(*documents: DocumentReport) -> str:
        page = io.StringIO()
        report = IngestReport(
            job_id="j1", status=JobState.PARTIAL, documents=documents, counts={"failed": len(documents)}
        )
        print_report(Console(file=page, width=100), report)
        return page.getvalue()

    assert "not a PDF, whatever its name says" in shown(unreadable)
    assert "DocumentUnreadable" not in shown(unreadable)
    assert "retry" not in shown(unreadable)
    assert "`hopline retry j1` does again what can be read." in shown(unreadable, CUT)
    assert "`hopline retry j1` does them again." in shown(CUT)
