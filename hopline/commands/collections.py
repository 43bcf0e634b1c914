"""hopline collections delete, schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopline.commands.client import connected, naming_collection
from hopline.commands.completion import complete_collection
from hopline.commands.console import notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import Collection
from hopline.words import counted

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Collections: delete them, and say what the metadata of their documents must fit.",
)


@app.callback()
def collections() -> None:
    """Collections: delete them, and say what the metadata of their documents must fit."""


@app.command()
def delete(
    name: Annotated[
        str, typer.Argument(help="The collection.", show_default=False, autocompletion=complete_collection)
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a collection: its documents, and all that is kept for it.

    That is facts, vectors, topics, merges, concept maps, kept versions, schema, title and description.

    [bold]Example[/bold]

      hopline collections delete old
    """
    from hopline.commands.waiting import outcome_of

    with connected() as client, naming_collection(client, name):
        if not yes:
            live = client.collections.census(name).live
            told = f"{counted(live.documents, 'document')} with {counted(live.facts, 'fact')}"
            if not typer.confirm(f"Delete collection {name}: {told}, and all that is kept for it?", err=True):
                raise typer.Exit(Exit.FAILED)
        deleted = outcome_of(client, client.collections.delete(name)).get("documents", {}).get("deleted", 0)
    notice(f"Deleted collection {name} with {counted(deleted, 'document')}.")


@app.command()
def schema(
    collection: Collection = "default",
    file: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE.json", help="Set the schema in this file.", show_default=False),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Let the collection have no schema.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --set: also where documents do not fit.")
    ] = False,
) -> None:
    """Show, set or clear a collection's metadata schema: types, required fields and allowed values.

    What does not fit it is refused from then on, before anything is written; docs/metadata.md has its form.

    [bold]Examples[/bold]

      hopline collections schema -c contracts

      hopline collections schema -c contracts --set schema.json
    """
    from hopline.errors import InvalidInput

    if clear and file is not None:
        raise InvalidInput("--clear", True, "nothing beside --set")
    if anyway and file is None:
        raise InvalidInput("--anyway", True, "nothing without --set")
    with connected() as client, naming_collection(client, collection):
        if file is not None:
            misfits = client.collections.set_schema(collection, _read(file), anyway=anyway).misfits
            more = f"; {counted(misfits, 'document')} of it do not fit" if misfits else ""
            notice(f"Collection {collection} has this schema from now on{more}.")
        elif clear:
            client.collections.clear_schema(collection)
            notice(f"Collection {collection} has no schema any more.")
        else:
            print_json(client.collections.get_schema(collection).model_dump_json(exclude_defaults=True))


def _read(file: Path) -> Any:
    """Return what is in a file; the API says what of it is no schema."""
    from hopline.errors import InvalidInput
    from hopline.json_objects import read_json

    try:
        return read_json(file.read_text(encoding="utf-8-sig"))
    except InvalidInput:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput("--set", str(file), f"a JSON file of a schema ({error})") from error
