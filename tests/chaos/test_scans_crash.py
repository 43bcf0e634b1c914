"""A worker that recognises pages is killed in the middle: what it had recognised is not recognised again."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from doubles.scans import scan_of
from fleet.checks import assert_nothing_left
from fleet.crew import Crew, wait_until

from workers.ingest.reading.scans.recognised import RECOGNISER

CASES = Path(__file__).parents[1] / "data" / "reading"
PAGES = [
    (CASES / name, 1)
    for name in (
        "pdf-columns-interleaved-and-glued.pdf",
        "pdf-letterspaced-heading.pdf",
        "pdf-hyphenated-lines.pdf",
        "pdf-prose-becomes-table.pdf",
        "pdf-sentence-across-pages.pdf",
        "pdf-words-glued-control-no-table.pdf",
    )
]


def kept_pages(crew: Crew) -> dict[str, int]:
    """Return the pages that were recognised, each with what tells whether it was written again."""
    folder = crew.settings.var / "blobs" / "recognised"
    return {path.name: path.stat().st_ino for path in folder.rglob(f"*.{RECOGNISER}")}


def test_no_page_is_recognised_twice_when_its_worker_is_killed(crew: Crew, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan_of(PAGES, 100))
    crew.have(bulk="bulk", ocr="ocr")
    collection = f"scans-{secrets.token_hex(4)}"
    with ThreadPoolExecutor(1) as pool:
        ingested = pool.submit(crew.ingest, tmp_path / "scan.pdf", collection)
        wait_until(lambda: kept_pages(crew), "a page is recognised")
        crew.kill("ocr")
        before = kept_pages(crew)
        assert 0 < len(before) < len(PAGES)
        crew.start("ocr", "ocr")
        ingested.result()
    after = kept_pages(crew)
    assert len(after) == len(PAGES)
    assert {name: after[name] for name in before} == before
    [document] = crew.client.documents.list(collection=collection).documents
    assert document.reading
    assert document.reading.recognised_pages == len(PAGES)
    crew.run("documents", "delete", document.id, "--yes")
    assert kept_pages(crew) == {}
    assert_nothing_left(crew)
