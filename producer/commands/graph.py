"""hopline graph."""

from __future__ import annotations

import typer

from producer.commands.session import AsJson, Collection, open_client
from producer.console import answers, notice, print_json
from producer.exits import Exit


def graph(collection: Collection = "default", as_json: AsJson = False) -> None:
    """Show a collection's graph in numbers: counts, degrees, hubs, and what hangs loose.

    Hidden is what a version holds that is still being written, or is being removed. An orphan is held by
    nothing at all. Exit codes: 0 shown, 3 the collection holds nothing, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline graph -c demo

      hopline graph -c demo --json | jq '.hubs[] | [.name, .degree]'
    """
    with open_client(ledger=False) as client:
        census = client.census(collection)
        if as_json:
            print_json(census.model_dump_json())
        if not (census.live.documents or census.hidden.documents):
            from producer.searching import unknown

            notice(f"Nothing to count: {unknown(client.services, collection)}.")
            raise typer.Exit(Exit.ABSTAINED)
    if not as_json:
        from producer.views.graph import print_census

        print_census(answers(), census)
