"""hopline keys."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, cast

import typer

from hopline.commands.client import connected
from hopline.commands.console import ReportingGroup, answers, error_line, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import AsJson

if TYPE_CHECKING:
    from hopline.models.keys import Key, KeyScope

_LOCKED = (
    "There is no key any more, and the API still needs one: `hopline keys create` makes one, "
    "`hopline keys open` lets servers on this machine do without."
)
_FIRST = (
    "This is the first key. From then on the API needs one of everybody: the page asks for it, and clients "
    "and assistants that send none are refused, on this machine too. The command line and workers of this "
    "machine's user need none. "
    "To go back, revoke the last key, then run `hopline keys open`."
)
_ACTS_ONLY = (
    "A key with act-as alone opens nothing: it may neither read nor submit, for others either. Make one with "
    "`--scope read --scope act-as`, or `--scope submit --scope act-as`, and revoke this one."
)
_OPEN = "There is no key, and none is needed: the server listens on this machine only."

Principals = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="PRINCIPALS",
        help="Let it see only documents that these may see: user:ann,group:legal. (default: everything)",
        show_default=False,
    ),
]
Scopes = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        help="read: read answers, documents and own jobs; submit: also submit jobs; admin: everything, "
        "of all keys; act-as, beside read or submit: name in each request for whom it is made. May be given "
        "several times. (default: submit)",
    ),
]

app = typer.Typer(
    name="keys",
    cls=ReportingGroup,
    no_args_is_help=True,
    help="API keys: who may use the HTTP API, and for what.",
)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="A name for whoever uses the key.")],
    scopes: Scopes = None,
    collections: Annotated[
        list[str] | None,
        typer.Option("--collection", "-c", help="Limit it to these collections. (default: all)"),
    ] = None,
    principals: Principals = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, even for the first key.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create a key. It is shown once: only its hash is stored.

    The first one locks the API, which did without: the page and every client need a key from then on.

    [bold]Example[/bold]

      hopline keys create reports --scope submit -c reports

      hopline keys create ann --as user:ann,group:legal
    """
    with connected() as client:
        if not (yes or client.keys.list().needed):
            _agree_to_lock()
        key = client.keys.create(
            name,
            cast("tuple[KeyScope, ...]", tuple(scopes or ("submit",))),
            collections=tuple(collections) if collections else None,
            principals=_named(principals),
        )
    if key.scopes == ("act-as",):
        notice(_ACTS_ONLY)
    if as_json:
        print_json(key.model_dump_json())
        return
    console = answers()
    console.print(f"{key.key}\n", soft_wrap=True)
    console.print("It is not shown again. The page asks for it; requests carry it as:")
    console.print("Authorization: Bearer hop_…")
    console.print(f"Webhooks of its jobs are signed with {key.webhook_secret}", soft_wrap=True)


@app.command(name="list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys."""
    with connected() as client:
        listed = client.keys.list()
    if as_json:
        print_json(listed.model_dump_json())
        return
    if not listed.keys:
        answers().print(_LOCKED if listed.needed else _OPEN)
        return
    from hopline.views.tables import Listing

    table = Listing("id", "name", "scopes", "collections", "sees", wide="sees")
    for key in listed.keys:
        within = ", ".join(key.collections) if key.collections is not None else "all"
        table.add(key.id, key.name, ", ".join(key.scopes), within, _sees(key))
    table.print(answers())


@app.command()
def change(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="As `hopline keys list` shows it.")],
    principals: Principals = None,
    everything: Annotated[bool, typer.Option("--everything", help="Let it see all documents.")] = False,
) -> None:
    """Change what a key sees: from its next request on, and of running jobs with their next step."""
    if (principals is None) is not everything:
        error_line("say whom it reads for with --as, or --everything")
        raise typer.Exit(Exit.USAGE)
    with connected() as client:
        key = client.keys.change(key_id, _named(principals))
    answers().print(f"Key {key.id} ({key.name}) sees {_sees(key)}.")


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="As `hopline keys list` shows it.")],
) -> None:
    """Revoke a key, at once. The API goes on requiring a key, even after the last one is revoked."""
    with connected() as client:
        key = client.keys.revoke(key_id)
        is_last = not client.keys.list().keys
    answers().print(f"Key {key.id} ({key.name}) opens nothing any more.")
    if is_last:
        answers().print(_LOCKED)


def _sees(key: Key) -> str:
    return "everything" if key.principals is None else "what is allowed to " + ", ".join(key.principals)


def _agree_to_lock() -> None:
    """Explain what the first key changes, and ask for consent; raise Exit without it."""
    notice(_FIRST)
    if not sys.stdin.isatty():
        error_line("nobody is there to agree: say --yes")
        raise typer.Exit(Exit.USAGE)
    typer.confirm("Make it?", abort=True, err=True)


def _named(principals: str | None) -> tuple[str, ...] | None:
    return None if principals is None else tuple(principals.split(","))
