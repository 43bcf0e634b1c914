"""Pages that are pictures: found, recognised in a process of their own, and read in order, with places."""

from __future__ import annotations

import io
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from doubles.scans import picture_of, scan_of
from PIL import Image

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading import read as reading
from workers.ingest.reading.read import ReadText, read_text
from workers.ingest.reading.scans.recognised import RecognisedPage
from workers.ingest.reading.scans.recognition import Unrecognised, recognised_pages

CASES = Path(__file__).resolve().parents[3] / "data" / "reading"
COLUMNS = (CASES / "pdf-columns-interleaved-and-glued.pdf", 1)
PROSE = (CASES / "made" / "heads-2.pdf", 1)
VERTICAL = (CASES / "made" / "vertical-0.pdf", 1)
HEBREW = (CASES / "made" / "rtl-0.pdf", 1)
LIMITS = Limits(parse_seconds=120, ocr_seconds=240)


def params(form: str) -> DocumentParams:
    return DocumentParams(uri=f"scan.{form}", source=f"scan.{form}", format=form)


def file_of(picture: Image.Image, form: str = "png") -> bytes:
    data = io.BytesIO()
    picture.save(data, form, dpi=(150, 150))
    return data.getvalue()


def recognised(
    data: bytes, form: str, pages: list[int], limits: Limits = LIMITS
) -> Mapping[int, RecognisedPage]:
    found = recognised_pages(data, form, pages, limits, lambda _picture: None)
    read = {number: page for number, page, _is_known in found}
    assert not [page for page in read.values() if isinstance(page, Unrecognised)], read
    return read  # type: ignore[return-value]


def read_scan(data: bytes, form: str = "png", pages: int = 1) -> ReadText:
    found = recognised(data, form, list(range(1, pages + 1)))
    return read_text(data, params(form), LIMITS, recognised=found)


def test_a_pdf_tells_which_of_its_pages_are_pictures_and_reads_the_others() -> None:
    with_text = CASES / "pdf-sentence-across-pages.pdf"
    assert read_text(with_text.read_bytes(), params("pdf"), LIMITS).pictured == []
    scan = read_text(scan_of([COLUMNS, COLUMNS]), params("pdf"), LIMITS)
    assert (scan.pictured, scan.text, scan.quality["pictured_pages"]) == ([1, 2], "", 2)


def test_a_scan_is_refused_with_what_to_install_where_nothing_recognises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "can_recognise", lambda: False)
    with pytest.raises(
        DocumentUnreadable, match=r"^2 pages are pictures; install hopline-server\[ocr\] to read them$"
    ):
        read_text(scan_of([COLUMNS, COLUMNS]), params("pdf"), LIMITS)


def test_columns_are_read_one_after_another_and_each_line_has_its_box() -> None:
    read = read_scan(scan_of([COLUMNS]), "pdf")
    assert "The wind mill was built in 1840 by Ben Cole." in read.text.replace("\n", " ")
    start = read.text.index("Ben Cole")
    [line] = [line for line in read.places["lines"] if line[0] <= start < line[1]]
    page, left, top, right, bottom = line[2:]
    assert page == 1
    assert 0 < left < right < 612
    assert 0 < top < bottom < 792
    assert (read.quality["recognised_pages"], read.quality["doubtful_lines"]) == (1, {})


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_page_that_was_put_in_turned_is_turned(turns: int) -> None:
    upright, turned = (read_scan(file_of(picture_of(PROSE, turns=by))) for by in (0, turns))
    words = set(upright.text.split())
    assert len(words & set(turned.text.split())) > 0.95 * len(words)


def test_the_boxes_of_a_page_that_lay_askew_follow_its_lines() -> None:
    straight, askew = (read_scan(file_of(picture_of(PROSE, skew=by))) for by in (0.0, 2.0))
    words = set(straight.text.split())
    assert len(words & set(askew.text.split())) > 0.95 * len(words)
    assert [line.split()[:3] for line in askew.text.split("\n\n")] == [
        line.split()[:3] for line in straight.text.split("\n\n")
    ]


def test_vertical_columns_are_read_from_right_to_left() -> None:
    read = read_scan(file_of(picture_of(VERTICAL, 200)))
    native = read_text(VERTICAL[0].read_bytes(), params("pdf"), LIMITS)
    said, meant = ("".join(filter(str.isalpha, each.text)) for each in (read, native))
    assert SequenceMatcher(None, said, meant, autojunk=False).ratio() > 0.9


def test_a_script_that_is_not_recognised_is_told_and_left_out() -> None:
    with pytest.raises(DocumentUnreadable, match="a script that recognition cannot read"):
        read_scan(file_of(picture_of(HEBREW, 200)))


def test_a_huge_picture_is_refused_before_it_is_decoded() -> None:
    picture = Image.new("1", (30_000, 30_000))
    with pytest.raises(DocumentUnreadable, match=r"30,000 × 30,000 pixels"):
        read_text(file_of(picture), params("png"), LIMITS)


def test_a_page_that_takes_too_long_is_told_and_others_go_on() -> None:
    data = scan_of([COLUMNS, COLUMNS])
    found = list(recognised_pages(data, "pdf", [1, 2], Limits(ocr_seconds=0.01), lambda _picture: None))
    assert [number for number, _page, _is_known in found] == [1, 2]
    assert all(
        "longer than 0.01 seconds" in page.reason for _n, page, _k in found if isinstance(page, Unrecognised)
    )
