"""hopline batches, and hopline ingest --batch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_batch
from hopline.commands.console import answers, notice, print_json, working
from hopline.commands.exits import Exit, exit_of_state
from hopline.commands.ids import whole_batch_name
from hopline.commands.intake import refuse_beside, sent_places
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson
from hopline.words import counted

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.batches import BatchStatus, BatchSubmitted

Form = Literal["text", "md", "json", "html"]
app = noun(
    "Named batches of documents: list them, show, pause, resume, cancel or retry one, read its report."
)
Name = Annotated[
    str,
    typer.Argument(
        help="The batch's name or a prefix of it.", show_default=False, autocompletion=complete_batch
    ),
]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Show progress until the batch ends.")]


@app.command(name="list")
def list_batches(as_json: AsJson = False) -> None:
    """List the named batches.

    [bold]Example[/bold]

      hopline batches --json | jq -r '.batches[].name'
    """
    with connected() as client:
        listed = client.batches.list()
    if as_json:
        print_json(listed.model_dump_json())
        return
    from hopline.views.batches.status import print_batches

    print_batches(answers(), listed.batches)


@app.command()
def show(name: Name, follow: Follow = False, as_json: AsJson = False) -> None:
    """Show a batch's progress.

    Exit codes: 0 running or complete, 4 ended with documents missing, 1 failed, 2 usage; 130 if Ctrl-C ends
    --follow, which leaves the batch running.

    [bold]Examples[/bold]

      hopline batches show archive --follow

      hopline batches show archive --json | jq .counts
    """
    with connected() as client:
        status = client.batches.get(whole_batch_name(client, name))
        if follow:
            status = _watch(client, status.name, quiet=as_json)
    _show(status, as_json=as_json)
    raise typer.Exit(_exit_of(status))


@app.command()
def pause(name: Name, as_json: AsJson = False) -> None:
    """Pause a batch: work in progress finishes, and nothing new starts.

    [bold]Example[/bold]

      hopline batches pause archive
    """
    with connected() as client:
        status = client.batches.pause(whole_batch_name(client, name))
    _show(status, as_json=as_json)
    if not as_json:
        notice("Work in progress finishes; nothing new begins.")


@app.command()
def resume(
    name: Name,
    max_cost: Annotated[
        float | None, typer.Option(help="New limit on the batch's cost.", show_default=False)
    ] = None,
    now: Annotated[bool, typer.Option("--now", help="Run at once, even outside its hours.")] = False,
    between: Annotated[
        str | None,
        typer.Option(
            help="Run only during these hours, such as 22:00-06:00; `always` removes the limit.",
            show_default=False,
        ),
    ] = None,
    follow: Follow = False,
    as_json: AsJson = False,
    max_tokens: Annotated[
        int | None, typer.Option(help="New limit on the batch's tokens.", show_default=False)
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option(help="New limit on the batch's model calls.", show_default=False)
    ] = None,
    zone: Annotated[
        str, typer.Option(help="The time zone of these hours. (default: the batch's)", show_default=False)
    ] = "",
) -> None:
    """Resume a paused batch; if it paused at a limit, give it a higher one.

    Outside its hours the batch waits for them, unless it is resumed with --now.

    [bold]Examples[/bold]

      hopline batches resume archive --max-cost 60

      hopline batches resume archive --between 20:00-08:00 --zone Europe/Berlin
    """
    if between is None:
        refuse_beside("--zone", zone, "used with --between")
    with connected() as client:
        status = client.batches.resume(
            whole_batch_name(client, name),
            now=now,
            between="" if between == "always" else between,
            zone=zone,
            max_cost=max_cost,
            max_tokens=max_tokens,
            max_calls=max_calls,
        )
        _show_or_follow(client, status, follow=follow, as_json=as_json)


@app.command()
def cancel(name: Name, as_json: AsJson = False) -> None:
    """Cancel a batch: documents already in the graph stay, and nothing new starts.

    [bold]Example[/bold]

      hopline batches cancel archive
    """
    with connected() as client:
        status = client.batches.cancel(whole_batch_name(client, name))
    _show(status, as_json=as_json)


@app.command()
def retry(name: Name, follow: Follow = False, as_json: AsJson = False) -> None:
    """Retry a batch's failed documents.

    [bold]Example[/bold]

      hopline batches retry archive --follow
    """
    with connected() as client:
        status = client.batches.retry(whole_batch_name(client, name))
        _show_or_follow(client, status, follow=follow, as_json=as_json)


@app.command()
def report(
    name: Name,
    form: Annotated[
        Form | None, typer.Option("--format", help="Format of the report. (default text)", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write the report to.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Print a batch's report: documents ingested, failures with reasons, and cost.

    [bold]Example[/bold]

      hopline batches report archive --format html --out archive.html
    """
    with connected() as client:
        _report(client, whole_batch_name(client, name), form or ("json" if as_json else "text"), out)


def _show_or_follow(client: Hopline, status: BatchStatus, *, follow: bool, as_json: bool) -> None:
    """Show a batch's progress or, with --follow, its end, which then sets the exit code."""
    if follow:
        status = _watch(client, status.name, quiet=as_json)
    _show(status, as_json=as_json)
    raise typer.Exit(_exit_of(status) if follow else Exit.DONE)


def _show(status: BatchStatus, *, as_json: bool) -> None:
    if as_json:
        print_json(status.model_dump_json())
        return
    from hopline.views.batches.status import print_status

    print_status(answers(), status)


def _exit_of(status: BatchStatus) -> Exit:
    if status.lasts:
        return Exit.DONE
    if status.state == "expired":
        whole = status.ended == status.documents and not status.failed
        return Exit.DONE if whole else Exit.PARTIAL
    return exit_of_state(status.state)


def _report(client: Hopline, name: str, form: Form, out: Path | None) -> None:
    from hopline.views.batches.report import render_report
    from hopline.views.batches.text import print_report

    report = client.batches.report(name)
    if out is not None:
        out.write_text(render_report(report, form), encoding="utf-8")
        notice(f"Written to {out}.")
    elif form == "text":
        print_report(answers(), report)
    elif form == "json":  # one line, as all commands print it
        print_json(json.dumps(json.loads(render_report(report, form))))
    else:
        print_json(render_report(report, form).rstrip("\n"))


def ingest_batch(
    name: str,
    sources: Sequence[str],
    collection: str,
    wanted: dict[str, Any],
    *,
    wait: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Submit a named batch; wait for it if requested."""
    with connected() as client:
        try:
            with working("Listing", quiet=quiet or as_json) as tell:
                patient = client.with_options(timeout=None)  # listing may take long
                places = sent_places(patient, sources, tell, code=bool(wanted.get("code")))
                submitted = patient.batches.submit(name, places, collection, **wanted)
        except KeyboardInterrupt:
            notice(
                f"The batch may have been submitted: `hopline batches show {name}` shows it. If not, the "
                "same command again stores only what is missing."
            )
            raise
        _tell(submitted, quiet=quiet, as_json=as_json and not wait)
        if not (quiet or as_json or wait):
            _tell_pauses(client.batches.get(name))
        if not wait:
            return
        status = _watch(client, name, quiet=quiet or as_json)
    _show(status, as_json=as_json)
    refused = submitted.refused and status.state == "done"
    raise typer.Exit(Exit.PARTIAL if refused else _exit_of(status))


def _tell(submitted: BatchSubmitted, *, quiet: bool, as_json: bool) -> None:
    if as_json:
        print_json(submitted.model_dump_json())
        return
    for place, reason in submitted.examples if not quiet else ():
        notice(f"not taken: {place}: {reason}")
    if (more := submitted.refused - len(submitted.examples)) > 0:
        notice(f"and {more} more were not taken; the batch's report names them")
    begun = "was submitted before" if submitted.known else "is submitted"
    notice(
        f"Batch {submitted.name} of {counted(submitted.documents, 'document')} {begun}; "
        f"`hopline batches show {submitted.name}` shows its progress."
    )


def _tell_pauses(status: BatchStatus) -> None:
    from hopline.views.batches.status import waiting

    for pause in status.pauses:
        notice(f"Paused: {pause.why}.")
    if status.waits_until:
        begin = waiting(status.waits_until, status.zone)
        notice(f"I{begin[1:]}; `hopline batches resume {status.name} --now` begins at once.")


def _watch(client: Hopline, name: str, *, quiet: bool) -> BatchStatus:
    """Show a batch's progress until it ends; Ctrl-C leaves it running."""
    from hopline.views.batches.report import watch_batch

    try:
        return watch_batch(lambda: client.batches.get(name), quiet=quiet)
    except KeyboardInterrupt:
        notice(f"The batch goes on: `hopline batches show {name}` shows it, … pause and … cancel stop it.")
        raise
