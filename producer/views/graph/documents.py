"""Prints documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from producer.console import harmless
from producer.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from workers.core.model import Document


def print_documents(console: Console, found: Sequence[Document]) -> None:
    """Print documents as a table."""
    if not found:
        console.print("No documents: `hopline ingest PATH` brings some in.")
        return
    table = Listing(
        "document",
        "collection",
        "status",
        "chunks",
        "facts",
        "title",
        "where from",
        wide="where from",
        spare=("collection", "chunks", "facts", "title"),
        right=("chunks", "facts"),
    )
    for one in found:
        status = Text(
            one.status + (f": {harmless(one.error)}" if one.error else ""), "red" if one.error else ""
        )
        table.add(one.id, one.collection, status, str(one.chunks), str(one.facts), one.title, one.uri)
    table.print(console)
