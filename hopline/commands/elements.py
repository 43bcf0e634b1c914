"""hopline elements: show the facts about one."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_document
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import whole_collection, whole_document_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, Collection

app = noun("Key elements, the names that facts share: show the facts around one.")


@app.command()
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="Full name or alias of the key element, or words from its name.", show_default=False
        ),
    ],
    collection: Collection = "default",
    document: Annotated[
        str | None,
        typer.Option(
            help="Only facts from the document with this id or prefix.", autocompletion=complete_document
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of facts.")] = 40,
    as_json: AsJson = False,
) -> None:
    """Show the facts about a key element, best first, each with its best source.

    Exit codes: 0 shown, 3 the collection has no such key element, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline elements show "Thomas Telford" -c demo

      hopline elements show Telford -c demo --json | jq -r '.facts[].text'
    """
    with connected() as client:
        document = document and whole_document_id(client, document)
        collection = whole_collection(client, collection)
        near = client.graph.neighbourhood(name, collection=collection, document=document, limit=limit)
    if as_json:
        print_json(near.model_dump_json())
    if near.centre is None:
        notice(f"Collection {collection} has no key element {name!r}.")
        raise typer.Exit(Exit.NOTHING_FOUND)
    if not as_json:
        from hopline.views.neighbourhood import print_neighbourhood

        print_neighbourhood(answers(), near)
