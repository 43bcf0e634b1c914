"""hopline keys."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.console import ReportingGroup, answers, error_line, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import AsJson

if TYPE_CHECKING:
    from producer.service.keys import ApiKey
    from producer.service.service import Service

_LOCKED = (
    "There is no key any more, and the API still needs one: `hopline keys create` makes one, "
    "`hopline keys open` lets servers on this machine do without."
)
_FIRST = (
    "This is the first key. From then on the API needs one of everybody: the page asks for it, and clients "
    "and assistants that send none are refused, on this machine too. The command line and workers need none. "
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
    scope: Scopes = None,
    collection: Annotated[
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
    from hopline.models.keys import KeyCreated
    from producer.service.keys import key_shown

    service = _service()
    if not (yes or service.keys.needed()):
        _agree_to_lock()
    key, text = service.keys.create(
        name,
        frozenset(scope or ["submit"]),
        tuple(collection) if collection else None,
        principals.split(",") if principals is not None else None,
    )
    if key.scopes == {"act-as"}:
        notice(_ACTS_ONLY)
    signs = service.webhook_secret(key.id)
    if as_json:
        print_json(
            KeyCreated(**key_shown(key).model_dump(), key=text, webhook_secret=signs).model_dump_json()
        )
        return
    console = answers()
    console.print(f"{text}\n", soft_wrap=True)
    console.print("It is not shown again. The page asks for it; requests carry it as:")
    console.print("Authorization: Bearer hop_…")
    console.print(f"Webhooks of its jobs are signed with {signs}", soft_wrap=True)


@app.command(name="list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys."""
    from hopline.models.keys import KeyList
    from hopline.views.tables import Listing
    from producer.service.keys import key_shown

    keys = _service().keys
    api_keys = keys.all()
    if as_json:
        print_json(KeyList(keys=tuple(map(key_shown, api_keys))).model_dump_json())
        return
    if not api_keys:
        answers().print(_LOCKED if keys.needed() else _OPEN)
        return
    table = Listing("id", "name", "scopes", "collections", "sees", wide="sees")
    for key in api_keys:
        within = ", ".join(key.collections) if key.collections is not None else "all"
        table.add(key.id, key.name, ", ".join(sorted(key.scopes)), within, _sees(key))
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
    named = None if principals is None else principals.split(",")
    key = _service().keys.change_principals(key_id, named)
    answers().print(f"Key {key.id} ({key.name}) sees {_sees(key)}.")


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="As `hopline keys list` shows it.")],
) -> None:
    """Revoke a key, at once. The API goes on requiring a key, even after the last one is revoked."""
    keys = _service().keys
    key = keys.revoke(key_id)
    answers().print(f"Key {key.id} ({key.name}) opens nothing any more.")
    if not keys.all():
        answers().print(_LOCKED)


@app.command(name="open")
def drop_need() -> None:
    """Stop requiring keys on this machine, after the last one was revoked.

    A server that listens on its own machine only lets everyone there do everything, at once. One that others
    reach asks for a key until it is started again; then it listens on its own machine only.
    """
    _service().keys.drop_need()
    answers().print(
        "No key is needed any more: everyone on the machine of a server may do everything there. "
        "A server that other machines reach asks for a key until it is started again."
    )


@app.command(name="webhook-secret")
def webhook_secret(
    key_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]", help="As `hopline keys list` shows it; omit it for jobs without a key."
        ),
    ] = None,
) -> None:
    """Show the secret that signs the webhooks of a key's jobs; receivers need it."""
    from hopline.errors import NotFound

    service = _service()
    if key_id is not None and key_id not in {key.id for key in service.keys.all()}:
        raise NotFound(f"no key {key_id}: `hopline keys list` shows them")
    answers().print(service.show_webhook_secret(key_id or ""), soft_wrap=True)


def _sees(key: ApiKey) -> str:
    return "everything" if key.principals is None else "what is allowed to " + ", ".join(key.principals)


def _agree_to_lock() -> None:
    """Explain what the first key changes, and ask for consent; raise Exit without it."""
    notice(_FIRST)
    if not sys.stdin.isatty():
        error_line("nobody is there to agree: say --yes")
        raise typer.Exit(Exit.USAGE)
    typer.confirm("Make it?", abort=True, err=True)


def _service() -> Service:
    from producer.service.service import Service

    return Service()
