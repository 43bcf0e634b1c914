"""Documents that share their key elements, ingested and deleted side by side by real workers."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from fleet.crew import Crew

DOCUMENTS, ELEMENTS, ROUNDS = 8, 20, 3
NAMES = [f"{first} {last}" for first in ("Maren", "Tove", "Ivo", "Petra") for last in
         ("Holt", "Lindqvist", "Brandl", "Ekdahl", "Zwick")]  # fmt: skip


def write(folder: Path) -> Path:
    """Write documents that say the same ten things, and each one thing of its own."""
    folder.mkdir()
    shared = " ".join(f"{NAMES[at]} praised {NAMES[at + 1]}." for at in range(0, ELEMENTS, 2))
    for number in range(DOCUMENTS):
        own = f"{NAMES[number]} visited Town{'abcdefgh'[number]}."
        (folder / f"{number}.txt").write_text(f"Report\n\n{shared} {own}\n", encoding="utf-8")
    return folder


def counts(crew: Crew, collection: str) -> dict[str, int]:
    """Return how many facts and key elements the graph holds."""
    graph_ids: dict[str, set[str]] = {"chunk": set(), "fact": set(), "element": set()}
    for page in crew.client.services.graph.nodes.texts(collection):
        for graph_id, kind, _text in page:
            assert graph_id not in graph_ids[kind], f"{kind} {graph_id} is there twice"
            graph_ids[kind].add(graph_id)
    return {kind: len(ids) for kind, ids in graph_ids.items()}


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_counts_are_exact_after_parallel_ingestion_and_deletion(
    crew: Crew, tmp_path: Path, _round: int
) -> None:
    collection = f"shared-{secrets.token_hex(4)}"
    folder = write(tmp_path / "documents")
    half = sorted(folder.iterdir())[: DOCUMENTS // 2]
    report = crew.client.ingest(half, collection)
    assert not report.failed, report.failed
    submitted = crew.client.submit_documents([folder], collection)
    for document in report.documents[:2]:
        crew.client.delete_document(str(document.document_id))
    crew.client.wait(submitted.job_id, 180)
    kept = {document.id for document in crew.client.documents(collection)}
    deleted = {str(document.document_id) for document in report.documents[:2]} - kept
    whole = DOCUMENTS - len(deleted)
    title = 1  # all documents have the same, and it is an element of all their facts
    expected = {"chunk": whole, "fact": ELEMENTS // 2 + whole, "element": ELEMENTS + whole + title}
    assert counts(crew, collection) == expected
