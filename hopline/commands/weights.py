"""hopline weights: list, set, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_collection, complete_key
from hopline.commands.console import answers, error_line, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import whole_key_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson

if TYPE_CHECKING:
    from hopline.models.weights import Tenant, WeightList

app = noun("Weights that divide bulk work among API keys and collections: list, set and delete them.")
Collection = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        help="Collection whose weight to set.",
        autocompletion=complete_collection,
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        help="API key whose weight to set: its name or id, or a prefix of the id.",
        autocompletion=complete_key,
    ),
]


@app.command(name="list")
def list_weights(as_json: AsJson = False) -> None:
    """List the weights: among those with bulk work, twice the weight means twice the share.

    Work submitted with an API key counts for that key, other work for its collection. Work on a collection
    with a weight of its own always counts for the collection. The default weight is 1.
    """
    with connected() as client:
        listed = client.weights.list()
    _print(listed, as_json=as_json)


@app.command(name="set")
def set_weight(
    weight: Annotated[float, typer.Argument(help="A number from 0.1 to 100; the default is 1.")],
    collection: Collection = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Set the weight of an API key or a collection; it applies immediately, also to waiting work.

    [bold]Examples[/bold]

      hopline weights set --collection legal 3

      hopline weights set --key nightly 0.5
    """
    kind, name = _change(collection, key, weight, as_json=as_json)
    if not as_json:
        notice(f"Weight of {kind} {name}: {weight:g}.")


@app.command()
def delete(collection: Collection = None, key: Key = None, as_json: AsJson = False) -> None:
    """Remove a weight: the API key or collection counts as 1 again.

    [bold]Example[/bold]

      hopline weights delete --key nightly
    """
    kind, name = _change(collection, key, None, as_json=as_json)
    if not as_json:
        notice(f"{kind.capitalize()} {name} no longer has a weight of its own.")


def _change(
    collection: str | None, key: str | None, weight: float | None, *, as_json: bool
) -> tuple[Tenant, str]:
    """Set or remove a weight; return its owner."""
    kind, name = _tenant(collection, key)
    with connected() as client:
        left = client.weights.set(kind, whole_key_id(client, name) if kind == "key" else name, weight)
    if as_json:
        _print(left, as_json=True)
    return kind, name


def _tenant(collection: str | None, key: str | None) -> tuple[Tenant, str]:
    if collection and not key:
        return "collection", collection
    if key and not collection:
        return "key", key
    error_line("say whose weight it is with --collection or --key, one of them")
    raise typer.Exit(Exit.USAGE)


def _print(listed: WeightList, *, as_json: bool) -> None:
    from hopline.views.tables import Listing

    if as_json:
        print_json(listed.model_dump_json())
    elif not listed.weights:
        answers().print("Nobody has a weight: all that have bulk work get the same share.")
    else:
        table = Listing("what", "name", "weight", "key's name", wide="name")
        for each in listed.weights:
            table.add(each.kind, each.name, f"{each.weight:g}", each.called)
        table.print(answers())
