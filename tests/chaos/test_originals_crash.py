"""Whoever is lost while a file is kept or removed: each version has its file, and nothing is left over."""

import os
import secrets
import signal
from pathlib import Path

import pytest
from fleet.checks import assert_nothing_left
from fleet.crew import Crew, wait_until

from hopline.errors import NotFound
from hopline.models.documents import Document
from hopline.models.jobs import JobState
from workers.core import ids
from workers.core.redis_keys import ORIGINAL_BYTES
from workers.engine.sweeper import sweep_files

GRAPH = "workers.adapters.neo4j.documents:DocumentStore"
FILES = "workers.adapters.named_files:NamedFiles"
STORE = "workers.adapters.originals:OriginalStore"
# The steps of a version in order: its file is named, written and live with it; then the old one is removed.
WRITES = [
    f"before {GRAPH}.name_original ",
    f"after {GRAPH}.name_original ",
    "before pathlib:Path.replace /originals/",
    f"after {FILES}.put_file originals/",
    f"after {STORE}.put ",
    f"before {GRAPH}.make_live ",
    f"after {GRAPH}.make_live ",
]
REMOVALS = [f"before {STORE}.delete -", f"after {FILES}.delete originals/", f"after {STORE}.delete -"]
NOTES = [f"before {GRAPH}.note_source ", f"after {GRAPH}.note_source "]
DELETIONS = [f"before {GRAPH}.delete_document ", f"after {GRAPH}.delete_document "]
FIRST = "Anna Keller built the bridge of Vestby in 1843."
SECOND = "Anna Keller built the bridge of Vestby in 1844."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bridge.txt"


def document_of(crew: Crew, collection: str, file: Path) -> Document | None:
    return crew.services.graph.store.document(ids.document_id(collection, str(file)))


def ingest_lost_at(crew: Crew, place: str, file: Path, data: bytes, collection: str) -> None:
    """Ingest a file with a worker that is lost at a place, then by one that is not."""
    file.write_bytes(data)
    crew.start("lost", "bulk", lost_at=place)
    submitted = crew.client.hand_over([file], collection)
    lose(crew)
    [report] = crew.report(submitted.job_id).documents
    assert report.status in ("done", "unchanged")


def lose(crew: Crew) -> None:
    """Wait until the worker is lost, and start others."""
    wait_until(lambda: crew.workers["lost"].popen.poll() == -signal.SIGKILL, "the worker is lost")
    crew.kill("lost")
    crew.have(bulk="bulk", quarantine="quarantine")


def assert_one_original(crew: Crew, collection: str, file: Path) -> None:
    """Check that the live version's file alone is there, once a sweep has looked after what is left over."""
    sweep(crew)
    document = document_of(crew, collection, file)
    assert document is not None
    assert (document.status, document.original) == ("indexed", "kept")
    assert crew.client.documents.original(document.id) == file.read_bytes()
    assert crew.services.originals.of(document.id) == [document.original_file]
    assert_tidy(crew)


def assert_tidy(crew: Crew) -> None:
    """Check that no file is half written, and that the count of bytes is what there is."""
    files = [path for path in originals_of(crew).rglob("*") if path.is_file()]
    assert [path for path in files if path.name.startswith(".")] == []
    assert int(crew.redis.get(ORIGINAL_BYTES) or 0) == sum(path.stat().st_size for path in files)
    assert_nothing_left(crew)


def sweep(crew: Crew) -> None:
    """Sweep as hourly, where whatever was being written is older than a file may take."""
    for path in originals_of(crew).rglob(".*"):
        os.utime(path, (0, 0))
    sweep_files(crew.services)


def originals_of(crew: Crew) -> Path:
    return crew.settings.var / "blobs" / "originals"


@pytest.mark.parametrize("place", WRITES)
def test_a_new_document_has_its_file_once(crew: Crew, file: Path, place: str) -> None:
    collection = f"originals-{secrets.token_hex(4)}"
    crew.model.set()
    crew.have()
    ingest_lost_at(crew, place, file, FIRST.encode(), collection)
    assert_one_original(crew, collection, file)


@pytest.mark.parametrize("place", [*WRITES, *REMOVALS])
def test_a_new_version_has_its_file_and_the_one_before_has_gone(crew: Crew, file: Path, place: str) -> None:
    collection = f"originals-{secrets.token_hex(4)}"
    crew.model.set()
    crew.have(bulk="bulk")
    file.write_text(FIRST, encoding="utf-8")
    crew.ingest(file, collection)
    crew.have()
    ingest_lost_at(crew, place, file, SECOND.encode(), collection)
    assert_one_original(crew, collection, file)


@pytest.mark.parametrize("place", [*WRITES[:5], *NOTES, *REMOVALS])
def test_other_bytes_of_the_same_text_take_the_place_of_the_file(crew: Crew, file: Path, place: str) -> None:
    collection = f"originals-{secrets.token_hex(4)}"
    crew.model.set()
    crew.have(bulk="bulk")
    file.write_text(FIRST, encoding="utf-8")
    crew.ingest(file, collection)
    crew.have()
    ingest_lost_at(crew, place, file, b"\xef\xbb\xbf" + FIRST.encode(), collection)
    assert_one_original(crew, collection, file)


@pytest.mark.parametrize("erase", [False, True])
@pytest.mark.parametrize("place", [*DELETIONS, *REMOVALS])
def test_a_deleted_document_leaves_no_file(crew: Crew, file: Path, place: str, *, erase: bool) -> None:
    collection = f"originals-{secrets.token_hex(4)}"
    crew.model.set()
    crew.have(bulk="bulk")
    file.write_text(FIRST, encoding="utf-8")
    crew.ingest(file, collection)
    document = document_of(crew, collection, file)
    assert document is not None
    crew.have()
    crew.start("lost", "bulk", lost_at=place)
    job_id = crew.client.documents.delete(document.id, erase=erase).id
    lose(crew)
    assert crew.client.jobs.wait(job_id).state is JobState.DONE
    with pytest.raises(NotFound):
        crew.client.documents.original(document.id)
    sweep(crew)
    assert crew.services.originals.of(document.id) == []
    assert_tidy(crew)
