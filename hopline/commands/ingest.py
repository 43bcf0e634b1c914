"""hopline ingest."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from hopline.commands.ask import report_submitted
from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json, working
from hopline.commands.exits import Exit, exit_of_state
from hopline.commands.intake import (
    Between,
    ChunkOverlap,
    ChunkTokens,
    Code,
    Encoding,
    FollowLinks,
    MaxCalls,
    MaxCost,
    MaxTokens,
    Meta,
    Name,
    Paths,
    Profile,
    Reread,
    Upload,
    Urgency,
    Via,
    Wait,
    Zone,
    given,
    read_profile,
    refuse_beside,
)
from hopline.commands.options import Allow, AsJson, Collection, Key, Quiet, Tag, Tags
from hopline.commands.waiting import cancelling, happening, waits_for
from hopline.words import counted

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.ingest_reports import IngestReport, Submitted


def ingest(
    paths: Paths,
    collection: Collection = "default",
    batch: Name = None,
    profile: Profile = None,
    wait: Wait = None,
    as_json: AsJson = False,
    meta: Meta = None,
    tags: Tags = "",
    allow: Allow = None,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    encoding: Encoding = None,
    code: Code = False,
    reread: Reread = False,
    key: Key = None,
    tag: Tag = None,
    priority: Urgency = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    via: Via = "calls",
    between: Between = "",
    zone: Zone = "",
    upload: Upload = None,
    follow_links: FollowLinks = False,
    quiet: Quiet = False,
) -> None:
    """Turn documents into a graph of atomic facts.

    Reads .txt .md .mdx .rst .adoc .org .tex .html .json .log .pdf .docx .odt .rtf .pptx .xlsx .xls .ods .csv
    .tsv .epub .ipynb .mhtml .eml .msg, archives of these (.zip .tar .tar.gz .mbox), .jsonl with one
    document per line (id, title, text, chapter, order, metadata), and .uris with one address per line. An
    unchanged document costs nothing; a document with changed text, profile or chunk size replaces its
    earlier version. Metadata also comes from a file NAME.meta.json next to a document, and from its front
    matter. Exit codes: 0 all ingested, 4 some documents failed, 1 all documents or the job failed, 2 usage.

    [bold]Examples[/bold]

      hopline ingest reports/ -c reports

      hopline ingest story/ -c story --profile narrative

      hopline ingest contracts/ --meta author=Ann --tags contract,signed

      hopline ingest contracts/ --allow user:ann,group:legal

      hopline ingest paper.pdf notes.md --json | jq '.documents[].error'

    [bold]Very many documents[/bold]: a named batch stores its list of documents and continues after this
    command ends. After an interruption, the same command resumes where it stopped.

      hopline ingest /archive "s3://bucket/*.pdf" --batch archive --max-cost 40

      hopline batches show archive
    """
    from hopline.models.tags import parse_tags

    intake = given(chunk_tokens=chunk_tokens, chunk_overlap=chunk_overlap, encoding=encoding or "")
    intake |= given(code=code or None)
    intake |= given(profile=read_profile(profile), reread=reread or None)
    intake["tags"] = parse_tags(tag or ())
    if meta or tags or allow is not None:
        from hopline.models.metadata import metadata_of_command

        intake["metadata"] = metadata_of_command(meta or (), tags, allow)
    of_batch = {
        "max_cost": max_cost, "max_tokens": max_tokens, "max_calls": max_calls, "via": via,
        "hours": between, "zone": zone, "upload": upload, "follow_links": follow_links,
    }  # fmt: skip
    if batch is not None:
        from hopline.commands.batches import ingest_batch

        intake |= given(**of_batch) | {"priority": priority or ("normal" if wait else "low")}
        refuse_beside("--key", key, "none with --batch: the name is the key")
        ingest_batch(batch, paths, collection, intake, wait=bool(wait), quiet=quiet, as_json=as_json)
        return
    for name, value in of_batch.items():
        refuse_beside(_option(name), "" if value == "calls" else value, "used with --batch NAME")
    intake["priority"] = priority or "normal"
    with connected() as client:
        intake |= {"collection": collection, "key": key}
        submitted = _hand_over(client, paths, quiet=quiet or as_json, **intake)
        if wait is False:
            _tell_submitted(submitted, as_json=as_json)
            return
        report = follow_documents(client, submitted, quiet=quiet or as_json)
    if as_json:
        print_json(report.model_dump_json())
    else:
        from hopline.views.reports import print_report

        print_report(answers(), report)
    raise typer.Exit(exit_of_report(report))


def _hand_over(client: Hopline, paths: list[str], *, quiet: bool, **order: Any) -> Submitted:
    """Submit documents; if the API is on another machine, show how many were sent."""
    sent = 0

    with working("Listing", quiet=quiet) as tell:

        def count(so_far: int, of_all: int) -> None:
            nonlocal sent
            sent = so_far
            tell(f"Sent {so_far:,} of {of_all:,}")

        try:
            return client.hand_over(paths, progress=count, **order)
        except KeyboardInterrupt:
            if sent:
                notice(f"{counted(sent, 'document')} were submitted and go on: `hopline jobs` lists them.")
            else:
                notice("The documents may have been submitted: `hopline jobs` lists them.")
            raise


def _tell_submitted(submitted: Submitted, *, as_json: bool) -> None:
    for refusal in submitted.refused:
        notice(f"not taken: {refusal.uri}: {refusal.error}")
    if as_json and submitted.more:
        print_json(json.dumps({"job_id": submitted.job_id, "status": "running", "more": submitted.more}))
        return
    for job_id in submitted.job_ids:
        report_submitted(job_id, as_json=as_json)


def _option(name: str) -> str:
    return "--between" if name == "hours" else "--" + name.replace("_", "-")


def exit_of_report(report: IngestReport) -> Exit:
    """Return the exit code of an ingestion; a finished one with failed documents is partial."""
    code = exit_of_state(report.status)
    return Exit.PARTIAL if report.failed and code is Exit.DONE else code


def follow_documents(client: Hopline, submitted: Submitted, *, quiet: bool) -> IngestReport:
    """Show the progress of documents until the last is finished; return the report."""
    from hopline.models.ingest_reports import IngestReport
    from hopline.progress.ingest import IngestProgress
    from hopline.views.live import follow, ingest_view

    progress = IngestProgress(documents=submitted.documents)
    with cancelling(client.jobs.cancel, *submitted.job_ids, ask_first=True):
        for job_id in submitted.job_ids:
            follow(
                happening(client, job_id),
                progress,
                ingest_view(progress),
                quiet=quiet,
                why=partial(waits_for, client, job_id),
            )
    return IngestReport.of_all(list(map(client.jobs.get, submitted.job_ids)), submitted.refused)
