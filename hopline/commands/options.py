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
    str,
    typer.Option(
        help="Tags of the documents, separated by commas, such as contract,2024.", show_default=False
    ),
]
Allow = Annotated[
    str | None,
    typer.Option(
        help="Users and groups who may see the documents: user:ann,group:legal, or * for everyone. "
        "(default: unchanged; everyone for new documents)",
        metavar="PRINCIPALS", show_default=False,
    ),
]  # fmt: skip
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only list what would be affected.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Key = Annotated[
    str | None,
    typer.Option(
        help="Idempotency key: repeating a command with the same key returns the same job and does no work "
        "twice."
    ),
]
Tag = Annotated[
    list[str] | None,
    typer.Option(
        help="Tag for finding the job later, such as team=legal; may be repeated.",
        metavar="NAME=VALUE",
        show_default=False,
    ),
]
