"""A collection stays in step with a folder: what differs is written, and nothing else is paid for."""

from pathlib import Path

import pytest
from fleet.crew import Crew

from hopline.models.jobs import JobState
from hopline.models.results import Job
from workers.core import ids
from workers.core.graph.stored_document import standing_chunks

DOCUMENTS = 20
PLACES = ("Bern", "Basel", "Chur", "Genf", "Lugano", "Thun", "Zug", "Aarau", "Sion", "Davos")


def write_record(path: Path, nth: int, *, added: str = "") -> None:
    """Write a document of two chunks or three; what is added stands in the middle of it."""
    rows = [
        " ".join(f"Marta Record{nth} left for {place} in {1700 + 10 * row}." for place in PLACES)
        for row in range(9)
    ]
    rows[4] += added
    path.write_text("\n\n".join([f"# Record {nth}", *rows]), encoding="utf-8")


def write_folder(folder: Path) -> None:
    for nth in range(DOCUMENTS):
        path = folder / f"part{nth % 5}" / f"doc{nth}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_record(path, nth)


def edit_folder(folder: Path) -> tuple[int, int, int]:
    """Change two documents, move two and remove one; return how many these are."""
    for nth in (3, 9):
        write_record(
            folder / f"part{nth % 5}" / f"doc{nth}.md", nth, added=" Hanna Jonasson built a mill in Zug."
        )
    (folder / "moved").mkdir()
    for nth in (5, 11):
        (folder / f"part{nth % 5}" / f"doc{nth}.md").rename(folder / "moved" / f"now-{nth}.md")
    (folder / "part2" / "doc12.md").unlink()
    return 2, 2, 1


def synced(crew: Crew, folder: Path, collection: str, **wanted: object) -> Job:
    return crew.client.jobs.wait(
        crew.client.syncs.submit([str(folder)], collection, **wanted).id, timeout=400
    )


def held(crew: Crew, collection: str) -> set[str]:
    """The ids that facts and elements would have in one and the same collection."""
    graph_ids = set()
    for page in crew.services.graph.nodes.texts(collection):
        graph_ids |= {ids.fact_id("", text) for _id, kind, text in page if kind == "fact"}
        graph_ids |= {ids.element_id("", text) for _id, kind, text in page if kind == "element"}
    return graph_ids


def assert_covers(crew: Crew, collection: str, folder: Path) -> None:
    for path in folder.rglob("*.md"):
        whole = path.read_text(encoding="utf-8")
        chunks = standing_chunks(crew.services.graph.store, ids.document_id(collection, str(path)))
        covered = 0
        for chunk in chunks:
            assert chunk.text == whole[chunk.start : chunk.end]
            assert not whole[covered : chunk.start].strip()
            covered = chunk.end
        assert not whole[covered:].strip()


@pytest.mark.long
def test_a_sync_pays_for_changed_chunks_and_leaves_the_graph_of_a_fresh_ingest(crew, collection, tmp_path):
    folder = tmp_path / "records"
    write_folder(folder)
    first = synced(crew, folder, collection)
    assert (first.state, first.outcome.counts) == (JobState.DONE, {"new": DOCUMENTS, "doubtful": 0})

    changed, moved, removed = edit_folder(folder)
    kept = DOCUMENTS - changed - moved - removed
    expected = {"changed": changed, "moved": moved, "removed": removed, "unchanged": kept, "doubtful": 0}
    crew.model.set()
    before = held(crew, collection)
    dry = synced(crew, folder, collection, dry_run=True)
    assert (dry.state, dry.outcome.counts) == (JobState.DONE, expected)
    assert crew.model.requests() == {}
    assert held(crew, collection) == before

    report = synced(crew, folder, collection)
    assert (report.state, report.outcome.counts) == (JobState.DONE, expected)
    assert report.outcome.documents == {"done": changed + moved}
    assert report.outcome.removals == {"removed": removed + moved}
    assert changed <= crew.model.requests()["ExtractedFacts"] <= 3 * changed
    assert_covers(crew, collection, folder)

    again = synced(crew, folder, collection)
    assert again.outcome.counts == {"unchanged": DOCUMENTS - removed, "doubtful": 0}
    assert again.usage.model_calls == 0
    assert again.outcome.documents == again.outcome.removals == {}

    fresh = f"{collection}-fresh"
    assert synced(crew, folder, fresh).state == JobState.DONE
    assert held(crew, collection) == held(crew, fresh) != before
