"""How letters of PDFs become words: gaps between them, accents, heights, numbers beside lines."""

from textwrap import wrap

import pytest
from doubles.files import pdf_page, pdf_pages
from doubles.type1_font import type1_font

from workers.ingest.reading.pdf.direction import logical
from workers.ingest.reading.pdf.fonts import is_readable
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


SENTENCE = "The river mill was built in 1771 by Ana Ruiz."


def described(name, more=""):
    """Return the descriptor of a font."""
    return (
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 4 /Ascent 700 /Descent -200 /CapHeight 700 "
        f"/StemV 80 /ItalicAngle 0 /FontBBox [0 -200 500 700] {more} >>"
    )


def shown_in(family, codes, *names):
    """Return what is read of "a CODES b", its middle in TeX's font with glyphs of these (code, name)."""
    clear, hidden = type1_font(names)
    program = (clear + hidden).hex() + ">"
    widths = " ".join(["500"] * 128)
    font = (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+{family} /FirstChar 0 /LastChar 127 "
        f"/Widths [{widths}] /FontDescriptor 8 0 R >>"
    )
    lengths = f"/Length {len(program)} /Length1 {len(clear)} /Length2 {len(hidden)} /Length3 0"
    fonts = (
        font,
        described(f"ABCDEF+{family}", "/FontFile 9 0 R"),
        f"<< {lengths} /Filter /ASCIIHexDecode >>\nstream\n{program}\nendstream",
    )
    content = (
        "BT /F1 10 Tf 72 700 Td (a) Tj /F2 10 Tf 10 0 Td "
        f"<{bytes(codes).hex()}> Tj /F1 10 Tf 20 0 Td (b) Tj ET"
    )
    page = pdf_page(content, more=fonts).replace(b"/F1 5 0 R", b"/F1 5 0 R /F2 7 0 R")
    return stored_text(read(page, {}))[0]


@pytest.mark.parametrize(
    ("family", "code", "name", "sign"),
    [
        ("CMSY10", 0o134, "intersection", "∩"),
        ("CMSY10", 0o34, "lessmuch", "≪"),
        ("CMSY7", 0o140, "turnstileleft", "⊢"),
        ("CMEX10", 0o130, "summationdisplay", "∑"),
        ("LMMathExtension10-Regular", 0o22, "parenleftbigg", "("),
        ("CMMI10", 0o52, "arrownorthwest", "⇀"),
        ("MSAM10", 0o56, "lessorsimilar", "≲"),
        ("MSBM10", 0o44, "subsetornotdbleql", "⫋"),
    ],
)
def test_signs_of_tex_without_a_map_to_unicode_are_read(family, code, name, sign):
    assert shown_in(family, [code], (code, name)) == f"a {sign} b"


@pytest.mark.parametrize(("drawn", "sign"), [("6=", "≠"), ("7!", "↦"), ("62", "∉")])
def test_two_signs_that_tex_draws_over_each_other_are_one(drawn, sign):
    names = (
        (0x36, "negationslash"),
        (0x37, "mapsto"),
        (0x3D, "equal"),
        (0x32, "element"),
        (0x21, "arrowright"),
    )
    assert shown_in("CMSY10", drawn.encode(), *names) == f"a {sign} b"


def by_numbers(*texts, shift=29):
    """Return a page whose font has numbers of glyphs instead of letters, and nothing that maps them."""
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /Hallow /Encoding /Identity-H /DescendantFonts [8 0 R] >>"
    )
    glyphs = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Hallow /FontDescriptor 9 0 R /DW 500 "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity >>"
    )
    shown = " ".join(
        f"1 0 0 1 72 {700 - 14 * nth} Tm <{''.join(f'{ord(sign) - shift:04x}' for sign in text)}> Tj"
        for nth, text in enumerate(texts)
    )
    page = pdf_page(f"BT /F1 10 Tf {shown} ET", more=(font, glyphs, described("Hallow")))
    return read(page.replace(b"/F1 5 0 R", b"/F1 7 0 R"), {})


def test_a_font_of_glyph_numbers_in_the_usual_order_is_read():
    reading = by_numbers(SENTENCE)
    assert (stored_text(reading)[0], reading.quality.signs_without_meaning) == (SENTENCE, 0)


def test_a_page_in_glyph_numbers_of_another_order_is_recognised_instead():
    reading = by_numbers(SENTENCE, shift=20)
    assert (stored_text(reading)[0], reading.pictured) == ("", [1])
    assert reading.quality.signs_without_meaning == reading.quality.signs > 0


def test_a_text_whose_map_to_unicode_is_wrong_counts_as_without_meaning():
    moved = {code: chr(code - 29) for code in range(ord("A"), ord("z"))}
    moved |= {code: f"\\{sign}" for code, sign in moved.items() if sign in "()\\"}
    wrong, right = (
        [(10, 72, 700 - 14 * nth, line.translate(table)) for nth, line in enumerate(SENTENCES)]
        for table in (moved, {})
    )
    reading = read(pdf_page(placed(*wrong)), {})
    assert reading.quality.signs_without_meaning == reading.quality.signs > 0
    assert read(pdf_page(placed(*right)), {}).quality.signs_without_meaning == 0


@pytest.mark.parametrize("text", [
    "ldr r0, [r1]\nstr r2, [r3]\nmov r4, r5\npush pop call leave ret jmp cmp test xor imul lea\n" * 20,
    "BX-1042 KLM-22\nTRP53 BRCA1 KRAS\nSKF-6204 NSK\n" * 20,
], ids=["a program in mnemonics", "part numbers"])  # fmt: skip
def test_codes_without_vowels_are_read(text: str) -> None:
    assert is_readable(text)
