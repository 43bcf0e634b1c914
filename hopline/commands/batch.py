"""hopline batch, and hopline ingest --batch."""

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
from hopline.commands.intake import refuse_beside
from hopline.commands.options import AsJson
from hopline.words import counted

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.batches import BatchStatus, BatchSubmitted

Action = Literal["show", "pause", "resume", "cancel", "retry", "report"]
Form = Literal["text", "md", "json", "html"]
MaxCost = Annotated[
    float | None, typer.Option(help="With resume: a new limit of its cost.", show_default=False)
]
MaxTokens = Annotated[int | None, typer.Option(help="With resume: of its tokens.", show_default=False)]
MaxCalls = Annotated[int | None, typer.Option(help="With resume: of its model calls.", show_default=False)]
Now = Annotated[bool, typer.Option("--now", help="With resume: run at once, even outside its hours.")]
Between = Annotated[
    str | None,
    typer.Option(help="With resume: at these hours only, 22:00-06:00, or always.", show_default=False),
]
Zone = Annotated[
    str, typer.Option(help="The time zone of these hours. (default: the batch's)", show_default=False)
]
Format = Annotated[
    Form | None,
    typer.Option("--format", help="With report: its format. (default text)", show_default=False),
]
Out = Annotated[Path | None, typer.Option(help="With report: a file to write it to.", show_default=False)]
Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="With show, resume or retry: follow it until its end.")
]
_FOLLOWED = {"show", "resume", "retry"}
_ASKS_FOR = {
    "resume": ("max_cost", "max_tokens", "max_calls", "now", "between", "zone"),
    "report": ("form", "out"),
}


def batch(
    name: Annotated[
        str | None,
        typer.Argument(
            help="The batch's name or a prefix of it. (default: list them all)",
            show_default=False,
            autocompletion=complete_batch,
        ),
    ] = None,
    action: Annotated[Action, typer.Argument(help="What to do with it.")] = "show",
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    now: Now = False,
    between: Between = None,
    zone: Zone = "",
    form: Format = None,
    out: Out = None,
    follow: Follow = False,
    as_json: AsJson = False,
) -> None:
    """List named batches; show, pause, resume, cancel or retry one, or print its report.

    What is paused begins nothing new; what is begun goes on to its end. A batch that ran into a limit of its
    cost, tokens or calls pauses by itself, and goes on when it is resumed with a higher one. Outside its
    hours it waits for them, resumed or not, unless it is resumed with --now.
    Exit codes: 0 done (shown: it runs, or all is in), 4 shown, and not all is in, 1 failed, 2 usage;
    130 where Ctrl-C ends --follow: the batch itself goes on.

    [bold]Examples[/bold]

      hopline batch

      hopline batch archive --follow

      hopline batch archive pause

      hopline batch archive resume --max-cost 60

      hopline batch archive resume --between 20:00-08:00 --zone Europe/Berlin

      hopline batch archive report --format html --out archive.html
    """
    options = {
        "max_cost": max_cost, "max_tokens": max_tokens, "max_calls": max_calls, "form": form, "out": out,
        "now": now, "between": between, "zone": zone,
    }  # fmt: skip
    _refuse_others(action, options)
    _refuse_following(name, action, follow=follow)
    with connected() as client:
        if name is None:
            _list(client, as_json=as_json)
            return
        name = whole_batch_name(client, name)
        if action == "report":
            _report(client, name, form or ("json" if as_json else "text"), out)
        else:
            status = _act(client, name, action, options)
            if follow:
                status = _watch(client, name, quiet=as_json)
            _show(status, action, as_json=as_json)
            raise typer.Exit(_exit_of(status) if follow or action == "show" else Exit.DONE)


def _refuse_others(action: str, options: dict[str, Any]) -> None:
    for owner, names in _ASKS_FOR.items():
        for option in names if owner != action else ():
            shown = "--format" if option == "form" else "--" + option.replace("_", "-")
            refuse_beside(shown, options[option], f"used with `hopline batch NAME {owner}`")
    if options["between"] is None:
        refuse_beside("--zone", options["zone"], "used with --between")


def _refuse_following(name: str | None, action: str, *, follow: bool) -> None:
    if name is None or action not in _FOLLOWED:
        refuse_beside("--follow", follow, "used with a batch's name, alone or with resume or retry")


def _act(client: Hopline, name: str, action: str, options: dict[str, Any]) -> BatchStatus:
    match action:
        case "pause":
            return client.batches.pause(name)
        case "resume":
            limits = {limit: options[limit] for limit in ("max_cost", "max_tokens", "max_calls")}
            between = "" if options["between"] == "always" else options["between"]
            return client.batches.resume(
                name, now=options["now"], between=between, zone=options["zone"], **limits
            )
        case "cancel":
            return client.batches.cancel(name)
        case "retry":
            return client.batches.retry(name)
    return client.batches.get(name)


def _show(status: BatchStatus, action: str, *, as_json: bool) -> None:
    if as_json:
        print_json(status.model_dump_json())
        return
    from hopline.views.batches.status import print_status

    print_status(answers(), status)
    if action == "pause":
        notice("What is begun goes on to its end; nothing else is begun.")


def _exit_of(status: BatchStatus) -> Exit:
    if status.lasts:
        return Exit.DONE
    if status.state == "expired":
        whole = status.ended == status.documents and not status.failed
        return Exit.DONE if whole else Exit.PARTIAL
    return exit_of_state(status.state)


def _list(client: Hopline, *, as_json: bool) -> None:
    listed = client.batches.list()
    if as_json:
        print_json(listed.model_dump_json())
        return
    from hopline.views.batches.status import print_batches

    print_batches(answers(), listed.batches)


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
    from hopline.trees import place_of

    with connected() as client:
        try:
            with working("Listing", quiet=quiet or as_json):
                patient = client.with_options(timeout=None)  # listing may take long
                submitted = patient.batches.submit(name, tuple(map(place_of, sources)), collection, **wanted)
        except KeyboardInterrupt:
            notice(
                f"The batch may have been submitted: `hopline batch {name}` shows it. If not, the same "
                "command again stores only what is missing."
            )
            raise
        _tell(submitted, quiet=quiet, as_json=as_json and not wait)
        if not (quiet or as_json or wait):
            _tell_pauses(client.batches.get(name))
        if not wait:
            return
        status = _watch(client, name, quiet=quiet or as_json)
    _show(status, "show", as_json=as_json)
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
        f"`hopline batch {submitted.name}` shows how it stands."
    )


def _tell_pauses(status: BatchStatus) -> None:
    from hopline.views.batches.status import waiting

    for pause in status.pauses:
        notice(f"It pauses: {pause.why}.")
    if status.waits_until:
        begin = waiting(status.waits_until, status.zone)
        notice(f"I{begin[1:]}; `hopline batch {status.name} resume --now` begins at once.")


def _watch(client: Hopline, name: str, *, quiet: bool) -> BatchStatus:
    """Show a batch's progress until it has ended; Ctrl-C leaves it running."""
    from hopline.views.batches.watch import watch_batch

    try:
        return watch_batch(lambda: client.batches.get(name), quiet=quiet)
    except KeyboardInterrupt:
        notice(f"The batch goes on: `hopline batch {name}` shows it, … pause and … cancel stop it.")
        raise
