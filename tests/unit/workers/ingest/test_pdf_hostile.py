"""PDFs that are made to harm: refused or bounded."""

import random
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from doubles.files import locked_pdf, pdf_page
from hypothesis import given
from hypothesis import strategies as st

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.blocks import Reading, UnreadableError
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.pdf.reader import read
from workers.ingest.reading.read import read_text
from workers.ingest.reading.stored_text import stored_text

FILES = Path(__file__).resolve().parents[3] / "data" / "reading"
SAID = "BT /F1 12 Tf 72 700 Td (The mill was built in 1771.) Tj ET"
TEXT = "The mill was built in 1771."


def text_of(data: bytes) -> str:
    return stored_text(read(data, {}))[0]


def test_a_form_that_holds_itself_is_read_once_or_refused():
    form = "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X 7 0 R >> >>"
    data = pdf_page(f"/X Do {SAID}", more=(f"{form} /Length 5 >>\nstream\n/X Do\nendstream",))
    assert text_of(data) == TEXT


def test_fields_that_hold_one_another_are_read():
    field = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (1771) /Rect [0 0 90 20] "
    field += "/Parent {0} 0 R /Kids [{0} 0 R] >>"
    page = "/MediaBox [0 0 612 792] /Annots [7 0 R 8 0 R]"
    data = pdf_page(SAID, page=page, more=(field.format(8), field.format(7)))
    assert TEXT in text_of(data)


def test_coordinates_without_end_are_no_place_on_the_page():
    wild = "BT /F1 12 Tf 1e38 1e38 1e38 1e38 1e38 1e38 Tm (nowhere) Tj /F1 0 Tf (nothing) Tj ET"
    wild += " 1e38 0 m 0 1e38 l S"
    assert text_of(pdf_page(f"{SAID} {wild}")) == TEXT
    assert text_of(pdf_page(SAID, page="/MediaBox [0 0 1e9 1e9]")) == TEXT


def test_thousands_of_strokes_are_no_table():
    dice = random.Random(1)
    strokes = " ".join(f"0 {(y := dice.uniform(0, 790)):.1f} m 600 {y:.1f} l S" for _ in range(3_000))
    strokes += " ".join(f"{(x := dice.uniform(0, 600)):.1f} 0 m {x:.1f} 790 l S" for _ in range(3_000))
    assert text_of(pdf_page(f"{strokes} {SAID}")) == TEXT


def test_a_page_with_more_letters_than_a_page_has_is_refused():
    lines = " ".join(f"1 0 0 1 {n % 60} {n / 8} Tm (abcdefghij) Tj" for n in range(6_001))
    with pytest.raises(UnreadableError, match="letters"):
        read(pdf_page(f"BT /F1 1 Tf {lines} ET"), {})


@pytest.mark.parametrize("lines", [["ab" * 10_000, "cd" * 10_000, "end"], ["abcdefghijklmnopqrs"] * 2_500])
def test_a_long_word_and_a_long_paragraph_are_read_in_time(lines):
    height = 7 * len(lines) + 20
    shown = " ".join(f"1 0 0 1 9 {height - 9 - 7 * n} Tm ({line}) Tj" for n, line in enumerate(lines))
    page = f"/MediaBox [0 0 {5 * len(lines[0])} {height}]"
    data = pdf_page(f"BT /F1 6 Tf {shown} ET", page=page)
    params = DocumentParams(uri="long.pdf", source="x", format="pdf")
    assert (
        read_text(DocumentFile.of(data), params, Limits(parse_seconds=180)).text.split() == lines
    )  # a square takes hours


def test_pages_without_end_are_refused():
    kids = "<< /Type /Pages /Kids [" + "3 0 R " * 5_001 + "] /Count 5001 >>"
    data = pdf_page(SAID).replace(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", kids.encode())
    with pytest.raises(UnreadableError, match="5001 pages"):
        read(data.replace(b"startxref", b"startxref broken"), {})


def as_ingested(data: bytes, **limits: int) -> str:
    """Return what the limited process reads, as ingestion has it."""
    params = DocumentParams(uri="hostile.pdf", source="x", format="pdf")
    return read_text(DocumentFile.of(data), params, Limits(**limits)).text


def packed(content: bytes) -> bytes:
    """A page whose content is stored as this compressed stream."""
    data, empty = pdf_page("", page="/MediaBox [0 0 612 792]"), b"<< /Length 0 >>\nstream\n\nendstream"
    body = zlib.compress(content, 9)
    head = b"<< /Filter /FlateDecode /Length %d >>" % len(body)
    assert empty in data
    return data.replace(empty, head + b"\nstream\n" + body + b"\nendstream")


def test_a_small_stream_that_unpacks_without_end_is_bounded():
    bomb = packed(SAID.encode() + b" " * 200_000_000)
    assert len(bomb) < 300_000
    with suppress(DocumentUnreadable):
        assert as_ingested(bomb, parse_seconds=20, parse_memory_mb=300) == TEXT


@pytest.mark.parametrize(
    ("known", "instead"),
    [
        (b"/Kids [3 0 R] /Count 1", b"/Kids [2 0 R 3 0 R] /Count 2"),  # pages that hold themselves
        (b"/Kids [3 0 R] /Count 1", b"/Kids [3 0 R] /Count 1 /Parent 2 0 R"),
        (b"/BaseFont /Helvetica", b"/BaseFont /Helvetica /DescendantFonts [5 0 R] /Encoding 5 0 R"),
        (b"/Subtype /Type1 ", b"/Subtype /Type0 /DescendantFonts [5 0 R] /ToUnicode 5 0 R "),
        (b"/Info 6 0 R", b"/Info 6 0 R /Prev 15"),
        (b"/Title ()", b"/Title 6 0 R"),
    ],
)
def test_objects_that_refer_to_themselves_are_read_or_refused(known, instead):
    data = pdf_page(SAID)
    assert known in data
    with suppress(DocumentUnreadable):
        assert TEXT in as_ingested(data.replace(known, instead), parse_seconds=20)


def test_fonts_without_end_are_read():
    names = " ".join(f"/G{number} 5 0 R" for number in range(20_000))
    uses = " ".join(f"/G{number} 12 Tf" for number in range(20_000))
    data = pdf_page(f"BT {uses} ET {SAID}").replace(b"/F1 5 0 R", b"/F1 5 0 R " + names.encode())
    assert as_ingested(data, parse_seconds=20) == TEXT


def test_hidden_words_are_no_text_and_are_counted():
    white = "BT 1 g /F1 12 Tf 72 600 Td (The rent is 1 euro.) Tj ET"
    undrawn = "BT 3 Tr /F1 12 Tf 72 500 Td (free) Tj ET"
    tiny = "BT /F1 0.2 Tf 72 400 Td (small print) Tj ET"
    outside = "BT /F1 12 Tf 72 900 Td (above) Tj ET"
    got = read(pdf_page(f"{SAID} {white} {undrawn} {tiny} {outside}"), {})
    assert stored_text(got)[0] == TEXT
    assert got.left_out == {
        "white word on white": 5,
        "word that is not drawn": 1,
        "word too small to be seen": 2,
        "word outside of the page": 1,
    }


def test_white_words_on_a_dark_ground_are_text():
    content = "0 g 60 690 200 30 re f 1 g " + SAID
    assert text_of(pdf_page(content)) == TEXT


def test_a_page_of_undrawn_words_alone_is_the_text_that_recognition_read():
    assert text_of(pdf_page(f"BT 3 Tr {SAID.removeprefix('BT')}")) == TEXT


def test_a_password_that_is_not_right_is_said_and_not_repeated():
    with pytest.raises(UnreadableError, match="password"):
        read(locked_pdf(), {})
    with pytest.raises(UnreadableError, match="not its password") as caught:
        read(locked_pdf(), {"password": "swordfish"})
    assert "swordfish" not in str(caught.value)


def test_what_takes_too_much_memory_ends_with_its_own_child():
    form = "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources <<"
    more = [
        f"{form} /XObject << /X {n + 1} 0 R >> >> /Length 47 >>\nstream\n{'/X Do ' * 8}\nendstream"
        for n in range(7, 30)
    ]
    end = f"{form} /Font << /F1 5 0 R >> >> /Length {len(SAID)} >>"
    data = pdf_page("/X Do", more=(*more, f"{end}\nstream\n{SAID}\nendstream"))
    params = DocumentParams(uri="bomb.pdf", source="x", format="pdf")
    with pytest.raises(DocumentUnreadable):
        read_text(DocumentFile.of(data), params, Limits(parse_seconds=20, parse_memory_mb=300))


@given(st.sampled_from(sorted(FILES.glob("pdf-*.pdf"))), st.randoms(use_true_random=False))
def test_a_damaged_file_is_read_or_refused(path, dice):
    data = bytearray(path.read_bytes())
    for _ in range(dice.choice((1, 5, 40))):
        at = dice.randrange(len(data))
        data[at : at + dice.choice((0, 1, 1, 1, 50))] = dice.choice(
            (b"0", b"-", b"<", b")", b" ", b"99999", b"\xff")
        )
    with suppress(UnreadableError):
        assert isinstance(read(bytes(data), {}), Reading)
