"""hopline collections: list, show, change, delete, schema, reindex."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_collection
from hopline.commands.console import agree, answers, harmless, notice, print_json
from hopline.commands.ids import existing_collection, naming_collection
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, DryRun, Yes
from hopline.words import counted

app = noun("Collections: list them, show or delete one, set what its documents' metadata must fit.")
Name = Annotated[
    str,
    typer.Argument(
        help="A collection's name or a prefix of it.", show_default=False, autocompletion=complete_collection
    ),
]


@app.command(name="list")
def list_collections(as_json: AsJson = False) -> None:
    """List the collections with their numbers of documents.

    [bold]Example[/bold]

      hopline collections --json | jq -r '.collections[].name'
    """
    with connected() as client:
        listed = client.collections.list()
    if as_json:
        print_json(listed.model_dump_json())
        return
    from hopline.views.collections import print_collections

    print_collections(answers(), listed.collections)


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a collection's graph in numbers.

    It shows counts by label and type, degrees, hubs, lengths of facts, loose ends, and how good the embedder
    is here. Hidden nodes belong to a version that is still being written or removed; an orphan belongs to
    nothing. Exit codes: 0 shown, 3 there is no such collection, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline collections show demo

      hopline collections show demo --json | jq '.hubs[] | [.name, .degree]'
    """
    with connected() as client, naming_collection(client, name) as name:  # noqa: PLR1704 - its whole one
        census = client.collections.census(name, lengths=True)
    if as_json:
        print_json(census.model_dump_json())
        return
    from hopline.views.census import print_census

    print_census(answers(), census)


@app.command()
def change(
    name: Name,
    title: Annotated[str | None, typer.Option(help='What people call it; "" removes it.')] = None,
    description: Annotated[str | None, typer.Option(help='What is in it; "" removes it.')] = None,
) -> None:
    """Change a collection's title and description; its name cannot change.

    [bold]Example[/bold]

      hopline collections change legal --title "Contracts since 2020"
    """
    if title is None and description is None:
        raise typer.BadParameter("say what to change: --title or --description")
    with connected() as client, naming_collection(client, name) as name:  # noqa: PLR1704 - its whole one
        changed = client.collections.update(name, title=title, description=description)
    notice(f"Collection {name}: {changed.title or 'no title'}; {changed.description or 'no description'}.")


@app.command()
def delete(name: Name, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Delete a collection: its documents, and everything else that is kept for it.

    This includes facts, vectors, topics, merges, concept maps, kept versions, schema, title and description.
    It names the first documents and asks; --yes does not ask, but then needs the whole name.

    [bold]Example[/bold]

      hopline collections delete old
    """
    from hopline.commands.documents import first_of
    from hopline.commands.waiting import outcome_of

    asks = not yes or dry_run
    with connected() as client, naming_collection(client, name, whole=not asks) as name:  # noqa: PLR1704
        if asks:
            live = client.collections.census(name).live
            told = f"{counted(live.documents, 'document')} with {counted(live.facts, 'fact')}"
            first = first_of(client, name, live.documents)
            if dry_run:
                typer.echo(harmless(first), nl=False)
                notice(f"Would delete collection {name}: {told}; nothing was done.")
                return
            question = f"Delete collection {name}: {told}, and everything else that is kept for it?"
            agree(first + question, yes=False)
        deleted = outcome_of(client, client.collections.delete(name)).get("documents", {}).get("deleted", 0)
    notice(f"Deleted collection {name} with {counted(deleted, 'document')}.")


@app.command()
def schema(
    name: Name,
    file: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE.json", help="Set the schema in this file.", show_default=False),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the collection's schema.")] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --set: set it even if documents do not fit.")
    ] = False,
) -> None:
    """Show, set or clear a collection's metadata schema: types, required fields and allowed values.

    From then on, documents that do not fit are refused before anything is written; docs/metadata.md shows its
    form.

    [bold]Examples[/bold]

      hopline collections schema contracts

      hopline collections schema contracts --set schema.json
    """
    from hopline.errors import InvalidInput

    if clear and file is not None:
        raise InvalidInput("--clear", True, "left out beside --set")
    if anyway and file is None:
        raise InvalidInput("--anyway", True, "left out without --set")
    changes = clear or file is not None
    with connected() as client, naming_collection(client, name, whole=changes) as name:  # noqa: PLR1704
        if file is not None:
            misfits = client.collections.set_schema(name, _read(file), anyway=anyway).misfits
            more = f"; {counted(misfits, 'document')} of it do not fit" if misfits else ""
            notice(f"Collection {name} now has this schema{more}.")
        elif clear:
            client.collections.clear_schema(name)
            notice(f"Collection {name} no longer has a schema.")
        else:
            print_json(client.collections.get_schema(name).model_dump_json(exclude_defaults=True))


@app.command()
def reindex(name: Name) -> None:
    """Rebuild a collection's vectors from the graph, with the configured embedder.

    The names that its documents state are settled again, even those of documents ingested before names were
    kept.
    """
    from hopline.commands.waiting import outcome_of

    with connected() as client:
        name = existing_collection(client, name)
        count = int(outcome_of(client, client.collections.reindex(name)).get("vectors", 0))
    notice(f"Rebuilt {counted(count, 'vector')} of collection {name}.")


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
