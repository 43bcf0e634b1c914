"""Pages that are pictures are recognised by real workers, once, and cited like others."""

import secrets
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
from doubles.scans import Page, scan_of
from fleet.crew import Crew

from hopline.models.places import PageBox

CASES = Path(__file__).parents[1] / "data" / "reading"
COLUMNS = (CASES / "pdf-columns-interleaved-and-glued.pdf", 1)
OTHERS = (CASES / "pdf-letterspaced-heading.pdf", 1)


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
    assert covers(citation.place.boxes, where_printed(COLUMNS, citation.quote))
    [document] = crew.client.documents.list(collection=collection).documents
    assert document.reading
    assert (document.reading.recognised_pages, document.reading.doubts) == (3, ())


def where_printed(page: Page, text: str) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a text on a page, in points from its upper left corner."""
    file, number = page
    with pypdfium2.PdfDocument(file) as pdf:
        shown = pdf[number - 1]
        found = shown.get_textpage().search(text.partition(" by ")[0]).get_next()
        assert found
        boxes = [shown.get_textpage().get_charbox(found[0] + nth) for nth in range(found[1])]
        height = shown.get_height()
    left, bottom, right, top = zip(*boxes, strict=True)
    return min(left), height - max(top), max(right), height - min(bottom)


def covers(boxes: Sequence[PageBox], printed: tuple[float, float, float, float]) -> bool:
    """Return whether boxes reach over what is printed, and not much further up or down."""
    left, top, right, bottom = printed
    return (
        min(box.left for box in boxes) <= left + 3
        and max(box.right for box in boxes) >= right - 3
        and abs(min(box.top for box in boxes) - top) < 8
        and abs(max(box.bottom for box in boxes) - bottom) < 24
    )
