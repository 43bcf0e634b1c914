"""Restores a backup into empty servers: the ledger comes last, because work begins with it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

from hopline.errors import InvalidInput
from producer.backup.blobs import load_blobs
from producer.backup.contents import BLOBS, check_contents, is_own
from producer.backup.folder import Note, pages, points_file, read_lines, read_note
from producer.backup.save import graph_archive, vector_archive
from workers.adapters.qdrant.archive import Space
from workers.core.audit import current_actor, event_of
from workers.ledger.archive import Entry, LedgerArchive, is_kept
from workers.services import Services
from workers.settings import Settings
from workers.telemetry.presence import workers_by_queue

_ROWS = 2_000
_POINTS = 500
Progress = Callable[[str], None]


def restore(services: Services, folder: Path, progress: Progress = lambda _part: None) -> Note:
    """Restore a backup into empty servers; return its contents.

    Batches that were paused are paused still. Where it ends early, empty the servers and begin again.

    Args:
        services: services of servers that hold nothing, and that no worker works on.
        folder: a finished backup.
        progress: called with the name of each part that is begun.

    Raises:
        InvalidInput: no finished backup, one that was changed or is of a newer graph, servers that are not
            empty, workers that run.
    """
    note = read_note(folder)
    if running := sum(workers_by_queue(services.redis).values()):
        message = f"{running} workers are running: stop them first; nothing was restored"
        raise InvalidInput("workers", running, "0 during a restore", message=message)
    known = services.graph.migrate()
    if note.graph_version > known:
        message = (
            f"the backup's graph has version {note.graph_version}, which is newer than this hopline's {known}"
        )
        raise InvalidInput("folder", str(folder), f"at most {known}: update hopline", message=message)
    _check_empty(services.settings)
    progress("list of files")
    names = check_contents(folder, note)
    check_names(folder)
    progress("blobs")
    blobs = (name.removeprefix(BLOBS) for name in names if name.startswith(BLOBS))
    load_blobs(services.settings, folder / "blobs", blobs)
    progress("graph")
    _load_graph(services.settings, folder)
    progress("vectors")
    _load_vectors(services.settings, folder)
    progress("ledger")
    _load_ledger(services.settings, folder)
    # Not before: servers with an event in them are not empty.
    restored = event_of(current_actor(), "restore", "backup")
    services.audit.note([restored.model_copy(update={"outcome": "done"})])
    return note


def _check_empty(settings: Settings) -> None:
    graph, ledger = graph_archive(settings), LedgerArchive(settings.redis_url.get_secret_value())
    try:
        full = [name for name, archive in (("graph", graph), ("ledger", ledger)) if not archive.is_empty()]
    finally:
        graph.close()
        ledger.close()
    if full:
        message = f"not empty: {' and '.join(full)}; a backup can be restored only into empty servers"
        raise InvalidInput("servers", full, "empty servers", message=message)


def check_names(folder: Path) -> None:
    """Raise InvalidInput if a backup holds a foreign Redis key or vector space."""
    for row in read_lines(folder / "ledger.jsonl.gz"):
        if not is_kept(key := b64decode(row["key"])):
            raise InvalidInput("ledger", key.decode(errors="replace"), "only the ledger's own keys")
    for row in read_lines(folder / "spaces.jsonl.gz"):
        if not is_own(points_file(name := Space.read_stored(row).name)):
            raise InvalidInput("vectors", name, "only hopline's own collections of vectors")


def _load_graph(settings: Settings, folder: Path) -> None:
    archive = graph_archive(settings)
    try:
        archive.begin()
        for page in pages(read_lines(folder / "nodes.jsonl.gz"), _ROWS):
            archive.put_nodes(page)
        for page in pages(read_lines(folder / "relationships.jsonl.gz"), _ROWS):
            archive.put_relationships(page)
        archive.end()
    finally:
        archive.close()


def _load_vectors(settings: Settings, folder: Path) -> None:
    archive = vector_archive(settings)
    for row in read_lines(folder / "spaces.jsonl.gz"):
        space = Space.read_stored(row)
        archive.prepare(space)
        for page in pages(read_lines(folder / points_file(space.name)), _POINTS):
            archive.put(space, page)


def _load_ledger(settings: Settings, folder: Path) -> None:
    archive = LedgerArchive(settings.redis_url.get_secret_value())
    try:
        for page in pages(read_lines(folder / "ledger.jsonl.gz"), _ROWS):
            archive.put(
                Entry(key=b64decode(row["key"]), value=b64decode(row["value"]), expires=row["expires"])
                for row in page
            )
    finally:
        archive.close()
