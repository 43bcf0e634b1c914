"""hopline schema."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import harmless, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import AsJson, OneCollection


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
    """Show the graph's schema: labels, relationships, properties, and their counts.

    The patterns are what a model sees; of a large graph they are read from a sample. Counted is the whole
    database, all collections together. With -c, it is shown as a model sees it over that collection: the
    graph that its documents made, else the database that tools ask.

    Exit codes: 0 shown, 3 the graph is empty, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline schema

      hopline schema -c story

      hopline schema --json | jq -r '.relationships[].type'
    """
    with connected() as client:
        graph_schema = client.graph.schema(collection=collection, internal=internal, refresh=refresh)
    if as_json:
        print_json(graph_schema.model_dump_json())
    else:
        typer.echo(harmless(graph_schema.as_text()))
        _print_counts("Nodes by label:", graph_schema.label_counts)
        _print_counts("Relationships by type:", graph_schema.type_counts)
    for note in graph_schema.notes:
        notice(f"{note}: the schema was read without it.")
    raise typer.Exit(Exit.DONE if graph_schema.nodes else Exit.ABSTAINED)


def _print_counts(title: str, counts: dict[str, int]) -> None:
    if counts:
        typer.echo(title)
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        typer.echo(harmless(f"{count:>12,}  {name}"))
