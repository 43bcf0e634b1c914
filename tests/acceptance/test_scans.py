"""Pages that are pictures are recognised by real workers, once, and cited like others."""

import secrets
from pathlib import Path

import pytest
from doubles.scans import scan_of
from fleet.crew import Crew

CASES = Path(__file__).parents[1] / "data" / "reading"
COLUMNS = (CASES / "pdf-columns-interleaved-and-glued.pdf", 1)
OTHERS = (CASES / "pdf-letterspaced-heading.pdf", 1)


@pytest.fixture(scope="module", autouse=True)
def _recognising(standing_crew: Crew) -> None:
    """Have a worker that recognises pages."""
    standing_crew.start("ocr", "ocr")


def test_an_answer_cites_the_page_of_a_scan_with_boxes(crew: Crew, tmp_path: Path) -> None:
    collection = f"scans-{secrets.token_hex(4)}"
    (tmp_path / "scan.pdf").write_bytes(scan_of([OTHERS, OTHERS, COLUMNS]))
    crew.ingest(tmp_path, collection)
    answer = crew.client.ask("Who built the wind mill?", collection=collection)
    assert "Ben Cole" in answer.text
    [citation] = answer.citations
    assert citation.quote == "The wind mill was built in 1840 by Ben Cole."
    assert citation.place
    assert citation.place.words == "page 3"
    assert citation.place.boxes
    [document] = crew.client.documents.list(collection=collection).documents
    assert document.reading
    assert (document.reading.recognised_pages, document.reading.doubts) == (3, ())
