"""Everything into a folder, and out of it into empty servers, in the middle of a batch."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles.keys import KEY
from fleet.crew import Crew, PrivateRedis, make_crew, private_crew, wait_until
from fleet.servers import START_SECONDS
from fleet.worlds import TREE_FACTS, write_tree

from hopline.errors import InvalidInput
from hopline.models.schemas import MetadataSchema
from infra.local.jars import ensure_jars
from infra.local.java import find_java
from infra.local.neo4j_server import neo4j_address, neo4j_program
from infra.local.parts import vectors_address, vectors_program
from infra.local.process import Running, free_port
from infra.local.settings import cache_folder
from producer.backup.folder import read_note
from producer.backup.load import restore
from producer.backup.save import NotQuiet, back_up

PAGE = Path(__file__).parents[3] / "data" / "reading" / "pdf-prose-becomes-table.pdf"
DOCUMENTS = 24  # more than a worker asks about at a time


@pytest.fixture
def source(stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    """The session's servers, with a Redis of its own."""
    with private_crew(stack_env, tmp_path) as crew:
        yield crew


@pytest.fixture
def quiet_source(own_stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    """The same with a graph that nobody else writes to while it is copied."""
    with private_crew(own_stack_env, tmp_path) as crew:
        yield crew


@pytest.fixture
def target(stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    """Empty servers; the session's model."""
    redis = PrivateRedis(tmp_path / "redis-target")
    ports = free_port(), free_port()
    java, jars = find_java(None), ensure_jars(cache_folder())
    password = stack_env["HOPLINE_NEO4J_PASSWORD"]
    neo4j = neo4j_program(tmp_path / "neo4j", ports[0], password, java=java, jars=jars, lasting=False)
    running = [
        Running(neo4j, tmp_path / "neo4j.log"),
        Running(vectors_program(tmp_path / "vectors", ports[1], KEY), tmp_path / "vectors.log"),
    ]
    for server in running:
        server.wait_ready(START_SECONDS)
    addresses = {
        "HOPLINE_NEO4J_URL": neo4j_address(ports[0]),
        "HOPLINE_QDRANT_URL": vectors_address(ports[1]),
    }
    crew = make_crew(stack_env | addresses, redis.url, tmp_path / "target")
    yield crew
    crew.stop()
    for server in running:
        server.kill()
    redis.kill()


def _slow_documents(folder: Path, collection: str) -> Path:
    folder.mkdir()
    for number in range(DOCUMENTS):
        text = f"Report {number}\n\nHarbour {number} of {collection} was opened by Maren Holt.\n"
        (folder / f"{number:03}.txt").write_text(text, encoding="utf-8")
    return folder


def _asked(crew: Crew) -> int:
    return crew.model.requests().get("ExtractedFacts", 0)


@pytest.mark.long
def test_a_batch_that_was_backed_up_in_the_middle_goes_on_on_other_servers(quiet_source, target, tmp_path):
    source = quiet_source
    whole, half, paged = (f"backup-{name}-{secrets.token_hex(4)}" for name in ("whole", "half", "paged"))
    source.have(bulk="bulk")
    source.ingest(write_tree(tmp_path / "tree"), whole)
    source.ingest(PAGE, paged)
    source.model.set(chat={"hold": True})
    job_id = source.client.hand_over([_slow_documents(tmp_path / "slow", half)], half).job_id
    wait_until(lambda: _asked(source) >= DOCUMENTS // 4, "the batch is under way")
    services = source.services
    with pytest.raises(NotQuiet, match=job_id):
        back_up(services, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()
    services.pauses.pause(job_id, "user", "a backup is taken")
    source.model.change(chat={"hold": False})
    source.client.collections.set_schema(whole, MetadataSchema(only=True))
    note = back_up(services, tmp_path / "backup")
    paid = _asked(source)
    assert 0 < paid < DOCUMENTS, "it was taken in the middle"

    other = target.services
    restore(other, tmp_path / "backup")
    assert read_note(tmp_path / "backup") == note
    assert _counted(target, whole) == _counted(source, whole)
    assert _counted(target, half) == _counted(source, half)
    assert _counted(target, whole)["live"]["facts"] == TREE_FACTS
    assert other.vectors.count(whole) == services.vectors.count(whole) > 0
    assert _places(target, whole) == _places(source, whole)

    assert target.client.collections.get_schema(whole).only
    [page] = target.client.documents.list(collection=paged).documents
    assert target.client.documents.original(page.id) == PAGE.read_bytes()
    picture = source.client.documents.picture(page.id, 1, width=300)
    assert target.client.documents.picture(page.id, 1, width=300) == picture

    with pytest.raises(InvalidInput, match="not empty: graph and ledger"):
        restore(other, tmp_path / "backup")

    source.stop()
    target.have(bulk="bulk")
    other.pauses.resume(job_id)
    job = target.client.jobs.wait(job_id, timeout=180)
    assert job.state == "done"
    assert other.graph.store.collections()[half] == DOCUMENTS
    assert _asked(target) == DOCUMENTS, "nothing was paid for twice"
    target.client.jobs.wait(target.client.documents.delete(page.id, erase=True).id, timeout=180)
    assert (other.originals.of(page.id), len(services.originals.of(page.id))) == ([], 1)
    with pytest.raises(InvalidInput, match="stop them first"):
        restore(other, tmp_path / "backup")


def _counted(crew: Crew, collection: str) -> dict[str, Any]:
    return crew.services.graph.census(collection).model_dump(exclude={"seconds"})


def _places(crew: Crew, collection: str) -> list[tuple[str, str]]:
    search_result = crew.client.queries.search("Who employed Maren Holt?", collection=collection)
    return [(passage.document.id, passage.chunk.id) for passage in search_result.chunks]


def test_an_unfinished_backup_is_refused_and_one_overwrites_nothing(source: Crew, tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    with pytest.raises(InvalidInput, match="a finished backup"):
        restore(source.services, tmp_path / "half")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear", encoding="utf-8")
    process = source.run("backup", str(tmp_path / "full"))
    assert process.returncode == 2
    assert "a backup goes into a new folder, or an empty one" in process.stderr
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["letter.txt"]
