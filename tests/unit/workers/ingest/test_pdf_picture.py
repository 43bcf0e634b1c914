"""Pages drawn as pictures: what a box marks, pages of odd sizes, and what is refused."""

import pytest
from doubles.files import pdf_page
from doubles.pictures import inked, size_of

from hopline.errors import DocumentUnreadable, NotFound
from hopline.models.formats import DOCUMENT_FORMATS
from workers.core.files import spooled
from workers.core.ports import Limits
from workers.ingest.reading.parse import draw_page, parse_markup

LIMITS = Limits(picture_seconds=120, parse_seconds=120)
WORD = "BT /F1 24 Tf 220 500 Td (HHHHHH) Tj ET"


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", ["", "/CropBox [200 300 500 700]"])
def test_the_box_of_a_word_is_where_its_ink_is(turn: int, crop: str) -> None:
    data = pdf_page(WORD, page=f"/MediaBox [0 0 600 800] {crop} /Rotate {turn}")
    read = parse_markup(DOCUMENT_FORMATS["pdf"], spooled(data), LIMITS)
    [[_start, _end, page, *box]] = read.places["lines"]
    picture = draw_page(spooled(data), page, 600, LIMITS)
    across, down = (300, 400) if crop else (600, 800)
    assert (picture.width, picture.height) == ((across, down) if turn % 180 == 0 else (down, across))
    scale = 600 / picture.width
    left, top, right, bottom = (edge / scale for edge in inked(picture.png))
    assert box[0] - 2 <= left < right <= box[2] + 2
    assert box[1] - 2 <= top < bottom <= box[3] + 2
    assert (right - left) > 0.8 * (box[2] - box[0]) or (bottom - top) > 0.8 * (box[3] - box[1])


@pytest.mark.parametrize(
    "box",
    [
        "0 0 14400 14400",
        "0 0 10 14400",
        "0 0 14400 10",
        "0 0 2000000 2000000",
        "0 0 1 2000000",
        "0 0 0.01 0.01",
    ],
)
def test_the_picture_of_a_page_of_any_size_is_bounded(box: str) -> None:
    try:
        picture = draw_page(spooled(pdf_page(WORD, page=f"/MediaBox [{box}]")), 1, 3000, LIMITS)
    except DocumentUnreadable:
        return
    width, height = size_of(picture.png)
    assert width * height <= 9_100_000
    assert width <= 3000
    assert height <= 20_000


def test_a_page_that_takes_too_long_is_given_up() -> None:
    endless = "1 0 0 rg " + "0 0 m 600 800 l 0 800 l 600 0 l h B* " * 200_000
    with pytest.raises(DocumentUnreadable, match=r"took longer than|parser died"):
        draw_page(spooled(pdf_page(endless)), 1, 3000, Limits(picture_seconds=1))


def test_too_little_memory_ends_the_drawing_alone() -> None:
    with pytest.raises(DocumentUnreadable, match="memory"):
        draw_page(spooled(pdf_page(WORD)), 1, 3000, Limits(picture_memory_mb=40))


@pytest.mark.parametrize("page", [2, 100_000])
def test_a_page_behind_the_last_is_named_with_how_many_there_are(page: int) -> None:
    with pytest.raises(NotFound, match=f"no page {page}: the document has 1 page"):
        draw_page(spooled(pdf_page(WORD)), page, 300, LIMITS)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"no PDF", b"PK\x03\x04"])
def test_what_is_no_pdf_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="cannot be parsed"):
        draw_page(spooled(data), 1, 300, LIMITS)
