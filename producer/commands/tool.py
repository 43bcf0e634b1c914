"""hopline tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from producer.commands.session import AsJson, Collection, open_client
from producer.console import answers, print_json
from producer.exits import Exit

if TYPE_CHECKING:
    from producer.client import Hopline


def tool(
    name: Annotated[
        str | None, typer.Argument(help="The tool; all are listed without it.", show_default=False)
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE…", help="Its arguments.", show_default=False)
    ] = None,
    collection: Collection = "default",
    as_json: AsJson = False,
) -> None:
    """Ask the graph itself with one tool; without a name, list the tools and what each is for.

    Exit codes: 0 found, 3 nothing found, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline tool

      hopline tool lookup_knowledge entity="Marie Curie" -c notes

      hopline tool find_connection entity1="Marie Curie" entity2=Warsaw max_hops=3 -c notes

      hopline tool track_journey entity="Marie Curie" --json | jq -r '.items[].text'
    """
    with open_client(ledger=False) as client:
        if name is None:
            _list_tools(client, as_json=as_json)
            return
        result = client.tool(name, collection, **_parsed(arguments or []))
    if as_json:
        print_json(result.model_dump_json())
    else:
        from producer.views.tools import print_result

        print_result(answers(), result)
    raise typer.Exit(Exit.ABSTAINED if result.is_empty else Exit.DONE)


def _list_tools(client: Hopline, *, as_json: bool) -> None:
    described = [one["function"] for one in client.tools()]
    if as_json:
        import json

        print_json(json.dumps({"tools": described}))
        return
    from producer.views.tools import print_tools

    print_tools(answers(), described)


def _parsed(arguments: Sequence[str]) -> dict[str, str]:
    """Return arguments by name; the value may hold further equals signs."""
    from workers.core.errors import InvalidInput

    found: dict[str, str] = {}
    for given in arguments:
        key, equals, value = given.partition("=")
        if not equals or not key.isidentifier() or key == "collection":
            raise InvalidInput(
                "argument", given, "key=value, with a key of the tool's; -c names the collection"
            )
        if key in found:
            raise InvalidInput(key, value, "given once")
        found[key] = value
    return found
