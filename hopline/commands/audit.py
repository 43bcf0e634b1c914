"""hopline audit: list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopline.commands.client import connected
from hopline.commands.console import answers, notice, print_json
from hopline.commands.filters import filtered, read_filter
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson
from hopline.models.audit import AuditFilter
from hopline.views.tables import Listing
from hopline.views.words import moment

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.audit import AuditEvent

app = noun("Who changed what, when and from where; texts are not in it.")


@app.command(name="list")
@filtered(AuditFilter)
def list_acts(
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number to list.")] = 20,
    as_json: AsJson = False,
    *,
    before: Annotated[
        str, typer.Option(help="Cursor printed by the previous page; the list continues after it.")
    ] = "",
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

    print_audit(answers(), page.events)
    if page.next:
        notice(f"More: --before {page.next}")


def print_audit(console: Console, events: Sequence[AuditEvent]) -> None:
    """Print acts, newest first."""
    if not events:
        console.print("No such act is in the audit.")
        return
    table = Listing(
        "when",
        "who",
        "via",
        "act",
        "kind",
        "target",
        "collection",
        "end",
        wide="target",
        spare=("via", "end"),
    )
    for event in events:
        several = f" ({event.count:,})" if event.count is not None else ""
        table.add(
            moment(event.began),
            _who(event),
            event.via,
            event.act,
            event.kind,
            f"{event.target}{several}".strip(),
            event.collection,
            event.outcome,
            note=event.error or "",
        )
    table.print(console)


def _who(event: AuditEvent) -> str:
    name = event.name or event.key or "-"
    return f"{name} for {', '.join(event.acting)}" if event.acting else name
