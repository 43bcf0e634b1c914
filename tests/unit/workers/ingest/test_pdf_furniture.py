"""What is taken for a running head, a running foot or a page number of a PDF, and what is not."""

import pytest
from doubles.files import pdf_pages

from workers.ingest.reading.pdf.reader import read
from workers.ingest.reading.stored_text import stored_text


def lines_of(heads: list[str], feet: list[str]) -> list[str]:
    """What is stored of pages with these heads and feet around a sentence, which is left out here."""
    contents = [
        f"BT /F1 12 Tf 72 760 Td ({head}) Tj ET BT /F1 12 Tf 72 400 Td (It has mill {'x' * n}.) Tj ET"
        f" BT /F1 12 Tf 72 40 Td ({foot}) Tj ET"
        for n, (head, foot) in enumerate(zip(heads, feet, strict=True), start=1)
    ]
    text, _places = stored_text(read(pdf_pages(contents), {}))
    return [line for line in text.split("\n") if line and not line.startswith("It has mill")]


@pytest.mark.parametrize(
    "said",
    [
        ["Total due: 120 euros", "Total due: 985 euros"],
        ["Total due: 120 euros", "Total due: 985 euros", "Total due: 340 euros", "Total due: 77 euros"],
        [f"Total due: {amount} euros" for amount in (120, 120, 985, 340, 77, 120, 64, 18, 503, 211)],
        ["2023", "2024"],
        ["120", "985", "340", "77"],
    ],
)
def test_lines_that_differ_in_a_value_are_text(said):
    assert lines_of([""] * len(said), said) == said


@pytest.mark.parametrize(
    "numbers",
    [
        ["7", "8", "9", "10"],
        ["Page 1 of 4", "Page 2 of 4", "Page 3 of 4", "Page 4 of 4"],
        ["iii", "iv", "v", "vi", "1", "2", "3"],
        ["12", "14", "16", "18"],
        ["1", "2", "3", "1", "2", "3", "4"],
    ],
)
def test_page_numbers_are_no_text(numbers):
    assert lines_of([""] * len(numbers), numbers) == []


def test_a_running_head_with_a_page_number_is_said_once():
    heads = [f"Report 2024 on mills, page {number} of 30" for number in range(11, 31)]
    assert lines_of(heads, [""] * 20) == [heads[0]]


def test_running_heads_that_differ_in_a_number_are_each_said_once():
    heads = ["Annual report 2023"] * 10 + ["Annual report 2024"] * 10
    assert lines_of(heads, [""] * 20) == ["Annual report 2023", "Annual report 2024"]


def test_a_line_on_a_few_pages_of_many_is_text():
    feet = ["Signed by Ana Ruiz" if number in {3, 21, 40} else "" for number in range(40 + 1)]
    assert lines_of([""] * 41, feet) == ["Signed by Ana Ruiz"] * 3


def test_a_chapters_running_head_is_said_once_in_a_long_document():
    heads = ["The mill"] * 10 + ["The bridge"] * 4 + [""] * 30
    assert lines_of(heads, [""] * 44) == ["The mill", "The bridge"]


def test_equal_lines_far_apart_at_the_edge_of_one_page_are_text():
    content = "BT /F1 12 Tf 72 775 Td (Signed 1) Tj ET BT /F1 12 Tf 72 715 Td (Signed 2) Tj ET"
    text, _places = stored_text(read(pdf_pages([content]), {}))
    assert text.split() == ["Signed", "1", "Signed", "2"]


def test_a_running_head_right_above_a_table_is_no_row_of_it():
    rows = (("Rye", "18.00", "7"), ("Wheat", "21.50", "6"), ("Oats", "16.00", "5"))
    table = "".join(
        f" BT /F1 12 Tf {x} {730 - 14 * nth} Td ({text}) Tj ET"
        for nth, row in enumerate(rows)
        for x, text in zip((72, 250, 420), row, strict=True)
    )
    contents = [
        f"BT /F1 12 Tf 72 750 Td ({number}) Tj ET BT /F1 12 Tf 400 750 Td (Prices of mills) Tj ET"
        + (table if number == 4 else f" BT /F1 12 Tf 72 400 Td (It has mill {'x' * number}.) Tj ET")
        for number in range(2, 7)
    ]
    text, _places = stored_text(read(pdf_pages(contents), {}))
    assert text.count("Prices of mills") == 1
    assert "\n\n| Rye | 18.00 | 7 |\n| --- | --- | --- |\n| Wheat | 21.50 | 6 |" in text


@pytest.mark.parametrize("pages", [2, 3])
def test_page_numbers_as_high_as_tex_sets_them_are_no_text(pages: int) -> None:
    contents = [
        f"BT /F1 10 Tf 72 400 Td (It has mill {'x' * n}.) Tj ET BT /F1 10 Tf 300 130 Td ({n}) Tj ET"
        for n in range(1, pages + 1)
    ]
    reading = read(pdf_pages(contents), {})
    assert stored_text(reading)[0] == "\n\n".join(f"It has mill {'x' * n}." for n in range(1, pages + 1))
    assert reading.left_out == {"running head, foot or page number": pages}
