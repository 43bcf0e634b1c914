"""hopline search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.ids import whole_collections
from hopline.commands.options import DEFAULT, AsJson, Collections
from hopline.commands.scope import As, AsOf, Documents, KnownAt, Where, scope_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hopline import Hopline
    from hopline.models.search import Found

_SENTENCES = 2  # shown of a chunk


def search(
    question: Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)],
    collection: Collections = DEFAULT,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Maximum number of chunks, 1 to 100.")] = 10,
    where: Where = None,
    also: Annotated[
        list[str] | None,
        typer.Option(help="The question in another language that the documents use; may be repeated."),
    ] = None,
    as_json: AsJson = False,
    documents: Documents = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    act_as: As = None,
) -> None:
    """Search for a question without a language model; every rank comes with its reasons.

    Exit codes: 0 found, 3 nothing found, 1 failed, 2 usage.

    [bold]Examples[/bold]

      hopline search "Where was the bridge's designer born?" -c demo

      hopline search "chains of wrought iron" -c demo --limit 3

      hopline search "notice period" -c contracts --where 'date >= 2024-01-01'

      hopline search "notice period" -c contracts -c letters

      hopline search "notice period" -c contracts --also "Kündigungsfrist"

      hopline search "Who built it?" -c demo --json | jq .chunks[].document
    """
    with connected() as client:
        scope = scope_of(client, where, documents, as_of, known_at)
        collection = whole_collections(client, collection)
        result = client.with_options(act_as=act_as).queries.search(
            question,
            collection=collection,
            limit=limit,
            translations=tuple(also or ()),
            sentences=0 if as_json else _SENTENCES,
            **scope,
        )
        if as_json:
            print_json(result.model_dump_json())
        else:
            from hopline.views.search import print_found

            print_found(answers(), result, named=len(collection) > 1)
        report_gaps(client, result, collection)
    raise typer.Exit(Exit.DONE if result.chunks else Exit.NOTHING_FOUND)


def report_gaps(client: Hopline, result: Found, collections: Sequence[str]) -> None:
    """Print what was missing from the search, and why it found nothing."""
    from hopline.errors import NoDocuments

    for part, why in result.failed.items():
        notice(f"Without {part}: {why}")
    if not result.chunks:
        known = {each.name: each.documents for each in client.collections.list().collections}
        for name in collections:
            empty = f"nothing in collection {name} speaks of that"
            notice(f"Nothing found: {empty if known.get(name) else NoDocuments(name, known)}.")
