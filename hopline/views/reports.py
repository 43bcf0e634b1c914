"""Prints an ingestion's report: the ingested documents, and a table of the others with reasons."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.errors import may_help_again, plain_error
from hopline.models.batches import WHOLE
from hopline.views.tables import Listing
from hopline.views.words import number, usage_parts
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.ingest_reports import IngestReport


_DOUBTFUL = 10  # documents that are named


def print_report(console: Console, report: IngestReport) -> None:
    """Print an ingestion's report."""
    print_indented(console, Text(harmless(summary(report)), "bold"), 0)
    doubtful = [document for document in report.documents if document.doubts]
    for document in doubtful[:_DOUBTFUL]:
        line = f"Read with doubts: {document.uri}: {', '.join(document.doubts)}"
        print_indented(console, Text(harmless(line), "yellow"), 0)
    if len(doubtful) > _DOUBTFUL:
        more = counted(len(doubtful) - _DOUBTFUL, "more document")
        console.print(Text(f"{more} with doubts; `hopline documents --poorly-read -c …` lists them.", "dim"))
    unkept = Counter(document.original for document in report.documents if document.original)
    for why, documents in unkept.items():
        line = f"The files of {counted(documents, 'document')} are not kept: {why}."
        console.print(Text(line, "yellow"))
    if not report.failed:
        return
    reason = "why it is not in the graph"
    table = Listing("document", reason, wide=reason, title="Failed")
    for document in report.failed:
        table.add(document.uri, plain_error(document.error or "no reason recorded"))
    table.print(console)
    unlisted = _by_status(report)["failed"] - len(report.failed)
    if unlisted > 0:
        console.print(Text(f"{counted(unlisted, 'further document')} failed.", "dim"))
    # Those without an id never became items of the job.
    retried = [each for each in report.failed if each.document_id and may_help_again(each.error or "")]
    if retried or unlisted > 0:
        line = "tries them again" if len(retried) == len(report.failed) else "tries again what can be read"
        console.print(Text(f"`hopline jobs retry {report.job_id}` {line}.", "dim"))


def summary(report: IngestReport) -> str:
    """Return a line with documents by status, chunks, facts, and model usage.

    Of a very large batch the report lists some documents only, so nothing is added up over them.
    """
    statuses = _by_status(report)
    by_status = ", ".join(f"{number(count)} {status}" for status, count in sorted(statuses.items()))
    parts = [counted(statuses.total(), "document") + (f" ({by_status})" if by_status else "")]
    if len(report.documents) == statuses.total():
        sums = {
            name: sum(getattr(document, name) for document in report.documents)
            for name in ("chunks", "facts", "entities", "relations", "events")
        }
        # The last three are a profile's, where one was given.
        parts += [f"{name}: {total}" for name, total in sums.items() if total or name in {"chunks", "facts"}]
    return " · ".join([*parts, *usage_parts(report.usage), f"job {report.job_id}: {report.status}"])


def _by_status(report: IngestReport) -> Counter[str]:
    """Return how many documents have each status; those that are not wholly in the graph have failed."""
    statuses: Counter[str] = Counter()
    for status, count in report.counts.items():
        statuses[status if status in WHOLE else "failed"] += count
    return statuses
