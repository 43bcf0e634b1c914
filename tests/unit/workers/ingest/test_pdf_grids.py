"""Tables of PDFs with some of their rules: open at an end, coloured over, with cells of several lines."""

import pytest
from doubles.files import pdf_page

from workers.ingest.reading.pdf.reader import read
from workers.ingest.reading.stored_text import stored_text


def text_of(lines, *placed):
    """Return what is read of a page with lines as (x, y, x, y) and texts as (x, y, text)."""
    drawn = " ".join(f"{left} {low} m {right} {high} l S" for left, low, right, high in lines)
    shown = " ".join(f"1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in placed)
    return stored_text(read(pdf_page(f"{drawn} BT /F1 10 Tf {shown} ET"), {}))[0]


def test_a_row_below_the_last_rule_belongs_to_the_table():
    rules = [(60, y, 300, y) for y in (700, 680, 660)]
    middle = (140, 640, 140, 700)
    texts = [
        (65, 685, "Rye"), (145, 685, "18.00 pounds a sack"),
        (65, 665, "Wheat"), (145, 665, "21.50 pounds a sack"),
        (65, 645, "Oats"), (145, 645, "16.00 pounds a sack"),
    ]  # fmt: skip
    assert text_of([*rules, middle], *texts).endswith("| Oats | 16.00 pounds a sack |")


def test_cells_whose_lines_run_on_are_one_row():
    rules = [(60, y, 300, y) for y in (700, 670, 640, 610)] + [(x, 610, x, 700) for x in (60, 140, 300)]
    texts = [
        (65, 688, "Wind mill on"), (145, 688, "Grinds while the river is low"),
        (65, 676, "the hill"), (145, 676, "and mends sacks"),
        (65, 658, "River mill"), (145, 658, "Grinds for the lower town"),
        (65, 628, "Council of the"), (145, 628, "Pays for bridges and roads in"),
        (65, 616, "lower town"), (145, 616, "the county"),
    ]  # fmt: skip
    assert text_of(rules, *texts).split("\n")[2:] == [
        "| River mill | Grinds for the lower town |",
        "| Council of the lower town | Pays for bridges and roads in the county |",
    ]


def test_cells_that_hold_values_below_one_another_are_rows():
    rules = [(60, y, 300, y) for y in (700, 680, 630)] + [(x, 630, x, 700) for x in (60, 180, 300)]
    texts = [
        (65, 686, "Grain"), (185, 686, "Sacks"),
        (65, 666, "Rye"), (185, 666, "18"),
        (65, 652, "Wheat"), (185, 652, "21"),
        (65, 638, "Oats"), (185, 638, "16"),
    ]  # fmt: skip
    assert text_of(rules, *texts).split("\n")[2:] == ["| Rye | 18 |", "| Wheat | 21 |", "| Oats | 16 |"]


def test_a_column_whose_rules_are_coloured_over_keeps_its_rows():
    heights = range(700, 590, -20)
    across = [(60, y, 140, y) for y in heights] + [(220, y, 300, y) for y in heights]
    rules = [*across, (140, 700, 220, 700), (140, 600, 220, 600)] + [
        (x, 600, x, 700) for x in (60, 140, 220, 300)
    ]
    texts = [
        (x, 686 - 20 * row, text)
        for row, cells in enumerate(
            (("Mill", "Code", "Sacks"), ("Orr", "B7", "18"), ("Hallow", "C2", "21"), ("Cole", "A9", "16"))
        )
        for x, text in zip((65, 145, 225), cells, strict=True)
    ]
    assert "| Hallow | C2 | 21 |" in text_of(rules, *texts)


def test_figures_that_take_all_their_column_stand_in_it():
    rows = [
        ("Offence", "Total", "Men"),
        ("All", "11,062.6", "10,540.0"),
        ("Fraud", "173.7", "5.1"),
        ("Arson", "9.8", "4.3"),
        ("Robbery", "102.1", "25.5"),
    ]
    texts = [
        (right - 5 * len(text) if column else right, 700 - 13 * number, text)
        for number, row in enumerate(rows)
        for column, (right, text) in enumerate(zip((60, 180, 222), row, strict=True))
    ]
    assert "| All | 11,062.6 | 10,540.0 |" in text_of([], *texts)


@pytest.mark.parametrize("name_first", [True, False])
def test_cells_of_several_lines_stand_in_the_row_at_whose_middle_they_are(name_first):
    texts = [(60, 700, "Mill"), (200, 700, "Duty"), (420, 700, "Sacks")]
    y = 680
    for name, lines, sacks in (
        ("Orr", ("Grinds for the lower town while", "the river is low, and mends sacks"), "18"),
        (
            "Hallow",
            ("Pays for bridges and roads in the", "county, and keeps the wheels", "of both mills"),
            "21",
        ),
        ("Cole", ("Sends carts to the wind mill",), "16"),
    ):
        middle = y - 6 * (len(lines) - 1)
        duty = [(200, y - 12 * number, line) for number, line in enumerate(lines)]
        named = [(60, middle, name)]
        texts += [*named, *duty] if name_first else [*duty, *named]
        texts.append((420, middle, sacks))
        y -= 12 * len(lines) + 8
    assert text_of([], *texts).split("\n") == [
        "| Mill | Duty | Sacks |",
        "| --- | --- | --- |",
        "| Orr | Grinds for the lower town while the river is low, and mends sacks | 18 |",
        "| Hallow | Pays for bridges and roads in the county, and keeps the wheels of both mills | 21 |",
        "| Cole | Sends carts to the wind mill | 16 |",
    ]


def test_a_label_beside_a_text_without_a_table_keeps_the_order_of_the_file():
    texts = [
        (60, 694, "Grinding"), (200, 700, "The mill grinds rye for the bakers"),
        (200, 688, "and wheat for all of the lower town."),
    ]  # fmt: skip
    assert text_of([], *texts).startswith("Grinding\n\nThe mill grinds rye for the bakers and wheat")
