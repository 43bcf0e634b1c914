"""Takes a backup of ledger, blobs, graph and vectors while nothing writes.

The order is ledger, blobs, graph, vectors. If something is written meanwhile nevertheless, later parts only
contain more: an item that the ledger does not know to be done is repeated, and changes nothing.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from hopline.errors import Transient
from hopline.models.jobs import Json
from hopline.words import counted
from producer.backup.blobs import save_blobs
from producer.backup.contents import write_contents
from producer.backup.folder import Note, new_folder, points_file, write_lines, write_note
from workers.adapters.neo4j.archive import GraphArchive
from workers.adapters.qdrant.archive import VectorArchive
from workers.ledger.archive import Busy, LedgerArchive, busy_jobs
from workers.services import Services
from workers.settings import Settings

_QUIET_SECONDS = 90.0  # what a paused job has begun may take so long
_SHOWN = 5
Progress = Callable[[str], None]


class NotQuiet(Transient):
    """Jobs write, or may begin to."""


def back_up(
    services: Services, folder: Path, *, blobs: bool = True, progress: Progress = lambda _part: None
) -> Note:
    """Write everything into a new folder; return its contents.

    Args:
        services: services of the servers.
        folder: does not exist yet, or is empty.
        blobs: whether to copy the blob store; an object store may have its own backups.
        progress: called with the name of each part that is begun.

    Raises:
        InvalidInput: the folder is not empty.
        NotQuiet: a job runs that is not paused; nothing was written.
    """
    wait_for_quiet(services)
    new_folder(folder)
    graph_version = services.graph.migrate()
    counts: dict[str, int] = {}
    progress("ledger")
    counts["keys"] = _save_ledger(services.settings, folder)
    if blobs:
        progress("blobs")
        sizes = list(save_blobs(services.settings, folder / "blobs"))
        counts |= {"blobs": len(sizes), "blob_bytes": sum(sizes)}
    progress("graph")
    counts |= _save_graph(services.settings, folder)
    progress("vectors")
    counts["points"] = _save_vectors(services.settings, folder)
    progress("list of files")
    contents = write_contents(folder)
    note = Note(
        hopline=version("hopline"),
        taken=datetime.now(UTC),
        graph_version=graph_version,
        contents=contents,
        **counts,
    )
    write_note(folder, note)
    return note


def wait_for_quiet(services: Services, seconds: float = _QUIET_SECONDS) -> None:
    """Wait until what paused jobs have begun is done.

    Raises:
        NotQuiet: names jobs that are not paused, or that do not come to rest.
    """
    deadline = time.monotonic() + seconds
    while busy := busy_jobs(services.redis, services.pauses):
        paused = services.pauses.all()
        free = [job for job in busy if job.job_id.partition(".")[0] not in paused]
        if free or time.monotonic() > deadline:
            raise NotQuiet(_describe_busy_jobs(free or busy))
        time.sleep(0.2)


def _describe_busy_jobs(busy: list[Busy]) -> str:
    shown = ", ".join(f"{job.kind} {job.job_id}" for job in busy[:_SHOWN])
    return (
        f"{counted(len(busy), 'job')} may write while the backup is taken: {shown}; pause batches "
        "(`hopline batches pause NAME`), wait for the others' end, and try again"
    )


def _save_ledger(settings: Settings, folder: Path) -> int:
    archive = LedgerArchive(settings.redis_url.get_secret_value())

    def rows() -> Iterator[Json]:
        for entry in archive.entries():
            key, value = b64encode(entry.key).decode(), b64encode(entry.value).decode()
            yield {"key": key, "value": value, "expires": entry.expires}

    try:
        return write_lines(folder / "ledger.jsonl.gz", rows())
    finally:
        archive.close()


def _save_graph(settings: Settings, folder: Path) -> dict[str, int]:
    archive = graph_archive(settings)
    try:
        return {
            "nodes": write_lines(folder / "nodes.jsonl.gz", archive.nodes()),
            "relationships": write_lines(folder / "relationships.jsonl.gz", archive.relationships()),
        }
    finally:
        archive.close()


def _save_vectors(settings: Settings, folder: Path) -> int:
    archive = vector_archive(settings)
    spaces = archive.spaces()
    write_lines(folder / "spaces.jsonl.gz", (space.model_dump() for space in spaces))
    return sum(write_lines(folder / points_file(space.name), archive.points(space)) for space in spaces)


def graph_archive(settings: Settings) -> GraphArchive:
    """Return the reader and writer of the whole graph."""
    return GraphArchive(*settings.own_login, ca_file=settings.ca_file)


def vector_archive(settings: Settings) -> VectorArchive:
    """Return what reads and writes all vectors."""
    key = settings.qdrant_api_key
    return VectorArchive(
        settings.qdrant_url, key.get_secret_value() if key else None, ca_file=settings.ca_file
    )
