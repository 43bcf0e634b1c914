"""hopline graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected, naming_collection
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import AsJson, Collection

if TYPE_CHECKING:
    from hopline import Hopline

Around = Annotated[
    str | None,
    typer.Option(help="Show the facts around this name instead: a full name, an alias, or a part."),
]
Document = Annotated[str | None, typer.Option(help="With --around: only facts of the document of this id.")]
Limit = Annotated[int, typer.Option(min=1, max=200, help="With --around: facts at most.")]


def graph(
    collection: Collection = "default",
    around: Around = None,
    document: Document = None,
    limit: Limit = 40,
    as_json: AsJson = False,
) -> None:
    """Show a collection's graph in numbers, or the facts around a name.

    The numbers are counts by label and type, degrees, hubs, how long facts are, what hangs loose, and how
    good the embedder is here. Hidden is what a version holds that is still being written, or is being
    removed. An orphan is held by nothing at all. Exit codes: 0 shown, 3 there is nothing to show, 1 failed,
    2 usage.

    [bold]Examples[/bold]

      hopline graph -c demo

      hopline graph -c demo --around "Thomas Telford"

      hopline graph -c demo --json | jq '.hubs[] | [.name, .degree]'
    """
    with connected() as client:
        if around is not None:
            _show_around(client, collection, around, document, limit, as_json=as_json)
            return
        with naming_collection(client, collection):
            census = client.collections.census(collection, lengths=True)
    if as_json:
        print_json(census.model_dump_json())
        return
    from hopline.views.census import print_census

    print_census(answers(), census)


def _show_around(
    client: Hopline, collection: str, name: str, document: str | None, limit: int, *, as_json: bool
) -> None:
    near = client.graph.neighbourhood(name, collection=collection, document=document, limit=limit)
    if as_json:
        print_json(near.model_dump_json())
    if near.centre is None:
        notice(f"Collection {collection} knows nothing of {name!r}.")
        raise typer.Exit(Exit.ABSTAINED)
    if not as_json:
        from hopline.views.neighbourhood import print_neighbourhood

        print_neighbourhood(answers(), near)
