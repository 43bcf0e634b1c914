"""hopline audit: list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.job_filters import OfCollection, read_since
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson

if TYPE_CHECKING:
    from hopline.models.audit import Act, Outcome, Via

_WHEN = "2026-10-01, 2026-10-01T08:00, 12h, 7d"
app = noun("Who changed what, when and from where; texts are not in it.")


@app.command(name="list")
def list_acts(
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to list.")] = 20,
    since: Annotated[
        str | None,
        typer.Option(help=f"Only acts that were begun then or later: {_WHEN}.", show_default=False),
    ] = None,
    who: Annotated[
        str, typer.Option(help="Id or name of a key, an account, or a principal acted for: user:ann.")
    ] = "",
    act: Annotated[str | None, typer.Option(help="Only such acts: submit, cancel, retry, revoke …")] = None,
    as_json: AsJson = False,
    until: Annotated[
        str | None, typer.Option(help=f"Only acts begun before: {_WHEN}.", show_default=False)
    ] = None,
    kind: Annotated[str, typer.Option(help="Only on these: query, batch, key, schema …")] = "",
    target: Annotated[str, typer.Option(help="Only on this one, by its id or name.")] = "",
    via: Annotated[
        str | None, typer.Option(help="Only from there: http, mcp, queue, cli, client or schedule.")
    ] = None,
    outcome: Annotated[
        str | None, typer.Option(help="Only with this end: done, refused, failed or begun.")
    ] = None,
    collection: OfCollection = None,
    before: Annotated[str, typer.Option(help="The page behind the one that named this.")] = "",
) -> None:
    """List who changed what, when and from where, newest first.

    [bold]Examples[/bold]

      hopline audit --since 7d --act cancel

      hopline audit --who reports --kind key --json
    """
    with connected() as client:
        page = client.audit.list(
            cursor=before,
            limit=limit,
            since=read_since(since) if since else None,
            until=read_since(until) if until else None,
            who=who,
            act=cast("Act | None", act),
            kind=kind,
            target=target,
            via=cast("Via | None", via),
            outcome=cast("Outcome | None", outcome),
            collection=collection,
        )
    if as_json:
        print_json(page.model_dump_json())
        return
    from hopline.views.audit import print_audit

    print_audit(answers(), page.events)
    if page.next:
        notice(f"More: --before {page.next}")
