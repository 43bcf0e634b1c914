"""hopline ingest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from producer.commands.ask import report_submitted
from producer.commands.session import AsJson, Collection, Key, Quiet, batches, cancelling, open_client
from producer.console import answers, notice, print_json
from producer.exits import Exit, exit_of_state

if TYPE_CHECKING:
    from producer.client import Hopline
    from producer.report import IngestReport, Submitted


def ingest(
    paths: Annotated[
        list[str],
        typer.Argument(help="Files, folders, or addresses such as s3://bucket/folder.", show_default=False),
    ],
    collection: Collection = "default",
    profile: Annotated[
        str | None,
        typer.Option(
            help="Also take typed entities, relations and major events: narrative, or a TOML file of yours.",
            show_default=False,
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait for the last document, or print the job's id.")
    ] = True,
    key: Key = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Turn documents into a graph of atomic facts.

    Reads .txt .md .html .pdf .docx, and .jsonl with one document a line (id, title, text, chapter,
    order). A document that is already there unchanged costs nothing; a changed one, or one taken with another
    profile, replaces its older self.
    Exit codes: 0 all in, 4 some documents failed, 1 the job failed, 2 usage.

    [bold]Examples[/bold]

      hopline ingest reports/ -c reports

      hopline ingest story/ -c story --profile narrative

      hopline ingest paper.pdf notes.md --json | jq '.documents[] | select(.error)'
    """
    with open_client() as client:
        submitted = client.submit_documents(paths, collection, profile=profile, key=key)
        if not wait:
            for one in submitted.refused:
                notice(f"not taken: {one.uri}: {one.error}")
            report_submitted(submitted.job_id, as_json=as_json)
            return
        report = follow_documents(client, submitted, quiet=quiet or as_json)
    if as_json:
        print_json(report.model_dump_json())
    else:
        from producer.views.reports import print_report

        print_report(answers(), report)
    raise typer.Exit(exit_of_report(report))


def exit_of_report(report: IngestReport) -> Exit:
    """Return the exit code of an ingestion: a failed document makes it partial."""
    code = exit_of_state(report.status)
    return Exit.PARTIAL if report.failed and report.status != "cancelled" else code


def follow_documents(client: Hopline, submitted: Submitted, *, quiet: bool) -> IngestReport:
    """Show a batch's progress until it has ended; return its report."""
    from producer.outcomes import report_of
    from producer.progress import IngestProgress
    from producer.views.live import follow, ingest_view

    progress = IngestProgress(documents=submitted.documents)
    with cancelling(client, submitted.job_id, ask_first=True):
        follow(batches(client.follow(submitted.job_id)), progress, ingest_view(progress), quiet=quiet)
    return report_of(client.job(submitted.job_id), submitted.refused)
