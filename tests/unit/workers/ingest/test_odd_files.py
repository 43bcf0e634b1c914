"""Odd, broken and hostile files of each format: read as far as they go, or refused within seconds."""

import io
import json
import time
import zipfile
from email.message import EmailMessage

import pytest
from doubles.files import archive, sheet_rows, workbook

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text
from workers.sources.documents import list_sources
from workers.sources.formats import Found

NAMES = 'xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:style="s"'
BODY = f"<office:document-content {NAMES}><office:body>{{}}</office:body></office:document-content>"
ODT = BODY.format("<office:text>{}</office:text>")
ODS = BODY.format("<office:spreadsheet>{}</office:spreadsheet>")
OPEN = "application/vnd.oasis.opendocument."
PAGE = "<html><body><p>{}</p></body></html>"
OPF = "<package><metadata/><manifest>{}</manifest><spine>{}</spine></package>"
CONTAINER = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'


def outcome(data, form):
    """Return what is read of a file, or why it is refused."""
    params = DocumentParams(uri=f"/a.{form}", source=f"/a.{form}", format=form)
    try:
        return read_text(DocumentFile.of(data), params, Limits(parse_seconds=20)).text
    except DocumentUnreadable as error:
        return f"refused: {error}"


def odt(body):
    return archive({"mimetype": f"{OPEN}text", "content.xml": ODT.format(body)})


def ods(body):
    return archive({"mimetype": f"{OPEN}spreadsheet", "content.xml": ODS.format(body)})


def book(items, spine, **chapters):
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "a.opf": OPF.format(items, spine),
            **{f"{name}.html": content for name, content in chapters.items()},
        }
    )


def cut(data, share=0.6):
    return data[: int(len(data) * share)]


ITEM = '<item id="a" href="a.html" media-type="text/html"/>'
MANY = f'{ITEM}<item id="b" href="../../etc/passwd" media-type="text/html"/>'
ROWS = '<row r="2"><c r="B2"><v>2</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'
FORMULA = '<table:table-row><table:table-cell table:formula="of:=1+1"/></table:table-row>'
LISTS = "<text:list><text:list-item>" * 100 + "<text:p>x</text:p>" + "</text:list-item></text:list>" * 100
NO_SLIDES = archive({"[Content_Types].xml": "<a/>", "ppt/presentation.xml": "<a/>"})
CELL = json.dumps({"cells": [{"cell_type": "code", "source": ["x = 1"]}]}).encode()
LONG = PAGE.format("x" * 10_000)
NO_PAGE = b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b--\n"
SHEET = workbook({"A": sheet_rows(("Mill", "Rent"), ("Wind", 430))})
ODD = {
    # name: (format, bytes, what is read, or a part of why it is refused)
    "csv with quotes that nothing closes": ("csv", b'Mill,Rent\n"Wind,430\nRiver,910\n', "River"),
    "csv of one column": ("csv", b"Wind\nRiver\n", "Wind"),
    "tsv with an empty head": ("tsv", b"\t2023\t2024\nWind\t410\t430\n", "| Wind | 410 | 430 |"),
    "xlsx that is cut off": ("xlsx", cut(SHEET), "refused: "),
    "xlsx with cells out of order": (
        "xlsx",
        workbook({"A": f"<sheetData>{ROWS}</sheetData>"}),
        "2",
    ),
    "ods without a table": ("ods", ods(""), "refused: "),
    "ods with a formula that no program calculated": (
        "ods",
        ods(f'<table:table table:name="A">{FORMULA}</table:table>'),
        "refused: ",
    ),
    "pptx without slides": ("pptx", NO_SLIDES, "refused: "),
    "pptx that is cut off": ("pptx", cut(NO_SLIDES), "refused: "),
    "mail without a text": ("eml", b"From: a@x.invalid\nSubject: Mill\n\n", "Subject: Mill"),
    "mail whose parts nothing ends": (
        "eml",
        b"Subject: Mill\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nThe rent.",
        "The rent.",
    ),
    "book whose chapter is missing": ("epub", book(ITEM, '<itemref idref="a"/>'), "refused: "),
    "book whose chapter lies elsewhere": (
        "epub",
        book(MANY, '<itemref idref="b"/><itemref idref="a"/>', a=PAGE.format("The mill.")),
        "The mill.",
    ),
    "odt with a list without end": ("odt", odt(LISTS), ""),
    "odt that is no XML": ("odt", archive({"mimetype": f"{OPEN}text", "content.xml": "<a"}), "refused: "),
    "rtf without an end": ("rtf", rb"{\rtf1 The mill{\b  was", "The mill was"),
    "rtf of a picture alone": ("rtf", rb"{\rtf1{\pict 00}}", "refused: empty"),
    "notebook without outputs": ("ipynb", CELL, "x = 1"),
    "notebook of format 3": ("ipynb", b'{"worksheets": []}', "refused: not a notebook of format 4"),
    "saved page without a page": ("mhtml", NO_PAGE, "refused: "),
    "saved page in another charset": (
        "mhtml",
        b"MIME-Version: 1.0\nContent-Type: text/html; charset=windows-1251\n\n<p>\xcc\xee\xf1\xf2</p>",
        "Мост",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_is_read_as_far_as_it_goes_or_refused(name):
    form, data, wanted = ODD[name]
    said = outcome(data, form)
    assert wanted in said
    assert "cannot be parsed" not in said


def mails(depth):
    inner = EmailMessage()
    inner["Subject"] = "deepest"
    inner.set_content("x")
    for n in range(depth):
        outer = EmailMessage()
        outer["Subject"] = f"mail {n}"
        outer.set_content("see below")
        outer.add_attachment(inner)
        inner = outer
    return inner.as_bytes()


def stretched(rows):
    cell = (
        '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="1000"/>'
    )
    return ods(
        f'<table:table table:name="A"><table:table-row table:number-rows-repeated="{rows}">{cell}'
        "</table:table-row></table:table>"
    )


def bomb(name, size=200_000_000):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", "<a/>")
        packed.writestr(name, b"<a>" * (size // 3))
    return file.getvalue()


ENTITIES = "<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(9)
)
ENTITY = ODT.format("<text:p>&j;</text:p>")
PARTS = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3_000))
HOSTILE = {
    "a million cells of text": ("csv", lambda: b"1,2,3,4,5,6,7,8,9,0\n" * 120_000),
    "a million cells in one": ("ods", lambda: stretched(1_048_576)),
    "a bomb as a presentation": ("pptx", lambda: bomb("ppt/presentation.xml")),
    "a bomb as a workbook": ("xlsx", lambda: bomb("xl/workbook.xml")),
    "a bomb as a book": ("epub", lambda: bomb("META-INF/container.xml")),
    "a bomb as an OpenDocument": ("odt", lambda: bomb("content.xml")),
    "entities that stand for one another": (
        "odt",
        lambda: archive({"mimetype": f"{OPEN}text", "content.xml": f"<!DOCTYPE a [{ENTITIES}]>{ENTITY}"}),
    ),
    "groups in groups": ("rtf", lambda: rb"{\rtf1 " + b"{" * 2_000_000),
    "rows of rows": ("rtf", lambda: rb"{\rtf1 \trowd" + rb"\cellx1" * 200_000 + rb"\intbl a\cell\row" * 200),
    "cells of a notebook without end": ("ipynb", lambda: b'{"cells": [' + b"[" * 3_000_000),
    "a mail in a mail in a mail": ("eml", lambda: mails(60)),
    "parts in parts": ("eml", lambda: b"Subject: x\n" + PARTS),
    "a chapter a thousand times": ("epub", lambda: book(ITEM, '<itemref idref="a"/>' * 100_000, a=LONG)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_or_bounded_within_seconds(name):
    form, make = HOSTILE[name]
    data, began = make(), time.monotonic()
    said = outcome(data, form)
    assert "took longer" not in said
    assert len(said) < 25_000_000
    assert time.monotonic() - began < 25


def test_of_mails_in_mails_those_within_reach_are_listed_and_the_others_named(tmp_path):
    path = tmp_path / "a.eml"
    path.write_bytes(mails(8))
    named = list(list_sources([path]))
    assert sum(isinstance(entry, Found) for entry in named) == 4
    assert [entry.reason for entry in named if not isinstance(entry, Found)] == [
        "lies in 3 archives already: unpack the outermost"
    ]
