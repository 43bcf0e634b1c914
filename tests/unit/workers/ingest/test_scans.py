"""Pages that are pictures: found, recognised in a process of their own, and read in order, with places."""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubles.files import pdf_page
from doubles.pictures import size_of
from doubles.scans import picture_of, scan_of
from PIL import Image

from hopline.errors import DocumentUnreadable
from workers.core.files import spooled
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading import read as reading
from workers.ingest.reading.blocks import UnreadableError
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.parse import draw_page
from workers.ingest.reading.read import ReadText, read_text
from workers.ingest.reading.scans import picture_reader
from workers.ingest.reading.scans.page import recognised_page
from workers.ingest.reading.scans.recognised import RecognisedLine, RecognisedPage
from workers.ingest.reading.scans.recognition import Unrecognised, recognised_pages

CASES = Path(__file__).resolve().parents[3] / "data" / "reading"
COLUMNS = (CASES / "pdf-columns-interleaved-and-glued.pdf", 1)
PROSE = (CASES / "made" / "heads-2.pdf", 1)
VERTICAL = (CASES / "made" / "vertical-0.pdf", 1)
HEBREW = (CASES / "made" / "rtl-0.pdf", 1)
LIMITS = Limits(parse_seconds=120, ocr_seconds=240, picture_seconds=120)
_LONG = pytest.mark.long
CARD = picture_of(
    (
        pdf_page(
            "BT /F1 14 Tf 20 60 Td (Ada kept the light of Skarholm.) Tj ET", page="/MediaBox [0 0 300 100]"
        ),
        1,
    )
)


def params(form: str) -> DocumentParams:
    return DocumentParams(uri=f"scan.{form}", source=f"scan.{form}", format=form)


def file_of(picture: Image.Image, form: str = "png", **more: Any) -> bytes:
    data = io.BytesIO()
    picture.save(data, form, dpi=(150, 150), **more)
    return data.getvalue()


def recognised(
    data: bytes, form: str, pages: list[int], limits: Limits = LIMITS
) -> Mapping[int, RecognisedPage]:
    found = recognised_pages(spooled(data), form, pages, limits, lambda _picture: None)
    read = {number: page for number, page, _is_known in found}
    assert not [page for page in read.values() if isinstance(page, Unrecognised)], read
    return read  # type: ignore[return-value]


def read_scan(data: bytes, form: str = "png", pages: int = 1) -> ReadText:
    found = recognised(data, form, list(range(1, pages + 1)))
    return read_text(DocumentFile.of(data), params(form), LIMITS, recognised=found)


def test_a_pdf_tells_which_of_its_pages_are_pictures_and_reads_the_others() -> None:
    with_text = CASES / "pdf-sentence-across-pages.pdf"
    assert read_text(DocumentFile.of(with_text.read_bytes()), params("pdf"), LIMITS).pictured == []
    scan = read_text(DocumentFile.of(scan_of([COLUMNS, COLUMNS])), params("pdf"), LIMITS)
    assert (scan.pictured, scan.text, scan.quality["pictured_pages"]) == ([1, 2], "", 2)


def test_a_scan_is_refused_with_what_to_install_where_nothing_recognises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "can_recognise", lambda: False)
    with pytest.raises(
        DocumentUnreadable, match=r"^2 pages are pictures; install hopline-server\[ocr\] to read them$"
    ):
        read_text(DocumentFile.of(scan_of([COLUMNS, COLUMNS])), params("pdf"), LIMITS)


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


@pytest.mark.parametrize("turns", [pytest.param(1, marks=_LONG), pytest.param(2, marks=_LONG), 3])
def test_a_page_that_was_put_in_turned_is_turned(turns: int) -> None:
    upright, turned = (read_scan(file_of(picture_of(PROSE, turns=by))) for by in (0, turns))
    words = set(upright.text.split())
    assert len(words & set(turned.text.split())) > 0.95 * len(words)


@pytest.mark.long
def test_the_boxes_of_a_page_that_lay_askew_follow_its_lines() -> None:
    straight, askew = (read_scan(file_of(picture_of(PROSE, skew=by))) for by in (0.0, 2.0))
    words = set(straight.text.split())
    assert len(words & set(askew.text.split())) > 0.95 * len(words)
    assert [line.split()[:3] for line in askew.text.split("\n\n")] == [
        line.split()[:3] for line in straight.text.split("\n\n")
    ]


def test_vertical_columns_are_read_from_right_to_left() -> None:
    read = read_scan(file_of(picture_of(VERTICAL, 200)))
    native = read_text(DocumentFile.of(VERTICAL[0].read_bytes()), params("pdf"), LIMITS)
    said, meant = ("".join(filter(str.isalpha, each.text)) for each in (read, native))
    assert SequenceMatcher(None, said, meant, autojunk=False).ratio() > 0.9


def test_a_script_that_is_not_recognised_is_told_and_left_out() -> None:
    with pytest.raises(DocumentUnreadable, match="a script that recognition cannot read"):
        read_scan(file_of(picture_of(HEBREW, 200)))


def test_a_huge_picture_is_refused_before_it_is_decoded() -> None:
    picture = Image.new("1", (30_000, 30_000))
    with pytest.raises(DocumentUnreadable, match=r"30,000 × 30,000 pixels"):
        read_text(DocumentFile.of(file_of(picture)), params("png"), LIMITS)


def test_a_page_that_takes_too_long_is_told_and_others_go_on() -> None:
    data = scan_of([COLUMNS, COLUMNS])
    found = list(
        recognised_pages(spooled(data), "pdf", [1, 2], Limits(ocr_seconds=0.01), lambda _picture: None)
    )
    assert [number for number, _page, _is_known in found] == [1, 2]
    assert all(
        "longer than 0.01 seconds" in page.reason for _n, page, _k in found if isinstance(page, Unrecognised)
    )


@pytest.mark.long
def test_a_pdf_with_a_huge_picture_is_bounded() -> None:
    side = 30_000
    rows = zlib.compressobj(9)
    packed = b"".join(rows.compress(bytes(side)) for _row in range(side)) + rows.flush()
    size = f"/Width {side} /Height {side} /ColorSpace /DeviceGray /BitsPerComponent 8"
    coded = f"/Filter [/ASCIIHexDecode /FlateDecode] /Length {2 * len(packed)}"
    picture = f"<< /Type /XObject /Subtype /Image {size} {coded} >>\nstream\n{packed.hex()}\nendstream"
    data = pdf_page("q 612 0 0 792 0 0 cm /X Do Q", more=(picture,))
    [(number, page, _is_known)] = recognised_pages(spooled(data), "pdf", [1], LIMITS, lambda _picture: None)
    assert number == 1
    assert isinstance(page, Unrecognised) or page.lines == []


ODD = {
    "turned by its camera": lambda card: file_of(card.rotate(90, expand=True), "jpeg", exif=turned()),
    "of four inks": lambda card: file_of(card.convert("CMYK"), "jpeg"),
    "transparent": lambda card: file_of(Image.merge("LA", (Image.new("L", card.size), inverted(card)))),
    "of two colours": lambda card: file_of(card.convert("1")),
    "of 16 bits": lambda card: file_of(Image.fromarray(np.asarray(card).astype(np.uint16) * 257)),
    "white on black": lambda card: file_of(inverted(card)),
}


def inverted(picture: Image.Image) -> Image.Image:
    return Image.eval(picture, lambda level: 255 - level)


def turned() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter clockwise
    return exif


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "transparent" else _LONG) for kind in ODD]
)
def test_pictures_of_all_kinds_are_read(kind: str) -> None:
    data = ODD[kind](CARD)
    form = "jpeg" if data.startswith(b"\xff\xd8") else "png"
    assert read_scan(data, form).text == "Ada kept the light of Skarholm."
    assert size_of(draw_page(spooled(data), 1, 300, LIMITS, form).png)[0] == 300


@pytest.mark.long
def test_a_fax_of_two_pages_is_a_document_of_two_pages() -> None:
    data = io.BytesIO()
    CARD.convert("1").save(
        data, "tiff", save_all=True, append_images=[CARD.convert("1")], compression="group4"
    )
    read = read_scan(data.getvalue(), "tiff", pages=2)
    assert (read.text.count("Skarholm"), read.quality["pages"]) == (2, 2)
    assert {line[2] for line in read.places["lines"]} == {1, 2}


@pytest.mark.parametrize("data", [b"no picture", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="picture"):
        read_text(DocumentFile.of(data), params("png"), LIMITS)


def test_a_picture_says_what_to_install_where_nothing_opens_it(monkeypatch: pytest.MonkeyPatch) -> None:
    data = file_of(CARD)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UnreadableError, match=r"^it is a picture; install hopline-server\[ocr\] to read it$"):
        picture_reader.read(data, {})


def lines_at(left: float, words: int, tops: Sequence[float]) -> list[RecognisedLine]:
    """Return lines of words of 32 points, each named by where it stands."""
    made = []
    for top in tops:
        placed = [(f"w{left:g}.{top:g}.{nth}", left + 35 * nth, left + 35 * nth + 32) for nth in range(words)]
        text = " ".join(word for word, _left, _right in placed)
        made.append(RecognisedLine(text, 1.0, left, top, placed[-1][2], top + 10, words=placed))
    return made


def test_columns_below_a_title_are_read_one_after_another_where_a_line_was_recognised_over_both() -> None:
    [title] = lines_at(100, 10, [20])
    left, right = lines_at(50, 6, range(50, 200, 12)), lines_at(290, 6, range(50, 200, 12))
    over = RecognisedLine(
        f"{left[3].text} {right[3].text}", 1.0, 50, left[3].top, right[3].right, left[3].bottom,
        words=[*left[3].words, *right[3].words],
    )  # fmt: skip
    mixed = [line for pair in zip(left, right, strict=True) for line in pair if line.top != over.top]
    page = recognised_page(RecognisedPage(600, 800, lines=[title, *mixed, over]), 1)
    said = [word for region in page.regions for line in region for word in line.text.split()]
    assert said == [word for line in [title, *left, *right] for word in line.text.split()]


def test_cells_side_by_side_stay_in_their_rows() -> None:
    rows = [(*lines_at(50, 1, [top]), *lines_at(290, 1, [top])) for top in range(50, 200, 12)]
    page = recognised_page(RecognisedPage(600, 800, lines=[cell for row in rows for cell in row]), 1)
    [table] = [line.table for region in page.regions for line in region if line.table]
    assert [cell.text for cell in table.cells] == [cell.text for row in rows for cell in row]
