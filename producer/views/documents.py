"""Documents for a reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from producer.console import harmless

if TYPE_CHECKING:
    from rich.console import Console

    from workers.core.model import Document


def print_documents(console: Console, found: Sequence[Document]) -> None:
    """Print documents as a table."""
    if not found:
        console.print("No documents: `hopline ingest PATH` brings some in.")
        return
    table = Table("document", "collection", "title", "status", "chunks", "facts", "where from")
    for one in found:
        status = Text(
            one.status + (f": {harmless(one.error)}" if one.error else ""), "red" if one.error else ""
        )
        title, uri = Text(harmless(one.title)), Text(harmless(one.uri))
        table.add_row(
            one.id, Text(harmless(one.collection)), title, status, str(one.chunks), str(one.facts), uri
        )
    console.print(table)
