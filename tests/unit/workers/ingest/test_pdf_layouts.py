"""How pages of PDFs are laid out: what belongs together, and what stands beside it."""

from textwrap import wrap

import pytest
from doubles.files import pdf_page

from workers.ingest.reading.pdf.direction import logical
from workers.ingest.reading.pdf.glyphs import Glyph
from workers.ingest.reading.pdf.reader import read
from workers.ingest.reading.stored_text import stored_text


def shown(*placed, size=10, font="Helvetica"):
    """Return what is read of texts at (x, y), in the order of the file."""
    drawn = " ".join(f"1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in placed)
    data = pdf_page(f"BT /F1 {size} Tf {drawn} ET").replace(
        b"/BaseFont /Helvetica", b"/BaseFont /%b" % font.encode()
    )
    return stored_text(read(data, {}))[0]


def test_rows_have_their_names_where_the_head_of_a_table_has_none():
    rows = [
        ("Revenue", "1,204", "1,118"),
        ("Cost of sales", "\\(702\\)", "\\(688\\)"),
        ("Profit", "502", "430"),
    ]
    placed = [(300, 700, "2024"), (400, 700, "2023")]
    for number, (name, *values) in enumerate(rows, start=1):
        y = 700 - 14 * number
        placed += [(60, y, name), *((x, y, value) for x, value in zip((300, 400), values, strict=True))]
    assert shown(*placed) == (
        "|  | 2024 | 2023 |\n| --- | --- | --- |\n| Revenue | 1,204 | 1,118 |\n"
        "| Cost of sales | (702) | (688) |\n| Profit | 502 | 430 |"
    )


def test_a_table_below_columns_is_a_table():
    columns = [
        (x, 700 - 14 * number, text)
        for x, texts in (
            (60, ("Hallow Mill Ltd", "Mill Lane", "Hallow", "England")),
            (350, ("Date: May", "Due: June", "Customer: Cole")),
        )
        for number, text in enumerate(texts)
    ]
    table = [
        (x, 640 - 14 * number, text)
        for number, row in enumerate(
            (("Item", "Price"), ("Rye", "18.00"), ("Wheat", "21.50"), ("Oats", "16.00"))
        )
        for x, text in zip((60, 350), row, strict=True)
    ]
    got = shown(*columns, *table)
    order = [
        "Hallow Mill Ltd",
        "England",
        "Date: May",
        "Customer: Cole",
        "| Item | Price |",
        "| Oats | 16.00 |",
    ]
    assert [got.find(text) for text in order] == sorted(got.find(text) for text in order)
    assert "| Wheat | 21.50 |" in got


def test_raised_figures_of_browsers_are_raised():
    content = (
        "BT /F1 12 Tf 72 700 Td (The tank holds 10) Tj /F1 10 Tf 4 Ts (6) Tj 0 Ts /F1 12 Tf ( litres.) Tj ET"
    )
    assert stored_text(read(pdf_page(content), {}))[0] == "The tank holds 10^6 litres."


def test_bullets_of_tex_are_bullets():
    items = [(60, 700, "\\210 the river mill"), (60, 686, "\\210 the wind mill")]
    assert shown(*items) == "• the river mill\n• the wind mill"


def test_names_of_fonts_say_that_they_are_bold_or_of_programs():
    lines = [(60, 700, "for sack in sacks:"), (80, 688, "total += 1")]
    text = " ".join(
        f"1 0 0 1 60 {y} Tm (The mill ground wheat for the bakers of the lower town.) Tj" for y in (600, 588)
    )
    drawn = " ".join(f"1 0 0 1 {x} {y} Tm ({line}) Tj" for x, y, line in lines)
    for font, expected in (
        ("CMTT10", "```\nfor sack in sacks:\n    total += 1\n```"),
        ("CMBX10", "# total"),
    ):
        more = (f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} >>",)
        data = pdf_page(f"BT /F2 10 Tf {drawn} /F1 10 Tf {text} ET", more=more)
        data = data.replace(b"/F1 5 0 R", b"/F1 5 0 R /F2 7 0 R")
        assert expected in stored_text(read(data, {}))[0]


def test_lines_of_a_table_of_contents_stand_apart_without_their_leaders():
    dots = " ." * 60
    lines = [(60, 700, f"1 Introduction{dots} 1"), (60, 686, f"1.1 The river mill{dots}{dots[:8]} 12")]
    assert shown(*lines) == "1 Introduction … 1\n\n1.1 The river mill … 12"


def test_dots_of_contents_are_no_columns_of_a_table():
    dots = [(x, ".") for x in range(200, 440, 8)]
    entries = [
        (("1", "Mills"), [], "2"),
        (("1.1", "The river mill"), dots, "2"),
        (("1.2", "The wind mill"), dots, "4"),
        (("1.3", "Who owns them"), dots, "11"),
    ]
    placed = []
    for nth, ((number, name), led, page) in enumerate(entries):
        y = 700 - 14 * nth
        placed += [(60, y, number), (90, y, name), *((x, y, dot) for x, dot in led), (450, y, page)]
    assert shown(*placed) == (
        "1 Mills … 2\n\n1.1 The river mill … 2\n\n1.2 The wind mill … 4\n\n1.3 Who owns them … 11"
    )


def test_dots_before_the_values_of_a_table_are_no_part_of_it():
    rows = [
        ("", "2024", "2023"),
        ("Sales", "1,204", "1,118"),
        ("Rent", "302", "288"),
        ("Profit", "902", "830"),
    ]
    placed = []
    for nth, (name, *values) in enumerate(rows):
        y = 700 - 14 * nth
        placed += [(60, y, name + " ." * 40)] if name else []
        placed += [(x, y, value) for x, value in zip((360, 430), values, strict=True)]
    assert shown(*placed) == (
        "|  | 2024 | 2023 |\n| --- | --- | --- |\n| Sales | 1,204 | 1,118 |\n| Rent | 302 | 288 |\n"
        "| Profit | 902 | 830 |"
    )


def test_a_large_initial_belongs_to_the_word_behind_it():
    said = "he river rose above the weir in the spring, and a flood took the wheel of the mill."
    content = (
        f"BT /F1 36 Tf 60 676 Td (T) Tj /F1 11 Tf 24 18 Td ({said}) Tj 0 -14 Td (It was built again within "
        "a year by the owner, Ana Ruiz.) Tj -24 -14 Td (The town paid her in part.) Tj ET"
    )
    assert stored_text(read(pdf_page(content), {}))[0].startswith("The river rose above the weir")


def test_a_program_goes_on_below_an_empty_line():
    lines = [(60, 700, "def mill\\(\\):"), (80, 688, "grind\\(\\)"), (80, 664, "return flour")]
    text = " ".join(
        f"1 0 0 1 60 {y} Tm (The mill ground wheat for the bakers of the lower town.) Tj" for y in (600, 588)
    )
    drawn = " ".join(f"1 0 0 1 {x} {y} Tm ({line}) Tj" for x, y, line in lines)
    more = ("<< /Type /Font /Subtype /Type1 /BaseFont /CMTT10 >>",)
    data = pdf_page(f"BT /F2 10 Tf {drawn} /F1 10 Tf {text} ET", more=more)
    got = stored_text(read(data.replace(b"/F1 5 0 R", b"/F1 5 0 R /F2 7 0 R"), {}))[0]
    assert got.startswith("```\ndef mill():\n    grind()\n\n    return flour\n```\n\nThe mill")


def test_a_title_is_the_first_of_several_large_lines_and_no_sentence():
    large = "BT /F1 20 Tf 60 700 Td ({}) Tj /F1 10 Tf 0 -30 Td (Rye and wheat are ground here.) Tj ET"
    second = "BT /F1 20 Tf 60 600 Td (Introduction) Tj ET"
    assert read(pdf_page(large.format("The river mill") + second), {}).title == "The river mill"
    two = "BT /F1 20 Tf 60 730 Td (The mill of Hallow was built) Tj ET" + large.format("in 1771 by Ana Ruiz.")
    assert read(pdf_page(two), {}).title == ""


def test_a_bracket_around_latin_words_ends_what_is_read_from_the_left():
    seen = ".(Ana Ruiz) 1771 תנשב"
    glyphs = [Glyph(sign, 6.0 * at, 0, 6.0 * at + 6, 10, place=at) for at, sign in enumerate(seen)]
    assert (
        "".join(glyph.sign for glyph in logical(glyphs, page_reads_right_to_left=True))
        == "בשנת 1771 (Ana Ruiz)."
    )


STORY = (
    "In spring the miller lets the water through both of the gates. The mill at Hallow stands beside the "
    "river and grinds wheat for the bakers of the lower town. The council pays for the road between the "
    "two mills and the bridge. Carts that carry flour use it without paying any toll, and all others pay "
    "a penny on the way in. When the river is low the mill stands still for a week or more, and the "
    "bakers send their carts to the wind mill on the hill, whose flour costs two pence more a sack."
)


def lines_down(lines, x=60, y=700):
    """Return lines below one another as texts at (x, y)."""
    return [(x, y - 12 * number, line) for number, line in enumerate(lines)]


def test_a_text_beside_a_picture_is_one_paragraph():
    narrow = wrap(STORY, 44)[:5]
    lines = [*narrow, *wrap(STORY.removeprefix(" ".join(narrow)), 88)]
    assert shown(*lines_down(lines)) == STORY


def test_short_lines_above_wide_ones_stay_apart():
    lines = ["Hallow Mill, Mill Lane 3", "Lower Hallow", *wrap(STORY, 88)]
    assert shown(*lines_down(lines)) == f"Hallow Mill, Mill Lane 3\n\nLower Hallow\n\n{STORY}"


def test_a_sentence_goes_on_behind_the_caption_of_a_picture():
    lines = wrap(STORY, 44)
    got = shown(
        *lines_down(lines[:3], y=172),
        *lines_down(["Figure 1: The wheel."], x=320, y=500),
        *lines_down(lines[3:], x=320, y=460),
    )
    assert got == f"{STORY}\n\nFigure 1: The wheel."


def test_numbers_of_equations_are_no_column_of_a_table():
    rows = [
        [(60, 700, "The head of the water in the channel is given by")],
        [(200, 686, "h = z + p"), (440, 686, "\\(1\\)")],
        [(200, 672, "q = c + h"), (440, 672, "\\(2\\)")],
        [(60, 658, "and holds for all weirs of the valley whose crest is sharp."), (440, 658, "It is")],
        [(200, 644, "w = q - z"), (440, 644, "\\(3\\)")],
    ]
    got = shown(*(piece for row in rows for piece in row))
    assert "|" not in got
    assert "h = z + p (1)" in got


def test_the_last_row_of_a_table_keeps_the_further_lines_of_its_cell():
    rows = [("Mill", "Terms", "Rent"), ("River", "ten years", "900"), ("Tide", "let for the summer to", "81")]
    placed = [
        (x, 700 - 16 * number, text)
        for number, row in enumerate(rows)
        for x, text in zip((60, 160, 330), row, strict=True)
    ]
    got = shown(*placed, (160, 657, "whoever bids the most"), (60, 620, "The count was checked by Ben Cole."))
    assert got.endswith(
        "| Tide | let for the summer to whoever bids the most | 81 |\n\nThe count was checked by Ben Cole."
    )


def test_a_name_of_several_lines_stands_at_the_middle_of_its_row():
    placed = [(60, 720, "Mill"), (160, 720, "Terms"), (330, 720, "Rent"), (400, 720, "Share")]
    placed += [(60, 690, "River mill"), (160, 690, "ten years"), (330, 690, "900"), (400, 690, "12.5")]
    placed += [(60, 660, "Tide mill of"), (160, 660, "let for the summer to"), (60, 648, "Lower Hallow")]
    placed += [(330, 654, "81"), (400, 654, "3.0"), (160, 648, "whoever bids the most")]
    placed += [(60, 618, "Wind mill"), (160, 618, "five years"), (330, 618, "430"), (400, 618, "7.25")]
    row = "| Tide mill of Lower Hallow | let for the summer to whoever bids the most | 81 | 3.0 |"
    assert row in shown(*placed).split("\n")


def of_sizes(*lines):
    """Return what is read of lines of (size, text) below one another."""
    y, drawn = 740, []
    for size, text in lines:
        y -= 2 * size
        drawn.append(f"/F1 {size} Tf 1 0 0 1 72 {y} Tm ({text}) Tj")
    return stored_text(read(pdf_page(f"BT {' '.join(drawn)} ET"), {}))[0]


def test_authors_below_a_title_are_no_headings():
    text = [(10, line) for line in wrap(STORY, 80)]
    got = of_sizes(
        (20, "Water and Wheels"), (12, "Ana Ruiz"), (12, "3 May 2024"), (14, "Flow"), *text, (14, "Head")
    )
    headings = [line.lstrip("# ") for line in got.split("\n") if line.startswith("#")]
    assert headings == ["Water and Wheels", "Flow", "Head"]
    assert "\nAna Ruiz 3 May 2024\n" in got


def test_a_sentence_in_a_somewhat_larger_size_is_no_heading():
    text = [(8, line) for line in wrap(STORY, 90)]
    got = of_sizes((10, "The count was checked by Ben Cole of Hallow."), *text)
    assert got.startswith("The count was checked by Ben Cole of Hallow.\n")


TERMS = (
    "The lease runs for ten years and",
    "is renewed unless one side ends it",
    "in writing before the harvest is",
    "counted.",
)


def leases(y, *, is_centred):
    """Return the texts of a table whose cells have several lines, as a program writes them cell by cell."""
    placed = [(60, y, "Mill"), (160, y, "Terms"), (370, y, "Rent"), (430, y, "Share")]
    for name, terms, rent, share in (
        (("River mill of", "the Upper", "Valley"), TERMS, "900", "12.5%"),
        (("Wind mill",), ("Five years.",), "430", "7.25%"),
        (("Tide mill",), ("None; the town owns it and", "lets it for the summer."), "\\(81\\)", "3.0%"),
    ):
        y -= 24
        for x, lines in ((60, name), (160, terms), (370, (rent,)), (430, (share,))):
            down = 6 * (len(terms) - len(lines)) if is_centred else 0
            placed += lines_down(lines, x, y - down)
        y -= 12 * (len(terms) - 1)
    return placed


@pytest.mark.parametrize("is_centred", [True, False])
def test_cells_of_several_lines_are_put_together_row_by_row(is_centred):
    got = shown(*leases(700, is_centred=is_centred), (60, 480, "The count was checked by Ben Cole."))
    assert got == (
        "| Mill | Terms | Rent | Share |\n| --- | --- | --- | --- |\n"
        f"| River mill of the Upper Valley | {' '.join(TERMS)} | 900 | 12.5% |\n"
        "| Wind mill | Five years. | 430 | 7.25% |\n"
        "| Tide mill | None; the town owns it and lets it for the summer. | (81) | 3.0% |\n\n"
        "The count was checked by Ben Cole."
    )


def test_a_name_over_two_columns_of_figures_does_not_join_them():
    placed = [
        (60, 700, "Method"),
        (160, 700, "Data"),
        (263, 700, "Score"),
        (250, 686, "dev"),
        (285, 686, "test"),
    ]
    for number, row in enumerate((("Wheel", "Hallow", "81.2", "80.1"), ("Sail", "Orr", "71.5", "70.9"))):
        placed += [(x, 672 - 14 * number, text) for x, text in zip((60, 160, 250, 285), row, strict=True)]
    assert shown(*placed) == (
        "| Method | Data | Score | Score |\n| --- | --- | --- | --- |\n|  |  | dev | test |\n"
        "| Wheel | Hallow | 81.2 | 80.1 |\n| Sail | Orr | 71.5 | 70.9 |"
    )


def test_a_text_does_not_go_on_in_the_line_of_an_equation():
    lines = wrap(STORY, 88)
    equation = [(200, 688, "a = b + c"), (420, 688, "\\(1\\)")]
    got = shown((60, 700, "The head is given by"), *equation, *lines_down(lines, 60, 676))
    assert got == f"The head is given by\n\na = b + c (1)\n\n{STORY}"


def test_a_name_at_the_end_of_a_line_beside_a_picture_is_not_cut():
    text = STORY.replace("the lower town", "Lower Hallow")
    narrow = ["In spring the miller lets the water through", "both of the gates. The mill at Hallow stands"]
    narrow += ["beside the river and grinds wheat for Lower", "Hallow. The council pays for the road and"]
    assert shown(*lines_down([*narrow, *wrap(text, 88)])).startswith(" ".join(narrow))
