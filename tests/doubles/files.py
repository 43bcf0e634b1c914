"""Small office files and PDFs made in memory, good ones and bad ones."""

import io
import zipfile
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
    'officeDocument" Target="word/document.xml"/></Relationships>'
)
_PREFIXES = (
    " ".join(
        f'xmlns:{prefix}="http://schemas.openxmlformats.org/{space}"'
        for prefix, space in {
            "w": "wordprocessingml/2006/main",
            "m": "officeDocument/2006/math",
            "r": "officeDocument/2006/relationships",
            "a": "drawingml/2006/main",
            "c": "drawingml/2006/chart",
            "dgm": "drawingml/2006/diagram",
            "wp": "drawingml/2006/wordprocessingDrawing",
            "mc": "markup-compatibility/2006",
        }.items()
    )
    + ' xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)
_PARTS_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def docx(*paragraphs: str, repeat: int = 1) -> bytes:
    """A Word document of these paragraphs, all of them `repeat` times."""
    return word("".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs) * repeat)


def word(body: str, **parts: str) -> bytes:
    """A Word document of a body in XML and of parts, each what stands inside of its root.

    A part is named by its kind, with a number where there are several (header, header2, chart): the document
    refers to it by this name.
    """
    kinds = {part: part.rstrip("0123456789") for part in parts}
    relations = _relations({part: (kind, f"{part}.xml") for part, kind in kinds.items()})
    return archive(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": _RELATIONS,
            "word/_rels/document.xml.rels": relations,
            "word/document.xml": f"<w:document {_PREFIXES}><w:body>{body}</w:body></w:document>",
            **{
                f"word/{part}.xml": f"<w:root {_PREFIXES}>{inside}</w:root>" for part, inside in parts.items()
            },
        }
    )


def archive(entries: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name, content)
    return buffer.getvalue()


def pdf(text: str, trailer: str = "", *, title: str = "", headline: tuple[str, ...] = ()) -> bytes:
    """A PDF of one page: a headline under a running head, where there is one, and a line of text."""
    large = " ".join(f"BT /F1 20 Tf 72 {740 - 24 * n} Td ({line}) Tj ET" for n, line in enumerate(headline))
    head = f"BT /F1 9 Tf 72 770 Td (Journal of Engines 7) Tj ET {large}" if headline else ""
    return pdf_page(f"{head} BT /F1 12 Tf 72 600 Td ({text}) Tj ET", trailer, title=title)


def pdf_page(
    content: str,
    trailer: str = "",
    *,
    title: str = "",
    page: str = "/MediaBox [0 0 612 792]",
    more: tuple[str, ...] = (),
) -> bytes:
    """A PDF of one page with this content in Helvetica as F1; `more` are objects from number 7 on."""
    resources = "/Font << /F1 5 0 R >> /XObject << /X 7 0 R >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << {resources} >> {page} >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({title}) >>",
        *more,
    ]
    return _pdf_of(objects, f"/Info 6 0 R {trailer}")


def pdf_pages(contents: Sequence[str]) -> bytes:
    """A PDF with a page for each of these contents, in Helvetica as F1."""
    kids = " ".join(f"{number} 0 R" for number in range(4, 4 + 2 * len(contents), 2))
    page = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for content in contents:
        objects += [
            f"<< /Type /Page /Parent 2 0 R /Contents {len(objects) + 2} 0 R {page} >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    return _pdf_of(objects)


def _pdf_of(objects: Sequence[str], trailer: str = "") -> bytes:
    """A PDF of these objects, the first of which is its catalog."""
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table, count = len(out), len(objects) + 1
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += f"xref\n0 {count}\n0000000000 65535 f \n{rows}"
    out += f"trailer << /Size {count} /Root 1 0 R {trailer} >>\n"
    return (out + f"startxref\n{table}\n%%EOF").encode("latin-1")


def locked_pdf() -> bytes:
    """A PDF that asks for a password."""
    owner, user, identity = "a" * 32, "b" * 32, "c" * 16
    encryption = f"<< /Filter /Standard /V 1 /R 2 /O ({owner}) /U ({user}) /P -4 >>"
    return pdf("secret", f"/Encrypt {encryption} /ID [({identity})({identity})]")


_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_HIDDEN = ' state="hidden"'
_FORMATS = ("General", "0%", '#,##0.00\\ "€"', "_($* #,##0_)", "yyyy\\-mm\\-dd", '0.0,"k"')


def workbook(sheets: Mapping[str, str], *, hidden: Collection[str] = (), **parts: str) -> bytes:
    """An .xlsx of sheets, each what stands in its <worksheet>: `sheet_rows` and what may follow.

    Args:
        sheets: by their names.
        hidden: the names of those that are not shown.
        parts: XML of further parts by kind, as the first sheet refers to them (comments).
    """
    named = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="s{n}"{_HIDDEN if name in hidden else ""}/>'
        for n, name in enumerate(sheets, 1)
    )
    formats = "".join(
        f'<numFmt numFmtId="{170 + n}" formatCode={quoteattr(code)}/>' for n, code in enumerate(_FORMATS)
    )
    styles = "".join(f'<xf numFmtId="{170 + n}" fontId="0"/>' for n, _code in enumerate(_FORMATS))
    of_book = {f"s{n}": ("worksheet", f"sheet{n}.xml") for n, _name in enumerate(sheets, 1)}
    return archive(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": _RELATIONS.replace("word/document.xml", "xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_PARTS_TYPE}">'
            f"<sheets>{named}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": _relations({**of_book, "styles": ("styles", "styles.xml")}),
            "xl/styles.xml": f'<styleSheet xmlns="{_SHEET}"><numFmts>{formats}</numFmts>'
            f"<fonts><font/><font><b/></font></fonts><cellXfs>{styles}"
            '<xf numFmtId="0" fontId="1"/></cellXfs></styleSheet>',
            **{
                f"xl/sheet{n}.xml": f'<worksheet xmlns="{_SHEET}">{inside}</worksheet>'
                for n, inside in enumerate(sheets.values(), 1)
            },
            "xl/_rels/sheet1.xml.rels": _relations({part: (part, f"{part}.xml") for part in parts}),
            **{f"xl/{part}.xml": inside for part, inside in parts.items()},
        }
    )


BOLD = len(_FORMATS)  # the style of bold text; those before it are number formats


def sheet_rows(*rows: Sequence[object], first: str = "A1", merged: Sequence[str] = ()) -> str:
    """The rows of a sheet from a cell on: texts, numbers, truth values, (value, style); None for no cell."""
    letter, top = ord(first[0]), int(first[1:])
    lines = []
    for row, values in enumerate(rows, top):
        cells = "".join(_cell(f"{chr(letter + n)}{row}", value) for n, value in enumerate(values))
        lines.append(f'<row r="{row}">{cells}</row>')
    ranges = "".join(f'<mergeCell ref="{area}"/>' for area in merged)
    return f"<sheetData>{''.join(lines)}</sheetData>" + (
        f"<mergeCells>{ranges}</mergeCells>" if merged else ""
    )


def _cell(at: str, value: Any) -> str:
    value, style = value if isinstance(value, tuple) else (value, 0)
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{at}" s="{style}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    kind = ' t="b"' if isinstance(value, bool) else ""
    return f'<c r="{at}" s="{style}"{kind}><v>{+value}</v></c>'


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    inside = "".join(
        f'<Relationship Id="{name}" Type="{_PARTS_TYPE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{inside}</Relationships>'
