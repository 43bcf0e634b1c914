"""hopline tools: list, run, schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_tool
from hopline.commands.console import answers, harmless, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import existing_collection, whole_collection
from hopline.commands.nouns import noun
from hopline.commands.options import DEFAULT, AsJson, OneCollection

if TYPE_CHECKING:
    from hopline import Hopline


app = noun("Tools that query the graph: list them, run one, show the graph's schema.")


@app.command(name="list")
def list_tools(collection: OneCollection = None, as_json: AsJson = False) -> None:
    """List the tools with their purposes, and the packs they belong to.

    For each pack it shows whether it is on for a collection's graph and why, or what is missing. Without
    -c, that is the collection "default", or else the largest. Packs named in HOPLINE_TOOL_PACKS are always
    on.

    [bold]Example[/bold]

      hopline tools -c notes
    """
    with connected() as client:
        _list_tools(client, collection, as_json=as_json)


@app.command()
def run(
    name: Annotated[
        str, typer.Argument(help="Name of the tool.", show_default=False, autocompletion=complete_tool)
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE…", help="Arguments of the tool.", show_default=False),
    ] = None,
    collection: OneCollection = None,
    as_json: AsJson = False,
) -> None:
    """Query the graph with one tool.

    Exit codes: 0 found, 3 nothing found, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline tools run lookup_knowledge entity="Marie Curie" -c notes

      hopline tools run find_connection entity1=Curie entity2=Warsaw -c notes

      hopline tools run track_journey entity=Curie --json | jq -r '.items[].text'
    """
    with connected() as client:
        given = _parsed(arguments or [])
        collection = whole_collection(client, collection or DEFAULT[0])
        result = client.tools.run(name, given, collection=collection)
        if result.is_empty and not client.server.about().tools_graph:
            existing_collection(client, collection)
    if as_json:
        print_json(result.model_dump_json())
    else:
        from hopline.views.tools import print_result

        print_result(answers(), result)
    raise typer.Exit(Exit.NOTHING_FOUND if result.is_empty else Exit.DONE)


@app.command()
def schema(
    collection: OneCollection = None,
    internal: Annotated[
        bool, typer.Option("--internal", help="Also show hopline's internal labels.")
    ] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Read the schema again instead of the cached one.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the schema of the graph that tools query: labels, relationships, properties, and their counts.

    The patterns are shown as a model sees them; those of a large graph come from a sample. Counts cover the
    whole database with all collections. With -c, the schema is the one that a model sees for that
    collection: of the graph made from its documents, or else of the database that tools query.

    Exit codes: 0 shown, 3 the graph is empty, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline tools schema

      hopline tools schema -c story

      hopline tools schema --json | jq -r '.relationships[].type'
    """
    with connected() as client:
        collection = collection and whole_collection(client, collection)
        graph_schema = client.graph.schema(collection=collection, internal=internal, refresh=refresh)
    if as_json:
        print_json(graph_schema.model_dump_json())
    else:
        typer.echo(harmless(graph_schema.as_text()))
        _print_counts("Nodes by label:", graph_schema.label_counts)
        _print_counts("Relationships by type:", graph_schema.type_counts)
    for note in graph_schema.notes:
        notice(f"{note}: the schema was read without it.")
    raise typer.Exit(Exit.DONE if graph_schema.nodes else Exit.NOTHING_FOUND)


def _print_counts(title: str, counts: dict[str, int]) -> None:
    if counts:
        typer.echo(title)
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        typer.echo(harmless(f"{count:>12,}  {name}"))


def _list_tools(client: Hopline, collection: str | None, *, as_json: bool) -> None:
    from hopline.errors import Permanent, Transient

    collection = _read_collection(client, collection)
    described = [description["function"] for description in client.tools.list(collection=collection).tools]
    try:
        packs = client.tools.packs(collection=collection).packs
    except (Transient, Permanent) as error:
        packs = []
        notice(f"Packs that switch themselves on are left out: {error}")
    if as_json:
        import json

        print_json(json.dumps({"tools": described, "packs": [pack.model_dump() for pack in packs]}))
        return
    from hopline.views.tools import print_packs, print_tools

    print_tools(answers(), described)
    print_packs(answers(), packs, collection)


def _read_collection(client: Hopline, named: str | None) -> str | None:
    """Return the collection whose graph is read: the named one, else "default", else the largest.

    None if none is named and tools query a database of their own.

    Raises:
        NoDocuments: the named collection does not exist.
    """
    if named is None and client.server.about().tools_graph:
        return None
    if named is not None:
        return existing_collection(client, named)
    known = {each.name: each.documents for each in client.collections.list().collections}
    return DEFAULT[0] if DEFAULT[0] in known else max(known, key=known.__getitem__, default=None)


def _parsed(arguments: Sequence[str]) -> dict[str, str]:
    """Return arguments by name; a value may contain further equals signs."""
    from hopline.errors import InvalidInput

    values: dict[str, str] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or not key.isidentifier() or key == "collection":
            raise InvalidInput(
                "argument",
                argument,
                "key=value, where key is an argument of the tool; -c names the collection",
            )
        if key in values:
            raise InvalidInput(key, value, "given once")
        values[key] = value
    return values
