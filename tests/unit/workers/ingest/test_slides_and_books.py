import io
import json
import zipfile
from email.message import EmailMessage

import pytest

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.places import place_of
from workers.core.ports import Limits
from workers.ingest.chunking.split import place_map
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    f'xmlns:r="{REL}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def read(data, form, name="a"):
    params = DocumentParams(uri=f"/files/{name}.{form}", source=f"/files/{name}.{form}", format=form)
    return read_text(DocumentFile.of(data), params, Limits())


def zipped(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def relations(*targets):
    one = '<Relationship Id="r{}" Type="x/{}" Target="{}"/>'
    inner = "".join(one.format(count, *target) for count, target in enumerate(targets, 1))
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'


def shape(*paragraphs, kind=None, at=(0, 0, 914400, 914400)):
    holder = "" if kind is None else f'<p:ph type="{kind}"/>' if kind else "<p:ph/>"
    left, top, width, height = at
    place = f'<a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'
    body = "".join(one if one.startswith("<") else paragraph(one) for one in paragraphs)
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>"
        f"<p:spPr>{place}</p:spPr><p:txBody>{body}</p:txBody></p:sp>"
    )


def paragraph(text, properties="", run=""):
    return f"<a:p>{properties}<a:r>{run}<a:t>{text}</a:t></a:r></a:p>"


def slide(*shapes, show=""):
    return f"<p:sld {NAMES} {show}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"


def deck(*slides, more=None):
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, len(slides) + 1))
    size = '<p:sldSz cx="9144000" cy="6858000"/>'
    presentation = f"<p:presentation {NAMES}><p:sldIdLst>{ids}</p:sldIdLst>{size}</p:presentation>"
    return zipped(
        {
            "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": presentation,
            "ppt/_rels/presentation.xml.rels": relations(
                *(("slide", f"slides/s{n}.xml") for n in range(1, len(slides) + 1))
            ),
            **{f"ppt/slides/s{n}.xml": content for n, content in enumerate(slides, 1)},
            **(more or {}),
        }
    )


def test_a_slide_is_its_title_then_its_shapes_then_its_notes():
    shapes = shape("Say it slowly.", kind="body") + shape("7", kind="sldNum")
    notes = f"<p:notes {NAMES}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:notes>"
    data = deck(
        slide(
            shape("First", paragraph("Within", '<a:pPr lvl="1"/>'), kind=""),
            shape("Rents of 2024", kind="title"),
            shape("A box", "of two lines"),
            shape("3", kind="sldNum"),
            shape("Company", kind="ftr"),
        ),
        more={
            "ppt/slides/_rels/s1.xml.rels": relations(("notesSlide", "../notes/n1.xml")),
            "ppt/notes/n1.xml": notes,
        },
    )
    said = read(data, "pptx")
    assert said.text == (
        "# Rents of 2024\n\n- First\n  - Within\n\nA box\n\nof two lines\n\nNotes: Say it slowly."
    )
    assert said.title == "Rents of 2024"
    assert said.left_out == {"footer": 1}


def test_a_quote_of_a_presentation_stands_on_a_slide_at_its_shape():
    said = read(deck(slide(shape("One")), slide(shape("Two", at=(12700, 25400, 127000, 254000)))), "pptx")
    at = said.text.index("Two")
    place = place_of(place_map(said.text, said.places, "pptx").cut(0, len(said.text)), at, at + 3)
    assert place is not None
    assert (place.words, place.page) == ("slide 2", 2)
    [box] = place.boxes
    assert (box.page, box.left, box.top, box.right, box.bottom) == (2, 1, 2, 11, 22)


def test_a_table_of_a_slide_has_its_cells_and_their_boxes():
    rows = [["Mill", "2023", "2024"], ["Wind", "410", "430"]]
    cells = "".join(
        '<a:tr h="12700">'
        + "".join(f"<a:tc><a:txBody>{paragraph(cell)}</a:txBody></a:tc>" for cell in row)
        + "</a:tr>"
        for row in rows
    )
    grid = "".join('<a:gridCol w="127000"/>' for _ in range(3))
    frame = (
        '<p:graphicFrame><p:xfrm><a:off x="0" y="0"/><a:ext cx="381000" cy="25400"/></p:xfrm>'
        f'<a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/><a:tblGrid>{grid}</a:tblGrid>{cells}'
        "</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    said = read(deck(slide(shape("Rents", kind="title"), frame)), "pptx")
    assert "| Wind | 410 | 430 |" in said.text
    at = said.text.index("430")
    place = place_of(place_map(said.text, said.places, "pptx").cut(0, len(said.text)), at, at + 3)
    assert place is not None
    assert place.words == "slide 1, table 1, row Wind, column 2024"
    assert [(box.left, box.top, box.right, box.bottom) for box in place.boxes] == [(20, 1, 30, 2)]


def test_numbers_of_lists_and_raised_figures_are_shown():
    numbered = '<a:pPr><a:buAutoNum type="{}"/></a:pPr>'
    said = read(
        deck(
            slide(
                shape(
                    paragraph("one", numbered.format("arabicPeriod")),
                    paragraph("two", numbered.format("arabicPeriod")),
                ),
                shape(paragraph("a", numbered.format("alphaLcParenBoth")), "not a bullet"),
                shape("<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline='30000'/><a:t>6</a:t></a:r></a:p>"),
            )
        ),
        "pptx",
    )
    assert said.text == "1. one\n2. two\n\n(a) a\n\nnot a bullet\n\n10^6"


def test_hidden_slides_and_broken_ones_are_left_out_and_counted():
    said = read(deck(slide(shape("One")), slide(shape("Two"), show='show="0"'), "<broken"), "pptx")
    assert said.text == "One"
    assert said.left_out == {"hidden slide": 1, "broken part": 1}


def test_groups_within_groups_without_end_are_bounded():
    deep = "<p:grpSp>" * 150 + shape("deep") + "</p:grpSp>" * 150
    assert read(deck(slide(shape("One"), deep)), "pptx").text == "One"


CONTAINER = (
    '<container xmlns="c"><rootfiles><rootfile full-path="OEBPS/Content.opf"/></rootfiles></container>'
)


def book(**chapters):
    items = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>'
        for name in chapters
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    opf = (
        '<package xmlns="o" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>The Mill</dc:title>"
        f"<dc:creator>Ann Holm</dc:creator></metadata><manifest>{items}"
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>'
        f'<spine><itemref idref="nav"/>{spine}</spine></package>'
    )
    parts = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/Content.opf": opf,
        "OEBPS/nav.xhtml": "<p>Contents</p>",
    }
    return zipped(
        parts | {f"OEBPS/text/{name}.xhtml": content for name, content in chapters.items() if content}
    )


def test_a_book_is_its_chapters_in_order():
    page = '<?xml version="1.0" encoding="{}"?><html><body><h1>{}</h1><p>{}</p></body></html>'
    said = read(
        book(b=page.format("utf-8", "Two", "Later."), a=page.format("utf-8", "One", "Größe."), c=""), "epub"
    )
    assert said.text == "# Two\n\nLater.\n\n# One\n\nGröße."
    assert (said.title, dict(said.metadata)) == ("The Mill", {"author": "Ann Holm"})
    assert said.left_out == {"table of contents": 1, "missing chapter": 1}


@pytest.mark.parametrize(
    ("form", "data", "reason"),
    [
        ("epub", zipped({"a.txt": "text"}), "it has no list of chapters"),
        ("epub", b"\0no zip", "it is not a zip archive"),
        (
            "epub",
            zipped({"META-INF/encryption.xml": "<e/>", "META-INF/rights.xml": "<r/>"}),
            "protected against copying",
        ),
        ("pptx", zipped({"a.txt": "text"}), "it has no list of slides"),
        ("pptx", b"\0no zip", "it is not a zip archive"),
        ("pptx", zipped({"a.xml": "0" * 70_000_000}), "a zip bomb"),
        ("ipynb", b'{"cells": 3}', "it has no cells"),
        ("ipynb", b"[" * 100_000, "it has no cells"),
        ("mhtml", b"Subject: x\n\nText.", "it contains no page"),
    ],
)
def test_what_is_not_such_a_file_says_so(form, data, reason):
    with pytest.raises(DocumentUnreadable, match=reason):
        read(data, form)


def test_a_notebook_is_its_texts_its_code_and_what_the_code_wrote():
    table = "<table><tr><th>Mill</th><th>Rent</th></tr><tr><td>Wind</td><td>430</td></tr></table>"
    cells = [
        {"cell_type": "markdown", "source": ["# Rents\n", "\n", "Of two mills."]},
        {
            "cell_type": "code",
            "source": "print(1 + 1)",
            "outputs": [
                {"output_type": "stream", "text": ["2\n"]},
                {"output_type": "execute_result", "data": {"text/html": table, "text/plain": "Mill Rent"}},
                {"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure>"}},
                {"output_type": "error", "traceback": ["secret"]},
            ],
        },
    ]
    said = read(json.dumps({"cells": cells, "nbformat": 4}).encode(), "ipynb")
    assert said.text == (
        "# Rents\n\nOf two mills.\n\n```\nprint(1 + 1)\n```\n\n```\n2\n```\n\n"
        "| Mill | Rent |\n| --- | --- |\n| Wind | 430 |"
    )
    assert said.title == "Rents"
    assert said.left_out == {"picture": 1, "error message": 1}


def test_an_archive_of_a_web_page_is_the_page():
    message = EmailMessage()
    message["Subject"], message["From"] = "The page", "<Saved by Blink>"
    message.set_content(
        "<html><head><title>Rents</title></head><body><p>The rent is 430 euros.</p></body></html>",
        subtype="html",
    )
    message.add_related(b"GIF89a", "image", "gif", cid="<a>")
    said = read(message.as_bytes(), "mhtml")
    assert (said.text, said.title) == ("The rent is 430 euros.", "Rents")


def places_in(said, form, *quotes):
    """Return where quotes stand, in words."""
    known = place_map(said.text, said.places, form).cut(0, len(said.text))
    return [place_of(known, at := said.text.index(quote), at + 3).words for quote in quotes]


def test_a_place_in_an_archive_of_a_web_page_is_its_section_or_paragraph():
    message = EmailMessage()
    message.set_content("<p>Intro.</p><p>Second.</p><h1>Rents</h1><p>Wind 410.</p>", subtype="html")
    message.add_related(b"GIF89a", "image", "gif", cid="<a>")
    said = read(message.as_bytes(), "mhtml")
    assert places_in(said, "mhtml", "Second", "Wind") == ["paragraph 2", "section Rents"]


ODT = (
    '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:style="s" xmlns:dc="d" '
    'xmlns:draw="w"><office:automatic-styles><style:style style:name="Up"><style:text-properties '
    'style:text-position="super 58%"/></style:style><text:list-style style:name="L">'
    '<text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/>'
    '<text:list-level-style-number text:level="2" '
    'style:num-prefix="(" style:num-suffix=")" style:num-format="a"/></text:list-style>'
    "</office:automatic-styles>"
    "<office:body><office:text>{}</office:text></office:body></office:document-content>"
)


def odt(*parts):
    return zipped(
        {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": ODT.format("".join(parts))}
    )


def test_a_place_in_an_open_document_text_is_its_section_or_paragraph():
    heading = '<text:h text:outline-level="1">Rents</text:h>'
    said = read(
        odt("<text:p>Intro.</text:p><text:p>Second.</text:p>", heading, "<text:p>Wind 410.</text:p>"), "odt"
    )
    assert places_in(said, "odt", "Second", "Wind") == ["paragraph 2", "section Rents"]


def test_an_open_document_text_has_headings_numbers_notes_and_powers():
    def item(text, more=""):
        return f"<text:list-item><text:p>{text}</text:p>{more}</text:list-item>"

    inner = f"<text:list>{item('deep')}{item('deeper')}</text:list>"
    said = read(
        odt(
            '<text:h text:outline-level="2">The <text:span>lease</text:span></text:h>',
            f'<text:list text:style-name="L">{item("one", inner)}{item("two")}</text:list>',
            '<text:p>It costs 10<text:span text:style-name="Up">6</text:span><text:s text:c="2"/>euros'
            "<text:note><text:note-citation>1</text:note-citation>"
            "<text:note-body><text:p>Without tax.</text:p></text:note-body></text:note>.</text:p>",
            f"<text:list>{item('plain')}</text:list>",
        ),
        "odt",
    )
    assert said.text == (
        "## The lease\n\n1. one\n\n  (a) deep\n\n  (b) deeper\n\n2. two\n\nIt costs 10^6 euros[1].\n\n"
        "[1] Without tax.\n\n- plain"
    )


def test_a_table_of_an_open_document_text_has_its_merged_cells():
    def row(*cells):
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    def cell(text, spans=""):
        return f"<table:table-cell {spans}><text:p>{text}</text:p></table:table-cell>"

    said = read(
        odt(
            "<table:table><table:table-header-rows>",
            row(
                cell("Mill"), cell("Rent", 'table:number-columns-spanned="2"'), "<table:covered-table-cell/>"
            ),
            "</table:table-header-rows>",
            row(cell("Wind", 'table:number-rows-spanned="2"'), cell("410"), cell("430")),
            row("<table:covered-table-cell/>", cell("411", 'table:number-columns-repeated="2"')),
            "</table:table>",
        ),
        "odt",
    )
    assert (
        said.text == "| Mill | Rent | Rent |\n| --- | --- | --- |\n| Wind | 410 | 430 |\n| Wind | 411 | 411 |"
    )


def places_of(said, form, *quotes):
    known = place_map(said.text, said.places, form).cut(0, len(said.text))
    found = [place_of(known, said.text.index(quote), said.text.index(quote) + len(quote)) for quote in quotes]
    return [place.words if place else "" for place in found]


def test_a_place_in_a_book_is_its_chapter():
    page = "<html><head><title>{}</title></head><body>{}</body></html>"
    said = read(
        book(
            a=page.format("Mills", "<p>Before.</p>"),
            b=page.format(
                "x", "<h2>One</h2><p>First.</p><h3>Deep</h3><p>Deeper.</p><h2>Two</h2><p>Last.</p>"
            ),
        ),
        "epub",
    )
    assert places_of(said, "epub", "Before.", "First.", "Deeper.", "Last.") == [
        "chapter Mills",
        "chapter One",
        "chapter One",
        "chapter Two",
    ]


def test_a_place_in_a_notebook_is_its_cell():
    cells = [{"cell_type": "markdown", "source": "One."}, {"cell_type": "code", "source": ""}]
    cells.append({"cell_type": "code", "source": "two", "outputs": [{"text": "three"}]})
    said = read(json.dumps({"cells": cells}).encode(), "ipynb")
    assert places_of(said, "ipynb", "One.", "two", "three") == ["cell 1", "cell 3", "cell 3"]


def test_headings_of_an_open_document_text_have_their_numbers():
    style = (
        '<text:outline-level-style text:level="{0}" style:num-format="{1}" style:num-suffix="{2}" '
        'text:display-levels="{0}"/>'
    )
    levels = style.format(1, "1", ".") + style.format(2, "a", ")")
    styles = f'<a xmlns:text="t" xmlns:style="s"><text:outline-style>{levels}</text:outline-style></a>'
    heading = '<text:h text:outline-level="{}" {}>{}</text:h>'
    body = "".join(
        heading.format(*each)
        for each in [
            (1, "", "Rents"), (2, "", "Of 2023"), (2, "", "Of 2024"), (1, "", "Tax"), (2, "", "Late"),
            (2, 'text:is-list-header="true"', "Plain"), (3, "", "Deep"),
        ]
    )  # fmt: skip
    content = {"content.xml": ODT.format(body), "styles.xml": styles}
    said = read(zipped({"mimetype": "application/vnd.oasis.opendocument.text", **content}), "odt")
    assert said.text.split("\n\n") == [
        "# 1. Rents", "## 1.a) Of 2023", "## 1.b) Of 2024", "# 2. Tax", "## 2.a) Late", "## Plain",
        "### Deep",
    ]  # fmt: skip


def test_pages_of_old_books_are_read_and_each_once():
    items = {"a": "application/xhtml+xml", "b": "text/x-oeb1-document", "c": "image/svg+xml"}
    manifest = "".join(
        f'<item id="{n}" href="{n}.html#top" media-type="{kind}"/>' for n, kind in items.items()
    )
    spine = "".join(f'<itemref idref="{n}"/>' for n in "cabac")
    opf = f'<package xmlns="o"><manifest>{manifest}</manifest><spine>{spine}</spine></package>'
    pages = {f"OEBPS/{n}.html": f"<p>Page {n}.</p>" for n in items}
    said = read(zipped({"META-INF/container.xml": CONTAINER, "OEBPS/Content.opf": opf, **pages}), "epub")
    assert said.text == "Page a.\n\nPage b."
    assert said.left_out == {"page that is a picture": 1}


def test_the_mark_of_a_note_in_a_book_belongs_to_the_sentence_before_it():
    page = '<html><body><p>In 1771.<a epub:type="noteref">1</a></p></body></html>'
    assert read(book(a=page), "epub").text == "In 1771.[1]"
