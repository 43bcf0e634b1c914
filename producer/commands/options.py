"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Key = Annotated[
    str | None,
    typer.Option(help="Idempotency key: the same key again gives the same job, and does no work twice."),
]
Tag = Annotated[
    list[str] | None,
    typer.Option(
        help="A tag of the job, to find it by: team=legal; may be repeated.",
        metavar="NAME=VALUE",
        show_default=False,
    ),
]
