"""A large document is synced while its workers are killed: readers see its old chunks, or its new ones."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until

from workers.core import ids
from workers.core.graph.stored_document import standing_chunks
from workers.core.jobs.work import JobState

PARAGRAPHS = 150  # two transactions of chunks, and more than one page of them
SMALL = '{"chunk_tokens": 24, "chunk_overlap": 4}'


@pytest.fixture
def small_crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    made = make_crew(stack_env, server.url, tmp_path_factory.mktemp("crew"), HOPLINE_LEASE_SECONDS="4")
    made.environment["HOPLINE_LIMITS"] = SMALL
    made.model.set()
    made.have(bulk="bulk")
    yield made
    made.stop()
    server.kill()


def text(town: str) -> str:
    rows = (
        f"Settler {nth} of the valley built house number {nth} in {town} in 1843."
        for nth in range(PARAGRAPHS)
    )
    return "\n\n".join(rows)


class Reader:
    """Looks at a document's chunks again and again."""

    def __init__(self, crew: Crew, document_id: str) -> None:
        self._crew, self._id = crew, document_id
        self.seen: list[str] = []  # different ones, in order
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def shown(self) -> str:
        chunks = self._crew.client.services.graph.store.chunks_standing(self._id, limit=2 * PARAGRAPHS)
        return "\n\n".join(chunk.text for chunk in chunks)

    def _read(self) -> None:
        while not self._stop.wait(0.05):
            now = self.shown()
            if not self.seen or now != self.seen[-1]:
                self.seen.append(now)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def test_a_large_document_is_the_old_one_or_the_new_one_whoever_dies(
    small_crew: Crew, tmp_path: Path
) -> None:
    crew, collection = small_crew, f"crash-{secrets.token_hex(4)}"
    file = tmp_path / "valley.txt"
    file.write_text(text("Bern"), encoding="utf-8")
    assert crew.client.sync([tmp_path], collection, timeout=180).status == JobState.DONE
    document_id = ids.document_id(collection, str(file))

    def status() -> str:
        document = crew.client.services.graph.store.document(document_id)
        return document.status if document else ""

    file.write_text(text("Basel"), encoding="utf-8")
    crew.model.set(chat={"latency": 0.05})
    with Reader(crew, document_id) as reader:
        job_id = crew.client.submit_sync([tmp_path], collection)
        wait_until(lambda: crew.model.requests().get("ExtractedFacts", 0) > 20, "chunks are being read")
        crew.workers["bulk"].kill()
        crew.start("bulk", "bulk")
        crew.model.set()
        wait_until(lambda: status() in {"extracted", "linked"}, "chunks are being written")
        crew.workers["bulk"].kill()
        crew.start("bulk", "bulk")
        wait_until(lambda: crew.ledger.job(job_id).state is not JobState.RUNNING, "it ended", 120)
        wait_until(lambda: reader.shown() == reader.seen[-1], "the reader has seen the last of it")
    assert crew.ledger.job(job_id).state is JobState.DONE
    assert reader.seen == [text("Bern"), text("Basel")]
    assert len(list(standing_chunks(crew.client.services.graph.store, document_id))) == PARAGRAPHS
    assert crew.client.sync([tmp_path], collection, dry_run=True, timeout=180).counts["unchanged"] == 1
