"""hopline collections schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopline.commands.console import notice, print_json
from hopline.words import counted
from producer.commands.client import open_client
from producer.commands.options import Collection

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Collections: what the metadata of their documents must fit.",
)


@app.callback()
def collections() -> None:
    """Collections: what the metadata of their documents must fit."""


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
    from workers.core.metadata.schema import parse_schema

    if clear and file is not None:
        raise InvalidInput("--clear", True, "nothing beside --set")
    if anyway and file is None:
        raise InvalidInput("--anyway", True, "nothing without --set")
    with open_client() as client:
        if file is not None:
            misfits = client.set_collection_schema(parse_schema(_read(file)), collection, anyway=anyway)
            more = f"; {counted(misfits, 'document')} of it do not fit" if misfits else ""
            notice(f"Collection {collection} has this schema from now on{more}.")
        elif clear:
            client.clear_collection_schema(collection)
            notice(f"Collection {collection} has no schema any more.")
        else:
            print_json(client.collection_schema(collection).model_dump_json(exclude_defaults=True))


def _read(file: Path) -> object:
    from hopline.errors import InvalidInput
    from workers.core.json_objects import parse_json

    try:
        return parse_json(file.read_text(encoding="utf-8-sig"))
    except InvalidInput:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput("--set", str(file), f"a JSON file of a schema ({error})") from error
