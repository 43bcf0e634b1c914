"""Prints collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hopline.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.collections import Collection


def print_collections(console: Console, collections: Sequence[Collection]) -> None:
    """Print collections as a table."""
    if not collections:
        console.print("No collections: `hopline ingest PATH -c NAME` makes one.")
        return
    table = Listing("title", "collection", "documents", right=("documents",))
    for each in collections:
        table.add(each.title, each.name, f"{each.documents:,}")
    table.print(console)
