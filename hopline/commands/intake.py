"""Options of the commands that bring documents in, each once, and what refuses one beside another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hopline.words import counted

if TYPE_CHECKING:
    from hopline import Hopline

Paths = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders, patterns, lists, or addresses such as s3://bucket/folder.", show_default=False
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        help="Also extract typed entities, relations and events: narrative, or a TOML file of yours.",
        show_default=False,
    ),
]
ChunkTokens = Annotated[
    int | None,
    typer.Option(
        help="Tokens of a chunk at most, 50 to 4000. (default: the settings', 600)", show_default=False
    ),
]
ChunkOverlap = Annotated[
    int | None,
    typer.Option(
        help="Tokens that a chunk repeats of the one before, half of it at most. (default: 60)",
        show_default=False,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="Encoding of texts that are not UTF-8: gbk, shift_jis, windows-1251. (default: detected)",
        show_default=False,
    ),
]
Code = Annotated[
    bool,
    typer.Option(
        "--code", help="Also read source code and configuration (.py .ts .java .toml …), by definition."
    ),
]
Reread = Annotated[
    bool,
    typer.Option(
        "--reread",
        help="Also reread unchanged files that an older reader read; `hopline documents --read-by older` "
        "lists them.",
    ),
]
Meta = Annotated[
    list[str] | None,
    typer.Option(
        help="A field of the documents' metadata: author=Ann, date=2024-05-01; may be repeated.",
        metavar="FIELD=VALUE", show_default=False,
    ),
]  # fmt: skip
Wait = Annotated[
    bool | None,
    typer.Option(
        "--wait/--no-wait",
        help="Wait for the last document, or print the job's id. (default: wait, unless it is named)",
        show_default=False,
    ),
]
Urgency = Annotated[
    Literal["high", "normal", "low"] | None,
    typer.Option(
        "--priority",
        help="Order in the queue. (default: normal; low for a batch that is not waited for)",
        show_default=False,
    ),
]
_BATCH = "A named batch"
Name = Annotated[
    str | None,
    typer.Option(
        "--batch", help="Name of the batch: any number of documents, and a report that is kept.",
        rich_help_panel=_BATCH, show_default=False,
    ),
]  # fmt: skip
Via = Annotated[
    Literal["calls", "batch"],
    typer.Option(
        help="Call the model directly, or through its provider's batch mode.", rich_help_panel=_BATCH
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        help="Pause before the cost exceeds this, in the currency of the prices.", rich_help_panel=_BATCH,
        show_default=False,
    ),
]  # fmt: skip
MaxTokens = Annotated[
    int | None,
    typer.Option(
        help="Pause before it uses more tokens than this.", rich_help_panel=_BATCH, show_default=False
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        help="Pause before it makes more model calls than this.", rich_help_panel=_BATCH, show_default=False
    ),
]
Between = Annotated[str, typer.Option(help="Run at these hours only: 22:00-06:00.", rich_help_panel=_BATCH)]
Zone = Annotated[
    str, typer.Option(help="The time zone of these hours: Europe/Berlin.", rich_help_panel=_BATCH)
]
Upload = Annotated[
    bool | None,
    typer.Option(
        help="Upload local files to the blob store. (default: if HOPLINE_BLOB_URL is set)",
        rich_help_panel=_BATCH, show_default=False,
    ),
]  # fmt: skip
FollowLinks = Annotated[
    bool, typer.Option("--follow-links", help="Follow links in folders.", rich_help_panel=_BATCH)
]


def refuse_beside(option: str, value: Any, allowed: str) -> None:
    """Reject an option that has no meaning with another one.

    Raises:
        InvalidInput: it was given.
    """
    if value not in (None, "", False):
        from hopline.errors import InvalidInput

        raise InvalidInput(option, value, allowed)


def sent_places(
    client: Hopline, paths: Sequence[str], tell: Callable[[str], None], *, code: bool = False
) -> tuple[str, ...]:
    """Return sources for a batch or an estimate; files go up where the server does not read this machine's.

    Args:
        client: of the command.
        paths: as they were typed.
        tell: shows how many files are there, and then how many documents the server reads.
        code: source code is sent, too.
    """

    def progress(done: int, files: int) -> None:
        tell(f"Sent {done:,} of {files:,} files")

    uploaded = client.uploads.places(paths, progress=progress, code=code)
    tell(f"Reading {counted(uploaded.documents, 'document')}" if uploaded.documents else "Reading")
    return uploaded.sources


def refuse_own_places(client: Hopline, places: Sequence[str], doing: str) -> None:
    """Refuse paths of this machine for what the server does later or again: it cannot read them.

    Raises:
        InvalidInput: the server does not read this machine's files, and a place is one.
    """
    from hopline.errors import InvalidInput

    own = [place for place in places if "://" not in place]
    if not own or client.server.about().caller.reads_paths:
        return
    message = (
        f"{own[0]} lies on this machine, and the server at {client.url} cannot read it to {doing}: put it "
        "into a store that the server reads (`hopline api GET /v1/sources` lists these) and name its "
        "address, run this command where the server is, or bring it in once with "
        f"`hopline ingest {own[0]} --batch NAME`"
    )
    raise InvalidInput("SOURCE", own[0], "an address that the server reads", message=message)


def read_profile(named: str | None) -> str | None:
    """Return a profile as the API takes it: a bundled one by its name, a file by what it holds.

    Raises:
        InvalidInput: it is a file that cannot be read.
    """
    from hopline.errors import no_toml, unreadable_file
    from hopline.trees import expanded

    if not named:
        return None
    path = expanded(named, "profile")
    if path.suffix != ".toml" and not path.is_file():
        return named
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise no_toml(path, error) from error
    except OSError as error:
        raise unreadable_file("profile", path, error) from error


def given(**values: Any) -> dict[str, Any]:
    """Return the options that were given; the others have the API's defaults."""
    return {name: value for name, value in values.items() if value not in (None, "")}
