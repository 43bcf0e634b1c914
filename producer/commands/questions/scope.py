"""Options that say what a question is about."""

from __future__ import annotations

from typing import Annotated

import typer

SCOPE = "What it is about"

Where = Annotated[
    str | None,
    typer.Option(
        help="Only documents whose metadata fits, as in 'tags has \"contract\" and date >= 2024-01-01'.",
        rich_help_panel=SCOPE,
    ),
]
Documents = Annotated[
    list[str] | None,
    typer.Option("--document", help="Only this document, by id; may be repeated.", rich_help_panel=SCOPE),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        help="Only documents dated until then (2024-12-31); those without a date are left out.",
        rich_help_panel=SCOPE,
    ),
]
KnownAt = Annotated[
    str | None,
    typer.Option(
        help="The versions of documents that were live then (2024-12-31T18:00, of UTC; or a date: its end), "
        "where they are kept.",
        rich_help_panel=SCOPE,
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="PRINCIPALS",
        help="Only documents that these may see: user:ann,group:legal. (default: everything is seen)",
        rich_help_panel=SCOPE,
        show_default=False,
    ),
]
