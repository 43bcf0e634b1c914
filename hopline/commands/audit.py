"""hopline audit: list."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.filters import filtered, read_filter
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson
from hopline.models.audit import AuditFilter

app = noun("Who changed what, when and from where; texts are not in it.")


@app.command(name="list")
@filtered(AuditFilter)
def list_acts(
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to list.")] = 20,
    as_json: AsJson = False,
    *,
    before: Annotated[str, typer.Option(help="Continue after the page that gave this.")] = "",
    **which: Any,
) -> None:
    """List who changed what, when and from where, newest first.

    [bold]Examples[/bold]

      hopline audit --since 7d --act cancel

      hopline audit --who reports --kind key --json
    """
    with connected() as client:
        page = client.audit.list(cursor=before, limit=limit, **read_filter(AuditFilter, which))
    if as_json:
        print_json(page.model_dump_json())
        return
    from hopline.views.audit import print_audit

    print_audit(answers(), page.events)
    if page.next:
        notice(f"More: --before {page.next}")
