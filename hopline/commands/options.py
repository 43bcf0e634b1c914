"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from hopline.commands.completion import complete_collection

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")
]


Collection = Annotated[
    str,
    typer.Option(
        "--collection",
        "-c",
        help="The named set of documents to work on.",
        show_default=True,
        autocompletion=complete_collection,
    ),
]

OneCollection = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        help="The named set of documents to work on, or a prefix of its name.",
        show_default=False,
        autocompletion=complete_collection,
    ),
]

Collections = Annotated[
    list[str],
    typer.Option(
        "--collection",
        "-c",
        help="A named set of documents; `-c one -c two` reads several together.",
        autocompletion=complete_collection,
    ),
]

DEFAULT = ["default"]
Tags = Annotated[
    str, typer.Option(help="Their tags, separated by commas: contract,2024.", show_default=False)
]
Allow = Annotated[
    str | None,
    typer.Option(
        help="Who may see them: user:ann,group:legal, or * for everyone. (default: as it is, or everyone)",
        metavar="PRINCIPALS", show_default=False,
    ),
]  # fmt: skip
DryRun = Annotated[bool, typer.Option("--dry-run", help="List what is meant, and do nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
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
