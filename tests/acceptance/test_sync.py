"""A collection stays in step with a folder: what differs is written, and nothing else is paid for."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fleet.crew import Crew

from producer.reports.sync import SyncReport
from workers.core import ids
from workers.core.graph.stored_document import standing_chunks
from workers.core.jobs.work import JobState

DOCUMENTS = 120
NAMES = ["Marta", "Jonas", "Ilse", "Pieter", "Rosa", "Anton", "Greta", "Emil", "Hanna", "Viktor"]
PLACES = ["Bern", "Basel", "Chur", "Genf", "Lugano", "Thun", "Zug", "Aarau", "Sion", "Davos"]
DEEDS = ["built a mill in", "sold a farm near", "painted the bridge of", "left for", "was born in", "died in"]


def sentence(rng: random.Random) -> str:
    year, name = rng.randrange(1700, 1990), f"{rng.choice(NAMES)} {rng.choice(NAMES)}son"
    return f"{name} {rng.choice(DEEDS)} {rng.choice(PLACES)} in {year}."


def text(rng: random.Random, title: str) -> str:
    """A document of two chunks or three."""
    rows = [" ".join(sentence(rng) for _ in range(6)) for _ in range(9)]
    return "\n\n".join([f"# {title}", *rows])


def write_folder(folder: Path, count: int) -> None:
    rng = random.Random(7)
    for nth in range(count):
        path = folder / f"part{nth % 5}" / f"doc{nth}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(rng, f"Record {nth}"), encoding="utf-8")


def edit_folder(folder: Path, count: int) -> tuple[int, int, int]:
    """Change 5%, move 3%, remove 2% of the documents; return how many these are."""
    rng = random.Random(8)
    paths = sorted(folder.rglob("*.md"))
    picked = rng.sample(paths, count // 20 + max(1, count * 3 // 100) + max(1, count // 50))
    changed, rest = picked[: count // 20], picked[count // 20 :]
    moved, removed = rest[: max(1, count * 3 // 100)], rest[max(1, count * 3 // 100) :]
    for nth, path in enumerate(changed):
        whole = path.read_text(encoding="utf-8")
        first = whole.index(". ", len(whole) * (1 + nth % 8) // 10) + 2
        after = whole.index(".", first) + 1
        kept = whole[after:] if nth % 3 else whole[first:]  # instead of a sentence, or before it
        path.write_text(f"{whole[:first]}{sentence(rng)} {kept}", encoding="utf-8")
    for path in moved:
        (folder / "moved").mkdir(exist_ok=True)
        path.rename(folder / "moved" / f"now-{path.name}")
    for path in removed:
        path.unlink()
    return len(changed), len(moved), len(removed)


def synced(crew: Crew, folder: Path, collection: str, **wanted: object) -> SyncReport:
    return crew.client.sync([folder], collection, timeout=400, **wanted)


def held(crew: Crew, collection: str) -> set[str]:
    """The ids that facts and elements would have in one and the same collection."""
    graph_ids = set()
    for page in crew.client.services.graph.nodes.texts(collection):
        graph_ids |= {ids.fact_id("", text) for _id, kind, text in page if kind == "fact"}
        graph_ids |= {ids.element_id("", text) for _id, kind, text in page if kind == "element"}
    return graph_ids


def assert_covers(crew: Crew, collection: str, folder: Path) -> None:
    for path in folder.rglob("*.md"):
        whole = path.read_text(encoding="utf-8")
        chunks = standing_chunks(crew.client.services.graph.store, ids.document_id(collection, str(path)))
        covered = 0
        for chunk in chunks:
            assert chunk.text == whole[chunk.start : chunk.end]
            assert not whole[covered : chunk.start].strip()
            covered = chunk.end
        assert not whole[covered:].strip()


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_a_sync_pays_for_changed_chunks_only_and_leaves_the_graph_of_a_fresh_ingest(
    crew: Crew, collection: str, tmp_path: Path
) -> None:
    folder = tmp_path / "records"
    write_folder(folder, DOCUMENTS)
    first = synced(crew, folder, collection)
    assert (first.status, first.counts) == (JobState.DONE, {"new": DOCUMENTS, "doubtful": 0})

    changed, moved, removed = edit_folder(folder, DOCUMENTS)
    kept = DOCUMENTS - changed - moved - removed
    expected = {"changed": changed, "moved": moved, "removed": removed, "unchanged": kept, "doubtful": 0}
    crew.model.set()
    before = held(crew, collection)
    dry = synced(crew, folder, collection, dry_run=True)
    assert (dry.status, dry.counts) == (JobState.DONE, expected)
    assert crew.model.requests() == {}
    assert held(crew, collection) == before

    report = synced(crew, folder, collection)
    assert (report.status, report.counts) == (JobState.DONE, expected)
    assert report.documents == {"done": changed + moved}
    assert report.removals == {"removed": removed + moved}
    assert changed <= crew.model.requests()["ExtractedFacts"] <= 3 * changed
    assert_covers(crew, collection, folder)

    again = synced(crew, folder, collection)
    assert again.counts == {"unchanged": DOCUMENTS - removed, "doubtful": 0}
    assert again.usage.model_calls == 0
    assert again.documents == again.removals == {}

    fresh = f"{collection}-fresh"
    assert synced(crew, folder, fresh).status == JobState.DONE
    assert held(crew, collection) == held(crew, fresh) != before
