"""Reads a batch's report: the stored one, or a preliminary one from its running job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hopline.errors import Permanent
from hopline.models.reports import DocumentLine, Report
from workers.ingest.batch import line_of
from workers.ingest.report import lines_of, make_report, refused_of

if TYPE_CHECKING:
    from workers.services import Services

_RUNNING = "running"
_NOT_REPORTED = {_RUNNING, "cancelled"}  # the kept one is of before a retry
_DOCUMENT = "ingest.document"


def find_report(services: Services, name: str) -> Report:
    """Return a batch's report; of one that runs, or that was cancelled, what its job knows.

    Raises:
        InvalidInput: there is no batch of this name.
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
