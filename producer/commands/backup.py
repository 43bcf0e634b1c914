"""hopline backup, restore."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.console import notice, notices, print_json
from hopline.commands.options import AsJson
from hopline.words import counted
from producer.commands.servers import open_service

if TYPE_CHECKING:
    from collections.abc import Callable

    from producer.backup.folder import Note

Folder = Annotated[Path, typer.Argument(help="Folder of the backup.", show_default=False)]


def backup(
    folder: Folder,
    blobs: Annotated[
        bool,
        typer.Option(
            "--blobs/--no-blobs",
            help="Copy the blob store too; not needed for an object store with its own backups.",
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Back up ledger, blobs, graph and vectors into a folder. Servers keep running, but nothing may write.

    Pause batches first (`hopline batches pause NAME`), and wait for other documents; questions may
    continue. The backup reads through the servers' own protocols, so it can run on any machine that reaches
    them. The folder contains all texts, the hashes of API keys and the secret that signs webhooks; only you
    can read it (mode 600).

    [bold]Examples[/bold]

      hopline backup /backups/monday

      hopline backup /backups/monday --no-blobs --json
    """
    from producer.backup.save import back_up

    with open_service() as service, _parts("Copying") as progress:
        note = back_up(service.services, folder, blobs=blobs, progress=progress)
    _print(note, folder, "Backed up to", as_json=as_json)
    notice("It holds all texts, hashes of API keys and the secret that signs webhooks: keep it to yourself.")


def restore(folder: Folder, as_json: AsJson = False) -> None:
    """Restore a backup into empty servers. Stop the workers first; start them when it is done.

    Jobs continue where they were; paused batches stay paused until `hopline batches resume NAME`.

    [bold]Example[/bold]

      hopline restore /backups/monday
    """
    from producer.backup.load import restore as load

    with open_service() as service, _parts("Restoring") as progress:
        note = load(service.services, folder, progress)
    _print(note, folder, "Restored from", as_json=as_json)


@contextmanager
def _parts(doing: str) -> Iterator[Callable[[str], None]]:
    with notices().status(doing) as shown:
        yield lambda part: shown.update(f"{doing} the {part}")


def _print(note: Note, folder: Path, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(note.model_dump_json())
        return
    notice(
        f"{done} {folder}: {counted(note.nodes, 'node')}, {counted(note.relationships, 'relationship')}, "
        f"{counted(note.points, 'vector')}, {counted(note.keys, 'key')} of the ledger, "
        f"{counted(note.blobs, 'blob')} of {counted(note.blob_bytes, 'byte')}."
    )
