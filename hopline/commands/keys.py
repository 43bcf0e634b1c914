"""hopline keys: list, show, create, change, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_collection, complete_key
from hopline.commands.console import agree, answers, error_line, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import whole_key_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Yes
from hopline.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline import Hopline
    from hopline.models.keys import Key, KeyScope

_LOCKED = (
    "There is no key any more, and the API still needs one: `hopline keys create` makes one, "
    "`hopline keys open` lets servers on this machine do without."
)
_FIRST = (
    "This is the first key. From then on the API needs one of everybody: the page asks for it, and clients "
    "and assistants that send none are refused, on this machine too. The command line and workers of this "
    "machine's user need none. "
    "To go back, delete the last key, then run `hopline keys open`."
)
_ACTS_ONLY = (
    "A key with act-as alone opens nothing: it may neither read nor submit, for others either. Make one with "
    "`--scope read --scope act-as`, or `--scope submit --scope act-as`, and delete this one."
)
_OPEN = "There is no key, and none is needed: the server listens on this machine only."

Principals = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="PRINCIPALS",
        help="Show it only documents that these users and groups may see: user:ann,group:legal. (default: "
        "all documents)",
        show_default=False,
    ),
]
Scopes = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        help="read: read answers, documents and own jobs; submit: also submit jobs; admin: everything, for "
        "all keys; act-as, together with read or submit: each request names the user it is made for. May be "
        "repeated. (default: submit)",
    ),
]

app = noun("API keys: who may use the HTTP API, and for what.")
Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="Name or id of the key, or a prefix of the id.",
        show_default=False,
        autocompletion=complete_key,
    ),
]


@app.command(name="list")
def list_keys(as_json: AsJson = False) -> None:
    """List the API keys and their rights."""
    with connected() as client:
        listed = client.keys.list()
    if as_json:
        print_json(listed.model_dump_json())
        return
    if not listed.keys:
        answers().print(_LOCKED if listed.needed else _OPEN)
        return
    _print_keys(listed.keys)


def _print_keys(keys: Sequence[Key]) -> None:
    from hopline.views.tables import Listing

    table = Listing("name", "id", "scopes", "collections", "sees", wide="sees")
    for key in keys:
        within = ", ".join(key.collections) if key.collections is not None else "all"
        table.add(key.name, key.id, ", ".join(key.scopes), within, _sees(key))
    table.print(answers())


@app.command()
def show(key_id: Id, as_json: AsJson = False) -> None:
    """Show a key: its scopes, its collections, and the users and groups it reads for.

    [bold]Example[/bold]

      hopline keys show reports
    """
    with connected() as client:
        key = _key_of(client, key_id)
    if as_json:
        print_json(key.model_dump_json())
    else:
        _print_keys([key])


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name for the user of the key.")],
    scopes: Scopes = None,
    collections: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            "-c",
            help="Limit it to these collections. (default: all)",
            autocompletion=complete_collection,
        ),
    ] = None,
    principals: Principals = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Create a key. It is shown only once, since only its hash is stored.

    The first key locks the API: from then on, the page and every client need a key.

    [bold]Examples[/bold]

      hopline keys create reports --scope submit -c reports

      hopline keys create ann --as user:ann,group:legal
    """
    with connected() as client:
        if not (yes or client.keys.list().needed):
            notice(_FIRST)
            agree("Make it?", yes=False)
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


@app.command()
def change(
    key_id: Id,
    principals: Principals = None,
    everything: Annotated[bool, typer.Option("--everything", help="Show it all documents.")] = False,
) -> None:
    """Change which documents a key sees, from its next request and the next step of its running jobs."""
    if (principals is None) is not everything:
        error_line("say whom it reads for with --as, or --everything")
        raise typer.Exit(Exit.USAGE)
    with connected() as client:
        key = client.keys.change(whole_key_id(client, key_id), _named(principals))
    notice(f"Key {key.name} ({key.id}) sees {_sees(key)}.")


@app.command()
def delete(key_id: Id, yes: Yes = False) -> None:
    """Delete a key, which ends all access with it.

    The API keeps requiring a key, even after the last one is deleted.

    [bold]Example[/bold]

      hopline keys delete reports
    """
    with connected() as client:
        key = _key_of(client, key_id)
        agree(f"Delete key {key.name} ({key.id}, {', '.join(key.scopes)})?", yes=yes)
        client.keys.revoke(key.id)
        is_last = not client.keys.list().keys
    notice(f"Deleted key {key.name} ({key.id}).")
    if is_last:
        notice(_LOCKED)


def _key_of(client: Hopline, meant: str) -> Key:
    """Return the API key with this name, id or prefix of an id.

    Raises:
        NotFound: no such key.
    """
    key_id = whole_key_id(client, meant)
    for key in client.keys.list().keys:
        if key.id == key_id:
            return key
    raise NotFound(f"there is no key {meant}: `hopline keys` lists them")


def _sees(key: Key) -> str:
    return "everything" if key.principals is None else "what is allowed to " + ", ".join(key.principals)


def _named(principals: str | None) -> tuple[str, ...] | None:
    return None if principals is None else tuple(principals.split(","))
