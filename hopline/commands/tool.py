"""hopline tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected, require_collection
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.options import DEFAULT, AsJson, OneCollection

if TYPE_CHECKING:
    from hopline import Hopline


def tool(
    name: Annotated[
        str | None, typer.Argument(help="The tool; without it, all are listed.", show_default=False)
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE…", help="Its arguments.", show_default=False)
    ] = None,
    collection: OneCollection = None,
    as_json: AsJson = False,
) -> None:
    """Query the graph with one tool; without a name, list the tools and their purposes.

    The list ends with the packs of tools: which are on over a collection's graph and why, or what it lacks;
    without -c, over "default" or else the largest collection.
    HOPLINE_TOOL_PACKS names those that are on whatever the graph has.

    Exit codes: 0 found, 3 nothing found, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline tool

      hopline tool lookup_knowledge entity="Marie Curie" -c notes

      hopline tool find_connection entity1="Marie Curie" entity2=Warsaw max_hops=3 -c notes

      hopline tool track_journey entity="Marie Curie" --json | jq -r '.items[].text'
    """
    with connected() as client:
        if name is None:
            _list_tools(client, collection, as_json=as_json)
            return
        given = _parsed(arguments or [])
        result = client.tools.run(name, given, collection=collection or DEFAULT[0])
        if result.is_empty and not client.server.about().tools_graph:
            require_collection(client, collection or DEFAULT[0])
    if as_json:
        print_json(result.model_dump_json())
    else:
        from hopline.views.tools import print_result

        print_result(answers(), result)
    raise typer.Exit(Exit.ABSTAINED if result.is_empty else Exit.DONE)


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
    """Return the collection whose graph is read: the one named, else "default", else the largest.

    None if none is named and tools query a database of their own.

    Raises:
        NoDocuments: the one that is named is not there.
    """
    if named is None and client.server.about().tools_graph:
        return None
    require_collection(client, named)
    known = {each.name: each.documents for each in client.collections.list().collections}
    return named or (DEFAULT[0] if DEFAULT[0] in known else max(known, key=known.__getitem__, default=None))


def _parsed(arguments: Sequence[str]) -> dict[str, str]:
    """Return arguments by name; the value may hold further equals signs."""
    from hopline.errors import InvalidInput

    values: dict[str, str] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or not key.isidentifier() or key == "collection":
            raise InvalidInput(
                "argument", argument, "key=value, with a key of the tool's; -c names the collection"
            )
        if key in values:
            raise InvalidInput(key, value, "given once")
        values[key] = value
    return values
