"""hopline schema."""

from __future__ import annotations

from typing import Annotated

import typer

from producer.commands.session import AsJson, open_client
from producer.console import harmless, notice, print_json
from producer.exits import Exit


def schema(
    internal: Annotated[
        bool, typer.Option("--internal", help="Show what hopline keeps for itself, too.")
    ] = False,
    refresh: Annotated[bool, typer.Option("--refresh", help="Read it anew.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what the graph is made of, as a model sees it: labels, relationships, properties.

    Of a large graph a sample is read. Exit codes: 0 shown, 3 the graph is empty, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline schema

      hopline schema --json | jq -r '.relationships[].type'
    """
    with open_client(ledger=False) as client:
        found = client.schema(internal=internal, refresh=refresh)
    if as_json:
        print_json(found.model_dump_json())
    else:
        typer.echo(harmless(found.as_text()))
    for note in found.notes:
        notice(f"{note}: the schema was read without it.")
    raise typer.Exit(Exit.DONE if found.nodes else Exit.ABSTAINED)
