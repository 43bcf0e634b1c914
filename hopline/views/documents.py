"""Prints documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_folded
from hopline.models.metadata import READ_BY
from hopline.titles import ShownTitles
from hopline.views.tables import Listing, plain_table
from hopline.views.words import moment

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.documents import Document, ReadRecord
    from hopline.models.metadata import Value


def print_documents(console: Console, documents: Sequence[Document], where: str | None) -> None:
    """Print documents as a table, after a filter if there is one."""
    if not documents:
        more = "`hopline ingest PATH` brings some in" if where is None else "none matches the filter"
        console.print(f"No documents: {more}.")
        return
    fields = [_listed_fields(document) for document in documents]
    table = Listing(
        "title",
        "document",
        "collection",
        "status",
        "chunks",
        "facts",
        *(("metadata",) if any(fields) else ()),
        "where from",
        wide="where from",
        spare=("collection", "chunks", "facts"),
        right=("chunks", "facts"),
    )
    titles = ShownTitles(documents)
    for document, told in zip(documents, fields, strict=True):
        status = Text(harmless(document.status), "red" if document.error else "")
        cells = (metadata_line(told),) if any(fields) else ()
        table.add(
            f"{document.title}{titles.part(document)}",
            document.id,
            document.collection,
            status,
            str(document.chunks),
            str(document.facts),
            *cells,
            document.uri,
            note=Text(harmless(document.error or ""), "red"),
        )
    table.print(console)


def _listed_fields(document: Document) -> dict[str, Value]:
    """Return a document's fields for a list: all except its reader, which most share."""
    return {name: value for name, value in document.fields.items() if name != READ_BY}


def _left_out(reading: ReadRecord) -> str:
    return ", ".join(f"{count} × {what}" for what, count in reading.left_out.items())


def print_document(console: Console, document: Document) -> None:
    """Print one document: its source, its reading record, its metadata."""
    table = plain_table("", "")
    rows = {
        "document": document.id,
        "collection": document.collection,
        "where from": document.uri,
        "status": document.status + (f": {document.error}" if document.error else ""),
        "chunks": f"{document.chunks:,}",
        "facts": f"{document.facts:,}",
        **({"size": f"{document.size:,} bytes"} if document.size is not None else {}),
        **({"kind of file": document.media_type} if document.media_type else {}),
        **({"came": moment(document.created)} if document.created else {}),
        **({"changed": moment(document.updated)} if document.updated else {}),
        **(
            {"left out": _left_out(document.reading)}
            if document.reading and document.reading.left_out
            else {}
        ),
        **{name: metadata_line({name: value}).partition("=")[2] for name, value in document.fields.items()},
    }
    for name, value in rows.items():
        table.add_row(Text(harmless(name), "dim"), Text(harmless(value)))
    print_folded(console, Text(harmless(document.title or document.uri), "bold"))
    console.print(table)


def metadata_line(metadata: Mapping[str, Value]) -> str:
    """Return metadata in one line: author=Ann, tags=a+b."""
    return ", ".join(
        f"{name}={'+'.join(value) if isinstance(value, tuple) else value}" for name, value in metadata.items()
    )
