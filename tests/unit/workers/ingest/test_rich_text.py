import time
from contextlib import suppress

import pytest

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.places import place_of
from workers.core.ports import Limits
from workers.ingest.chunking.split import place_map
from workers.ingest.reading.blocks import UnreadableError
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text
from workers.ingest.reading.rich_text import read as read_rich
from workers.ingest.reading.stored_text import stored_text

PARAMS = DocumentParams(uri="/a.rtf", source="/a.rtf", format="rtf")
HEAD = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset2 Symbol;}{\f2\fcharset204 Arial;}}"
STYLES = r"{\stylesheet{\s1 heading 1;}{\s2\outlinelevel1 Kapitel;}{\s9 Title;}{\*\cs3 bold;}}"


def read(body, head=HEAD + STYLES):
    return read_text(DocumentFile.of((head + body + "}").encode("latin-1")), PARAMS, Limits())


def text_of(body):
    return read(body).text


def test_headings_are_known_by_their_styles_and_levels():
    body = r"\pard\s9 The lease\par\pard\s1 Rents\par\pard\s2 Of 2024\par"
    body += r"\pard\outlinelevel2 Tax\par\pard Text.\par"
    said = read(body)
    assert said.text == "# The lease\n\n# Rents\n\n## Of 2024\n\n### Tax\n\nText."
    assert said.title == "The lease"


def test_a_place_is_the_section_or_the_paragraph_before_any():
    said = read(r"\pard Intro.\par\pard Second.\par\pard\s1 Rents\par\pard Wind 410.\par")
    known = place_map(said.text, said.places, "rtf").cut(0, len(said.text))
    found = [place_of(known, at := said.text.index(quote), at + 3).words for quote in ("Second", "Wind")]
    assert found == ["paragraph 2", "section Rents"]


def test_letters_are_read_in_the_encodings_of_their_fonts_and_in_unicode():
    assert text_of(r"Gr\'f6\'dfe 3\'80\par{\f2 \'cc\'ee\'f1\'f2}\par{\f1 \'61} \u28783?\u21488?\par") == (
        "Größe 3€\n\nМост\n\nα 灯台"
    )
    assert text_of(r"\uc2\u8364\'80\'80 \uc0\u8364 \u-10179\u-8704 \par") == "€ €😀"
    japanese = r"{\rtf1\ansi\ansicpg932{\fonttbl{\f0\fcharset128 MS;}}\f0 "
    assert read(r"\'93\'8c\'8b\'9e\par", japanese).text == "東京"


def test_lists_have_their_numbers_and_levels():
    item = r"\pard\ilvl{0}{{\listtext {1}\tab}}{2}\par"
    items = [("0", "1.", "one"), ("1", "(a)", "deep"), ("0", "2.", "two"), ("0", r"\f1\'b7", "bullet")]
    body = "".join(item.replace("{0}", a).replace("{1}", b).replace("{2}", c) for a, b, c in items)
    assert text_of(body.replace("{{", "{").replace("}}", "}")) == "1. one\n\n  (a) deep\n\n2. two\n- bullet"


def row(*cells, edges=(1000, 2000, 3000), head="", marks=None):
    marks = marks or {}
    forms = "".join(rf"{marks.get(edge, '')}\cellx{edge}" for edge in edges)
    return rf"\trowd{head}{forms}" + "".join(rf"\pard\intbl {cell}\cell" for cell in cells) + r"\row"


def test_a_table_has_its_rows_heads_and_merged_cells():
    body = (
        row("Mill", "Rent", edges=(1000, 3000), head=r"\trhdr")
        + row("Wind", "410", "430", marks={1000: r"\clvmgf"})
        + row("", "411", "431", marks={1000: r"\clvmrg"})
        + r"\pard After.\par"
    )
    said = text_of("Before.\\par" + body)
    assert said == (
        "Before.\n\n| Mill | Rent | Rent |\n| --- | --- | --- |\n| Wind | 410 | 430 |\n| Wind | 411 | 431 |"
        "\n\nAfter."
    )


def test_notes_comments_fields_and_powers_are_read_and_what_is_no_text_is_counted():
    body = (
        r"It costs 10{\super 6} euros{\super\chftn}{\footnote\pard\chftn Without tax.} and H{\sub 2}O"
        r"{\*\atnauthor Bo}{\*\annotation Is it so?}."
        r"{\field{\*\fldinst HYPERLINK http://x.invalid}{\fldrslt  here}}{\v secret}{\pict\pngblip 89504e47}"
        r"{\header Page 3}{\*\generator Writer;}\par"
    )
    said = read(body)
    assert said.text == (
        "It costs 10^6 euros[1] and H_2O. here\n\n[1] Without tax.\n\nComment by Bo: Is it so?"
    )
    assert said.left_out == {"hidden text": 1, "picture": 1, "header or footer": 1}


def test_title_and_author_are_what_the_file_states():
    said = read(r"{\info{\title The lease}{\author Ann Holm}{\operator Bo}}Text.\par")
    assert (said.title, dict(said.metadata)) == ("The lease", {"author": "Ann Holm"})


def test_a_text_box_and_bytes_within_the_text_are_no_trouble():
    box = r"{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt \pard Box\par}}{\shprslt Box}}"
    body = rf"One{box}{{\pict\bin3 }}}}}}}} two\par"
    assert sorted(text_of(body).split()) == ["Box", "One", "two"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{\\rtf1 " + b"{" * 5_000 + b"x", "groups are nested more than"),
        (b"{\\rtf1{\\pict 00}}", "it holds no text"),
    ],
)
def test_what_is_not_read_says_why(data, reason):
    with pytest.raises(DocumentUnreadable, match=reason):
        read_text(DocumentFile.of(data), PARAMS, Limits())


@pytest.mark.parametrize(
    "body",
    [
        rb"\bin999999999 x", rb"\u", rb"\uc99999999\u1", rb"\'", rb"\'zz", b"\\", rb"\cell\row\row\cell",
        b"}}}}x",
        rb"\trowd\cellx-5\cellx99999999\intbl a\cell b\cell c\cell\row", rb"{\footnote", rb"\ansicpg99999 x",
        rb"{\footnote{\footnote{\footnote x}}}", rb"\outlinelevel-3 x\par\ilvl-9 y\par", rb"\f999999 x",
    ],
)  # fmt: skip
def test_damaged_text_is_read_as_far_as_it_goes(body):
    for data in (b"{\\rtf1 text " + body, b"{\\rtf1 text\\par " + body + b"\\par more}"):
        with suppress(UnreadableError):
            assert "text" in stored_text(read_rich(data, {}))[0]


def test_a_long_text_takes_its_length_in_time():
    began = time.process_time()
    read_rich(b"{\\rtf1 " + rb"\'e4\u228 ab {\b c}\par " * 40_000 + b"}", {})
    row_of = rb"\trowd\cellx100\cellx200\intbl a\cell b\cell\row "
    read_rich(b"{\\rtf1 " + row_of * 20_000 + b"}", {})
    assert time.process_time() - began < 20
