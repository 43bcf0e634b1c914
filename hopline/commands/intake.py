"""Options of the commands that ingest documents, and checks of combinations that make no sense."""

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
        help="Also extract typed entities, relations and events: `narrative`, or your own TOML file.",
        show_default=False,
    ),
]
ChunkTokens = Annotated[
    int | None,
    typer.Option(
        help="Maximum number of tokens per chunk, 50 to 4000. (default: the server's setting, 600)",
        show_default=False,
    ),
]
ChunkOverlap = Annotated[
    int | None,
    typer.Option(
        help="Tokens of overlap with the previous chunk, at most half a chunk. (default: 60)",
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
        "--code",
        help="Also read source code and configuration (.py .ts .java .toml …), split at each definition.",
    ),
]
Reread = Annotated[
    bool,
    typer.Option(
        "--reread",
        help="Also read again unchanged files last read by an outdated reader; `hopline documents --read-by "
        "older` lists them.",
    ),
]
Meta = Annotated[
    list[str] | None,
    typer.Option(
        help="Metadata field of the documents, such as author=Ann or date=2024-05-01; may be repeated.",
        metavar="FIELD=VALUE", show_default=False,
    ),
]  # fmt: skip
Wait = Annotated[
    bool | None,
    typer.Option(
        "--wait/--no-wait",
        help="Wait for the last document; --no-wait prints the job's id and returns. (default: --wait, "
        "except with --batch)",
        show_default=False,
    ),
]
Urgency = Annotated[
    Literal["high", "normal", "low"] | None,
    typer.Option(
        "--priority",
        help="Priority in the queue. (default: normal; low for a batch with --no-wait)",
        show_default=False,
    ),
]
_BATCH = "A named batch"
Name = Annotated[
    str | None,
    typer.Option(
        "--batch", help="Name of the batch, which can have any number of documents and stores its report.",
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
        help="Pause before the batch uses more tokens than this.", rich_help_panel=_BATCH, show_default=False
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        help="Pause before the batch makes more model calls than this.",
        rich_help_panel=_BATCH,
        show_default=False,
    ),
]
Between = Annotated[
    str, typer.Option(help="Run only during these hours, such as 22:00-06:00.", rich_help_panel=_BATCH)
]
Zone = Annotated[
    str, typer.Option(help="Time zone of these hours, such as Europe/Berlin.", rich_help_panel=_BATCH)
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
        InvalidInput: the option was given.
    """
    if value not in (None, "", False):
        from hopline.errors import InvalidInput

        raise InvalidInput(option, value, allowed)


def sent_places(
    client: Hopline, paths: Sequence[str], tell: Callable[[str], None], *, code: bool = False
) -> tuple[str, ...]:
    """Return sources for a batch or an estimate; upload files if the server cannot read this machine's.

    Args:
        client: the command's client.
        paths: paths as typed.
        tell: reports the number of files found, then the number of documents that the server reads.
        code: also send source code.
    """

    def progress(done: int, files: int) -> None:
        tell(f"Sent {done:,} of {files:,} files")

    uploaded = client.uploads.places(paths, progress=progress, code=code)
    tell(f"Reading {counted(uploaded.documents, 'document')}" if uploaded.documents else "Reading")
    return uploaded.sources


def refuse_own_places(client: Hopline, places: Sequence[str], doing: str) -> None:
    """Refuse this machine's paths for work that the server does later or repeatedly, as it cannot read them.

    Raises:
        InvalidInput: a source is a path on this machine, whose files the server cannot read.
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
    raise InvalidInput("SOURCE", own[0], "an address that the server can read", message=message)


def read_profile(named: str | None) -> str | None:
    """Return a profile as the API expects it: the name of a bundled one, or a file's contents.

    Raises:
        InvalidInput: the file cannot be read.
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
    """Return the options that were given; the API has defaults for the others."""
    return {name: value for name, value in values.items() if value not in (None, "")}
