"""Prints documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless
from hopline.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.documents import Document
    from hopline.models.metadata import Value


def print_documents(console: Console, documents: Sequence[Document], where: str | None) -> None:
    """Print documents, those that a filter matches where there is one, as a table."""
    if not documents:
        more = "`hopline ingest PATH` brings some in" if where is None else "none matches the filter"
        console.print(f"No documents: {more}.")
        return
    described = any(document.fields for document in documents)
    table = Listing(
        "document",
        "collection",
        "status",
        "chunks",
        "facts",
        "title",
        *(("metadata",) if described else ()),
        "where from",
        wide="where from",
        spare=("collection", "chunks", "facts", "title"),
        right=("chunks", "facts"),
    )
    for document in documents:
        status = Text(
            document.status + (f": {harmless(document.error)}" if document.error else ""),
            "red" if document.error else "",
        )
        cells = (metadata_line(document.fields),) if described else ()
        table.add(
            document.id,
            document.collection,
            status,
            str(document.chunks),
            str(document.facts),
            document.title,
            *cells,
            document.uri,
        )
    table.print(console)


def metadata_line(metadata: Mapping[str, Value]) -> str:
    """Return metadata in one line: author=Ann, tags=a+b."""
    return ", ".join(
        f"{name}={'+'.join(value) if isinstance(value, tuple) else value}" for name, value in metadata.items()
    )
