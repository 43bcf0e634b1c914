"""How letters of PDFs become words: gaps between them, accents, heights, numbers beside lines."""

from textwrap import wrap

import pytest
from doubles.files import pdf_page, pdf_pages

from workers.ingest.reading.pdf.direction import logical
from workers.ingest.reading.pdf.glyphs import Glyph
from workers.ingest.reading.pdf.reader import read
from workers.ingest.reading.stored_text import stored_text

SENTENCES = (
    "The mill at Hallow stands beside the river and grinds wheat.",
    "In spring the miller lets the water through both of the gates.",
    "Every baker of the lower town has bought flour there for years.",
    "The stones were cut in the quarry above the village of Orr.",
    "A new wheel was built after the flood had carried off the old.",
    "Its paddles are of oak, and its shaft is of iron from the coast.",
    "When the river is low the mill stands still for a week or more.",
    "Then the bakers send their carts to the wind mill on the hill.",
    "That mill is smaller, and its flour costs two pence more a sack.",
    "The council pays for the road between the two mills and the town.",
    "Carts that carry flour use the bridge without paying any toll.",
    "All others pay a penny on the way in and nothing on the way out.",
)


def text_of(content, **options):
    """Return what is read of a page with this content."""
    return stored_text(read(pdf_page(content, **options), {}))[0]


def placed(*texts):
    """Return page content with texts at (size, x, y)."""
    shown = " ".join(f"/F1 {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj" for size, x, y, text in texts)
    return f"BT {shown} ET"


def test_words_that_spaced_letters_alone_part_are_two():
    content = (
        "BT /F1 10 Tf 72 700 Td (They may be moved at an) Tj 2.8 Tc (yo) Tj "
        "0 Tc -2.8 0 Td 131.8 0 Td (ther time of the year.) Tj ET"
    )
    assert text_of(content) == "They may be moved at any other time of the year."


def test_a_gap_within_a_word_whose_letters_are_spaced_is_no_blank():
    content = "BT /F1 10 Tf 2 Tc 72 700 Td (Notice) Tj 45 0 Td (to millers) Tj 0 Tc ET"
    assert text_of(content) == "Notice to millers"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (r"(The na) Tj 28.9 0 Td (\310) Tj 0.3 0 Td (\365ve miller waits.) Tj", "The naïve miller waits."),
        (r"(A forma) Tj 37 0 Td (c) Tj 0.8 0 Td (\313) Tj 4.2 0 Td (oes das.) Tj", "A formaçoes das."),
        (r"(In K) Tj 17.8 0 Td (oln) Tj 0.8 0 Td (\310) Tj 19 0 Td (they wait.) Tj", "In Köln they wait."),
    ],
)
def test_an_accent_that_is_drawn_at_a_letter_belongs_to_it(content, text):
    assert text_of(f"BT /F1 10 Tf 72 700 Td {content} ET") == text


def test_letters_of_a_font_that_understates_their_height_are_not_raised():
    font = (
        "<< /Type /Font /Subtype /TrueType /BaseFont /Hallow /FirstChar 32 /LastChar 126 "
        f"/FontDescriptor 8 0 R /Encoding /WinAnsiEncoding /Widths [{' '.join(['500'] * 95)}] >>"
    )
    described = (
        "<< /Type /FontDescriptor /FontName /Hallow /Flags 32 /Ascent 510 /Descent -10 /CapHeight 510 "
        "/StemV 80 /ItalicAngle 0 /FontBBox [0 -10 500 510] >>"
    )
    page = pdf_page("BT /F1 10 Tf 72 700 Td (happy puppy gypsy a) Tj ET", more=(font, described))
    read_text, _ = stored_text(read(page.replace(b"/F1 5 0 R", b"/F1 7 0 R"), {}))
    assert read_text == "happy puppy gypsy a"


def test_a_blank_without_width_parts_words_that_are_read_from_the_right():
    glyphs = [Glyph(sign, 60.0 - 6 * at, 0, 66.0 - 6 * at, 18, place=at) for at, sign in enumerate("סבא")]
    glyphs.append(Glyph(" ", 46.0, 9, 46.0, 9, place=3))
    glyphs += [Glyph(sign, 39.0 - 6 * at, 0, 45.0 - 6 * at, 18, place=4 + at) for at, sign in enumerate("בא")]
    assert "".join(glyph.sign for glyph in logical(glyphs, page_reads_right_to_left=True)) == "סבא בא"


def test_raised_figures_do_not_turn_a_table_round():
    texts = [(10, 300, 714, "2024"), (10, 400, 714, "2023")]
    rows = [("Rye", "1,204", "1,118"), ("Wheat", "702", "688"), ("Oats", "502", "430")]
    for number, (name, *values) in enumerate(rows):
        y = 700 - 14 * number
        mark = 6, 60 + 5.5 * len(name), y + 4, "2"
        texts += [(10, 60, y, name), mark, (10, 300, y, values[0]), (10, 400, y, values[1])]
    assert "| Wheat[2] | 702 | 688 |" in text_of(placed(*texts))


def test_numbers_that_count_the_lines_are_left_out():
    texts = []
    for number, sentence in enumerate(SENTENCES, start=41):
        y = 700 - 16 * number
        texts += [(6, 40, y + 700, str(number)), (10, 72, y + 700, sentence)]
    found = read(pdf_page(placed(*texts)), {})
    assert stored_text(found)[0].replace("\n\n", " ") == " ".join(SENTENCES)
    assert found.left_out["line number"] == len(SENTENCES)


def beside_numbers(lines):
    """Return texts of lines with numbers as large as they are beside them."""
    return [
        text
        for number, line in enumerate(lines, start=1)
        for text in (
            (10, 60 - 5.5 * (number > 9), 680 - 24 * number, str(number)),
            (10, 90, 680 - 24 * number, line),
        )
    ]


def test_numbers_as_large_as_the_text_count_its_lines_where_all_else_stands_beside_them():
    lines = wrap(" ".join(SENTENCES), 60)
    texts = beside_numbers(lines)
    assert read(pdf_page(placed(*texts)), {}).left_out["line number"] == len(lines)
    heading = (10, 40, 680, "The mills of Hallow, their masters and their carts")
    assert "line number" not in read(pdf_page(placed(heading, *texts)), {}).left_out


def test_numbers_of_a_list_of_sentences_stay():
    texts = beside_numbers(SENTENCES)
    assert "line number" not in read(pdf_page(placed(*texts)), {}).left_out


def test_numbers_of_rows_marks_of_notes_and_items_do_not_count_lines():
    rows = [
        (10, x, 700 - 14 * number, text)
        for number in range(1, 15)
        for x, text in ((60, str(number)), (100, f"Mill {chr(64 + number)}"), (300, f"{37 * number}.50"))
    ]
    notes = [
        part
        for number, sentence in enumerate(SENTENCES, start=1)
        for part in ((6, 60, 403 - 14 * number, str(number)), (10, 64, 400 - 14 * number, sentence))
    ]
    balls = [
        part
        for number, sentence in enumerate(SENTENCES[:4], start=1)
        for part in ((7, 60, 700 - 30 * number, str(number)), (10, 80, 700 - 30 * number, sentence))
    ]
    for texts in (rows, notes, balls):
        assert "line number" not in read(pdf_page(placed(*texts)), {}).left_out


def test_a_note_that_goes_on_at_the_foot_of_the_next_page_is_one():
    notes = (
        "1 See the accounts of the mill, which were kept by Ana Ruiz and her two sons until the",
        "year 1771, and then by the council of the lower town.",
    )
    pages = [
        placed(
            *((10, 72, 700 - 14 * row, sentence) for row, sentence in enumerate(sentences)),
            (7, 72, 80, note),
        )
        for sentences, note in zip((SENTENCES[:6], SENTENCES[6:]), notes, strict=True)
    ]
    assert " ".join(notes) in stored_text(read(pdf_pages(pages), {}))[0]
