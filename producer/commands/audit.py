"""hopline audit."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hopline.commands.console import answers, notice, print_json
from hopline.commands.options import AsJson
from producer.commands.client import open_client
from producer.commands.jobs.job_filters import OfCollection, read_since

_WHEN = "2026-10-01, 2026-10-01T08:00, 12h, 7d"


def audit(
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to list.")] = 20,
    since: Annotated[
        str | None,
        typer.Option(help=f"Only acts that were begun then or later: {_WHEN}.", show_default=False),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help=f"Only acts begun before: {_WHEN}.", show_default=False)
    ] = None,
    who: Annotated[
        str, typer.Option(help="Id or name of a key, an account, or a principal acted for: user:ann.")
    ] = "",
    act: Annotated[str | None, typer.Option(help="Only such acts: submit, cancel, retry, revoke …")] = None,
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
    as_json: AsJson = False,
) -> None:
    """List who changed what, when and from where, newest first. Texts are not in it.

    [bold]Examples[/bold]

      hopline audit --since 7d --act cancel

      hopline audit --who reports --kind key --json
    """
    from hopline.models.audit import Act, Outcome, Via

    with open_client() as client:
        page = client.audit(
            limit,
            since=read_since(since) if since else None,
            until=read_since(until) if until else None,
            who=who,
            act=_one_of("--act", act, Act),
            kind=kind,
            target=target,
            via=_one_of("--via", via, Via),
            outcome=_one_of("--outcome", outcome, Outcome),
            collection=collection,
            before=before,
        )
    if as_json:
        print_json(page.model_dump_json())
        return
    from hopline.views.audit import print_audit

    print_audit(answers(), page.events)
    if page.next:
        notice(f"More: --before {page.next}")


def _one_of(option: str, value: str | None, allowed: Any) -> Any:
    """Return what is given, if it is one of the values of a Literal.

    Raises:
        InvalidInput: it is not.
    """
    from typing import get_args

    from hopline.errors import InvalidInput

    if value is not None and value not in get_args(allowed):
        raise InvalidInput(option, value, "one of: " + ", ".join(get_args(allowed)))
    return value
