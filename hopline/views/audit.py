"""Prints the audit: a table of who changed what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.views.tables import Listing
from hopline.views.words import moment

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.audit import AuditEvent


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
