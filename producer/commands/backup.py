"""hopline backup, restore, export, and the import of what it exported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopline.commands.console import notice, notices, print_json
from hopline.commands.options import AsJson, Collection, Quiet
from hopline.words import counted
from producer.commands.servers import open_service

if TYPE_CHECKING:
    from collections.abc import Callable

    from producer.backup.collection_file import Counts
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


def export(
    file: Annotated[Path, typer.Argument(help="A new file.", show_default=False)],
    collection: Collection = "default",
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Export one collection into a file, to import it elsewhere. Others may write meanwhile.

    It holds documents with their files, metadata and who may see them, facts, merges and concept maps; not
    vectors, earlier versions, jobs and conversations. Only you can read it (mode 600).

    [bold]Examples[/bold]

      hopline export -c notes notes.hopline

      hopline import notes.hopline --as notes-2
    """
    from producer.backup.save_collection import save_collection

    with open_service() as service, _parts("Exporting", shown=not quiet) as progress:
        service.collections.require(collection)
        counts = save_collection(service.services, collection, file, progress)
    if as_json:
        print_json(counts.model_dump_json())
        return
    notice(f"Exported collection {collection} to {file}: {_counted(counts)}.")


def import_collection(file: Path, name: str | None, *, quiet: bool, as_json: bool) -> None:
    """Import a collection that was exported, and have its vectors made."""
    from producer.backup.load_collection import forget_import, load_collection
    from workers.core.jobs.params import check_collection

    target = check_collection(name) if name is not None else None
    with open_service() as service, _parts("Importing", shown=not quiet) as progress:
        imported = load_collection(service.services, file, target, progress)
        job = service.submit("reindex", imported.collection, {}).job.id
        forget_import(service.services, imported.collection)
    counts = imported.checked.counts
    if as_json:
        told = {"collection": imported.collection, **counts.model_dump()}
        print_json(json.dumps(told | {"unmerged": imported.unmerged, "job": job}))
        return
    notice(f"Imported {file} as collection {imported.collection}: {_counted(counts)}.")
    if imported.unmerged:
        notice(f"{counted(imported.unmerged, 'merge')} could not be made again: their names are in no fact.")
    notice(f"Workers make its vectors now: `hopline jobs show {job}`; until then it is searched by words.")


def _counted(counts: Counts) -> str:
    named = {
        "document": counts.documents,
        "chunk": counts.chunks,
        "original": counts.originals,
        "merge": counts.merges,
        "concept map": counts.concept_maps,
    }
    return ", ".join(counted(number, name) for name, number in named.items())


@contextmanager
def _parts(doing: str, *, shown: bool = True) -> Iterator[Callable[[str], None]]:
    if not shown:
        yield lambda _part: None
        return
    with notices().status(doing) as status:
        yield lambda part: status.update(f"{doing} the {part}")


def _print(note: Note, folder: Path, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(note.model_dump_json())
        return
    notice(
        f"{done} {folder}: {counted(note.nodes, 'node')}, {counted(note.relationships, 'relationship')}, "
        f"{counted(note.points, 'vector')}, {counted(note.keys, 'key')} of the ledger, "
        f"{counted(note.blobs, 'blob')} of {counted(note.blob_bytes, 'byte')}."
    )
