"""Options that limit which documents a question reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.completion import complete_document

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.questions import SearchScope

SCOPE = "What it is about"

Where = Annotated[
    str | None,
    typer.Option(
        help="Only documents whose metadata matches, as in 'tags has \"contract\" and date >= 2024-01-01'.",
        rich_help_panel=SCOPE,
    ),
]
Documents = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        help="Only the document with this id or prefix; may be repeated.",
        rich_help_panel=SCOPE,
        autocompletion=complete_document,
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        help="Only documents with a date up to this one (2024-12-31); undated documents are left out.",
        rich_help_panel=SCOPE,
    ),
]
KnownAt = Annotated[
    str | None,
    typer.Option(
        help="Read the versions that were current at this time (2024-12-31T18:00, in UTC; a date means the "
        "end of that day), if versions are kept.",
        rich_help_panel=SCOPE,
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="PRINCIPALS",
        help="Only documents that these users and groups may see: user:ann,group:legal. (default: all "
        "documents)",
        rich_help_panel=SCOPE,
        show_default=False,
    ),
]


def scope_of(
    client: Hopline,
    where: str | None,
    documents: Sequence[str] | None,
    as_of: str | None,
    known_at: str | None,
) -> SearchScope:
    """Return the scope described by the options; documents may be given by prefixes of their ids."""
    from hopline.commands.ids import whole_document_id

    scope: SearchScope = {}
    if where is not None:
        scope["where"] = where
    if documents:
        scope["documents"] = [whole_document_id(client, each) for each in documents]
    if as_of is not None:
        scope["as_of"] = as_of
    if known_at is not None:
        scope["known_at"] = known_at
    return scope
