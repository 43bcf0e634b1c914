"""A large document is synced while its workers are killed: readers see its old chunks, or its new ones."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fleet.crew import Crew, wait_until

from hopline.models.jobs import JobState
from workers.core import ids
from workers.core.graph.stored_document import standing_chunks

PARAGRAPHS = 150  # two transactions of chunks, and more than one page of them
A_CHUNK_EACH: dict[str, Any] = {"chunk_tokens": 50, "chunk_overlap": 0}


def text(town: str) -> str:
    return "\n\n".join(
        f"Settler {nth} of the valley built house number {nth} in {town} in 1843. "
        f"House number {nth} stands where two streams meet, below the mill and the long wall of the vineyard."
        for nth in range(PARAGRAPHS)
    )


def shown(crew: Crew, document_id: str) -> str:
    return "\n\n".join(c.text for c in standing_chunks(crew.services.graph.store, document_id))


@contextmanager
def reading(crew: Crew, document_id: str) -> Iterator[list[str]]:
    """Read a document again and again; yield what was seen of it, each time that it was another."""
    seen = [shown(crew, document_id)]
    stop = threading.Event()

    def read() -> None:
        while not stop.wait(0.05):
            if (now := shown(crew, document_id)) != seen[-1]:
                seen.append(now)

    thread = threading.Thread(target=read)
    thread.start()
    yield seen
    stop.set()
    thread.join()


def test_a_large_document_is_the_old_one_or_the_new_one_whoever_dies(crew: Crew, tmp_path: Path) -> None:
    collection = f"crash-{secrets.token_hex(4)}"
    file = tmp_path / "valley.txt"
    file.write_text(text("Bern"), encoding="utf-8")
    crew.model.set()
    crew.have(bulk="bulk")
    first = crew.client.syncs.submit([str(tmp_path)], collection, **A_CHUNK_EACH).id
    assert crew.client.jobs.wait(first).state is JobState.DONE
    document_id = ids.document_id(collection, str(file))

    def is_written() -> bool:
        document = crew.services.graph.store.document(document_id)
        return document is not None and document.status in {"extracted", "linked"}

    file.write_text(text("Basel"), encoding="utf-8")
    crew.model.set(schemas={"ExtractedFacts": {"hold": True}})
    with reading(crew, document_id) as seen:
        job_id = crew.client.syncs.submit([str(tmp_path)], collection, **A_CHUNK_EACH).id
        wait_until(lambda: crew.model.asked("ExtractedFacts"), "chunks are being read")
        crew.restart("bulk")
        # What is written is not live before it is embedded.
        crew.model.change(embeddings={"hold": True}, schemas={"ExtractedFacts": {"hold": False}})
        wait_until(is_written, "chunks are being written")
        crew.kill("bulk")
        crew.model.set()
        crew.start("bulk", "bulk")
        wait_until(lambda: crew.ledger.job(job_id).state is not JobState.RUNNING, "it ended")
        wait_until(lambda: shown(crew, document_id) == seen[-1], "the reader has seen the last of it")
    assert crew.ledger.job(job_id).state is JobState.DONE
    assert seen == [text("Bern"), text("Basel")]
    again = crew.client.jobs.wait(
        crew.client.syncs.submit([str(tmp_path)], collection, dry_run=True, **A_CHUNK_EACH).id
    )
    assert again.outcome.counts["unchanged"] == 1
