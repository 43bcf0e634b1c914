"""PDFs that readers get wrong, one failure each (tests/data/reading): what must come out of them."""

from pathlib import Path

import pytest
from doubles.files import pdf_page, pdf_pages

from workers.ingest.reading.blocks import UnreadableError
from workers.ingest.reading.pdf.reader import read
from workers.ingest.reading.stored_text import stored_text

CASES = Path(__file__).resolve().parents[3] / "data" / "reading"
RIVER = (
    "The river mill was built in 1771 by Ana Ruiz. It ground wheat for the town of Lower Hallow. The wheel "
    "was made of oak and had twenty four paddles. In 1802 a fire destroyed the roof. The owner rebuilt it "
    "within a year. The new roof was covered with slate from the northern quarry."
)
WIND = (
    "The wind mill was built in 1840 by Ben Cole. It ground barley for the brewery of Upper Hallow. The "
    "sails were made of linen and turned with the wind. In 1866 a storm broke two sails. The brewery paid "
    "for the repair. The tower was then painted white and fitted with a lamp."
)
MILLS = "| Mill | Year | Grain |\n| --- | --- | --- |\n| River | 1771 | wheat |\n| Wind | 1840 | barley |\n"
MILLS += "| Tide | 1851 | rye |"
REGIONS = "| Region | Product | Units |\n| --- | --- | --- |\n| North | Cable | 12 |\n| North | Hub | 7 |\n"
REGIONS += "| South | Cable | -3 |\n| Total | Total | (16) |"
TEXTS = {
    "bullet-cid": "• The first rule forbids fire.\n2. The second rule forbids noise.",
    "colour-space-without-n": "The river mill was built in 1771.",
    "columns-interleaved-and-glued": f"{RIVER}\n\n{WIND}\n\n{MILLS}",
    "columns-interleaved-by-table-page": f"{RIVER}\n\n{WIND}\n\n{MILLS}",
    "fake-bold-doubled": "Total rent 900 euros\n\nIt is due on 3 May 2024.",
    "form-values-lost": "Name of the lessee: Ana Ruiz\n\nMonthly rent in euros: 900\n\n[x] Pets allowed:",
    "hebrew-reversed": "הטחנה נבנתה בשנת 1771 על ידי אנה",
    "hyphenated-lines": "The reconstruction of the waterwheel began in 1803 and the carpenter was Ana Ruiz.",
    "letterspaced-heading": "ANNUAL REPORT 1771\n\nThe mill made a profit.",
    "prose-becomes-table": RIVER,
    "ruled-table-merged-cells": f"Prices by region.\n\n{REGIONS}\n\nThe count was checked by Ben Cole.",
    "sentence-across-pages": "CONFIDENTIAL - Hallow archive\n\n"
    "The mill was owned for many years by the family of Ana Ruiz, who sold it in 1802 to the town of Hallow.",
    "superscript-becomes-table": "The rent is 900[3] euros and the tank holds 10^6 litres of H_2O.",
    "text-outside-crop-box": "The rent is 900 euros.",
    "title-anonymous": "The river mill was built in 1771 by Ana Ruiz. It ground wheat for the town.",
    "title-is-table-row": MILLS,
    "words-glued-by-table": f"{RIVER}\n\n{RIVER}\n\n{RIVER}\n\n{MILLS}\n\n{WIND}",
    "words-glued-control-no-table": f"{RIVER}\n\n{RIVER}\n\n{RIVER}\n\n{WIND}",
}


def case(name: str) -> bytes:
    return (CASES / f"pdf-{name}.pdf").read_bytes()


@pytest.mark.parametrize("name", TEXTS)
def test_a_pdf_is_read_as_it_is_seen(name):
    text, _places = stored_text(read(case(name), {}))
    assert text == TEXTS[name]


def test_a_pdf_that_is_cut_off_says_so():
    with pytest.raises(UnreadableError, match="cut off"):
        read(case("truncated"), {})


def test_a_placeholder_or_a_row_of_a_table_is_no_title():
    assert read(case("title-anonymous"), {}).title == ""
    assert read(case("title-is-table-row"), {}).title == ""
    assert read(case("form-values-lost"), {}).title == "Lease form"


def test_what_is_not_seen_is_counted_among_what_was_left_out():
    assert read(case("text-outside-crop-box"), {}).left_out == {"word outside of the page": 7}
    assert read(case("sentence-across-pages"), {}).left_out == {"running head, foot or page number": 5}


def test_each_line_and_each_cell_has_its_page_and_box():
    text, places = stored_text(read(case("columns-interleaved-and-glued"), {}))
    lines = {text[start:end].strip(): (page, left) for start, end, page, left, *_ in places["lines"]}
    assert lines["and had twenty four paddles. In 1802 a fire destroyed the roof."] == (1, 60)
    assert lines["and fitted with a lamp."][1] > 300
    cells = {text[start:end]: (row, column, page) for start, end, row, column, page, *_ in places["cells"]}
    assert cells["barley"] == (2, 2, 2)
    left, top, right, bottom = next(
        place[5:] for place in places["cells"] if text[place[0] :].startswith("barley")
    )
    assert 0 < left < right < 612
    assert 0 < top < bottom < 200


def test_the_box_of_a_label_holds_the_field_that_is_filled_in():
    text, places = stored_text(read(case("form-values-lost"), {}))
    boxes = {text[start:end].strip(): box for start, end, _page, *box in places["lines"]}
    left, _top, right, bottom = boxes["Monthly rent in euros: 900"]
    assert left < 80  # the label begins at 72, the field is from 200 to 400 and, from above, 112 to 132
    assert (right, bottom) == (400, 132)
    assert boxes["[x] Pets allowed:"][2] == 215


def test_a_hyphen_at_the_end_of_a_line_is_shown_where_its_word_does_not_go_on():
    lines = "BT /F1 12 Tf 72 700 Td (The loss of the self-) Tj 0 -14 Td (Employed people like it.) Tj ET"
    text, _places = stored_text(read(pdf_page(lines), {}))
    assert text == "The loss of the self-\n\nEmployed people like it."


def test_a_word_divided_within_a_cell_or_a_title_is_one_word():
    title = "BT /F1 30 Tf 72 700 Td (The recon-) Tj 0 -34 Td (struction of mills) Tj ET"
    said = "BT /F1 10 Tf 72 640 Td (Two mills were built.) Tj ET"
    rules = " ".join(f"72 {y} m 472 {y} l S" for y in (500, 550, 600))
    rules += " ".join(f" {x} 500 m {x} 600 l S" for x in (72, 272, 472))
    cells = "".join(
        f" BT /F1 10 Tf {x} {y} Td ({word}) Tj ET"
        for x, y, word in (
            (80, 580, "Work"),
            (280, 580, "Year"),
            (80, 530, "The recon-"),
            (80, 518, "struction"),
            (280, 530, "1771"),
        )
    )
    got = read(pdf_page(f"{title} {said} {rules} {cells}"), {})
    assert got.title == "The reconstruction of mills"
    assert [cell.text for block in got.blocks for cell in block.cells] == [
        "Work", "Year", "The reconstruction", "1771",
    ]  # fmt: skip


def test_a_few_words_do_not_go_on_with_a_capital_letter_on_the_next_page():
    rows = ("The mills", "and their", "oak wheel", "of Hallow")
    shown = " ".join(f"1 0 0 1 72 {600 - 14 * n} Tm ({row}) Tj" for n, row in enumerate(rows))
    pages = (f"BT /F1 12 Tf {shown} ET", "BT /F1 12 Tf 72 600 Td (Bridges stand there.) Tj ET")
    text, _places = stored_text(read(pdf_pages(pages), {}))
    assert text == "The mills and their oak wheel of Hallow\n\nBridges stand there."
