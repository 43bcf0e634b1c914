"""A file of each kind, and a question that only one place in it answers."""

import shutil
from pathlib import Path
from typing import NamedTuple

from doubles.files import archive, pdf_page, sheet_rows, workbook
from doubles.scans import picture_of, scan_of

_CASES = Path(__file__).parents[1] / "data" / "reading"
_FARES = """<!DOCTYPE html><meta charset="utf-8"><title>Ferry fares</title>
<p>The fares of the ferry, in pence.</p>
<table>
<tr><th>Season</th><th>Traveller</th><th>Fare</th></tr>
<tr><td rowspan="2">Summer</td><td>Walker</td><td>35</td></tr>
<tr><td>Rider</td><td>85</td></tr>
<tr><td>Winter</td><td>Walker</td><td>45</td></tr>
</table>
"""
_RENTS = """# Rents

| Mill | Rent in 2023 | Rent in 2024 |
| --- | --- | --- |
| River mill | 880 euros | 900 euros |
| Wind mill | 410 euros | 430 euros |
"""
_LOANS = sheet_rows(
    ("Loans of the savings bank",),
    ("Borrower", "Loan in 2021", "Interest"),
    ("Bakery", 70000, (0.035, 1)),
    ("Brewery", 52000, (0.041, 1)),
    first="B2",
)
_VISITORS = "Museum;Visitors in 2021;Entry fee\nClock museum;18200;4,50\nGlass museum;9100;3,20\n"

_LIGHTS = """Keepers
=======

+------------+-------------+---------------+
| Lighthouse | Keeper 1901 | Height metres |
+============+=============+===============+
| Karsund    | Ada Holm    | 31            |
+------------+-------------+---------------+
| Ostervik   | Bo Lind     | 44            |
+------------+-------------+---------------+
"""
_KILNS = r"""\begin{document}
\section{Kilns}
The kiln of Marlow was fired by Nora Quist in 1788.
\end{document}
"""
_QUARRIES = r"{\rtf1\ansi The quarry of Thornfield was opened by Finn Moor in 1844.\par}"
_FURNACE = (
    """{"cells": [{"cell_type": "markdown", "source": "The furnace of Dalby was lit by Eva Rye in 1862."}]}"""
)
_TANNERY = """From: Gro Vik <gro@x.invalid>
Subject: The tannery
Message-ID: <1@x.invalid>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

The tannery of Selby was sold by Gro Vik in 1877.
--b
Content-Type: text/plain
Content-Disposition: attachment; filename=deed.txt

The deed of Selby was signed by Hans Strand in 1878.
--b--
"""
_LANTERN = """From: <Saved by Blink>
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary=b

--b
Content-Type: text/html; charset=utf-8

<title>Lanterns</title><p>The lantern of Orwick was cast by Dan Abel in 1866.</p>
--b--
"""
_TOLL = """# The toll of the Lindow ferry was set by Ida Kern in 1893.
def toll(crossings):
    return 4 * crossings
"""
_BARGE = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
    "<text:p>The barge of Tilford was built by Greta Hahn in 1851.</text:p>"
    "</office:text></office:body></office:document-content>"
)
_OFFICE = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
_TABLE = 'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
_SAID = 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'


def _row(*texts: str) -> str:
    cells = (
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
        for text in texts
    )
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


_WHARVES = (
    f"<office:document-content {_OFFICE} {_TABLE} {_SAID}>"
    '<office:body><office:spreadsheet><table:table table:name="Wharves">'
    + _row("Wharf", "Warden in 1833", "Depth")
    + _row("Linwood wharf", "Ida Moss", "9")
    + _row("Harrow wharf", "Per Dahl", "7")
    + "</table:table></office:spreadsheet></office:body></office:document-content>"
)
_OPEN_SHEETS = {
    "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
    "META-INF/manifest.xml": '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
}
_TEXTS = {
    "lantern.mhtml": _LANTERN,
    "toll.py": _TOLL,
    "fares.html": _FARES,
    "rents.md": _RENTS,
    "visitors.csv": _VISITORS,
    "lights.rst": _LIGHTS,
    "bridges.adoc": "= Bridges\n\nThe Ostrava bridge was built by Clara Voss in 1911.\n",
    "canals.org": "* Canals\nThe Vellberg canal was dug by Hugo Paz in 1823.\n",
    "kilns.tex": _KILNS,
    "quarries.rtf": _QUARRIES,
    "furnace.ipynb": _FURNACE,
    "tannery.eml": _TANNERY,
}


class AskedFile(NamedTuple):
    name: str  # of the file
    question: str
    told: str  # what the answer says
    quote: str  # what it cites,
    place: str | None  # where that stands, in words,
    printed: str = ""  # and what its page has there
    is_picture: bool = False  # whether that is a picture


ASKED_FILES = {
    "pdf-table": AskedFile(
        "tables-1.pdf",
        "What is the tax of Elmstead?",
        "71,500",
        "| Elmstead | Greta Hahn | 19,658 | 31,476 | 80,940 | 71,500 |",
        "page 1, table 1, row Elmstead",
        printed="71,500",
    ),
    "pdf-columns": AskedFile(
        "pdf-columns-interleaved-and-glued.pdf",
        "Who built the wind mill?",
        "Ben Cole",
        "The wind mill was built in 1840 by Ben Cole.",
        "page 1",
        printed="The wind mill was built in 1840 by Ben Cole.",
    ),
    "pdf-form": AskedFile(
        "pdf-form-values-lost.pdf",
        "What is the monthly rent in euros?",
        "900",
        "Monthly rent in euros: 900",
        "page 1",
        printed="Monthly rent",
    ),
    "scan": AskedFile(
        "lighthouse.pdf",
        "When was the lighthouse of Skarholm lit first?",
        "1871",
        "The lighthouse of Skarholm was lit first in 1871.",
        "page 1",
        is_picture=True,
    ),
    "picture": AskedFile(
        "harbour.png",
        "Who dredged the harbour of Vestvik?",
        "Olga Lind",
        "The harbour of Vestvik was dredged in 1904 by Olga Lind.",
        "page 1",
        is_picture=True,
    ),
    "docx-clause": AskedFile(
        "docx-legal-numbering.docx",
        "Which late fee applies?",
        "clause 2.1(b)",
        "2.2 A late fee applies under clause 2.1(b).",
        None,
    ),
    "docx-merged-cells": AskedFile(
        "docx-vmerge.docx",
        "How many units of hub are there in region north?",
        "7",
        "| North | Hub | 7 |",
        "table 1, row North",
    ),
    "html-table": AskedFile(
        "fares.html",
        "What is the fare of a rider in summer?",
        "85",
        "| Summer | Rider | 85 |",
        "table 1, row Summer",
    ),
    "markdown-table": AskedFile(
        "rents.md",
        "What is the rent in 2024 of the wind mill?",
        "430",
        "| Wind mill | 410 euros | 430 euros |",
        "line 6, table 1, row Wind mill",
    ),
    "xlsx": AskedFile(
        "loans.xlsx",
        "What is the loan in 2021 of the brewery?",
        "52000",
        "| Brewery | 52000 | 0.041 (4.1%) |",
        "Loans!B5:D5, row Brewery",
    ),
    "csv": AskedFile(
        "visitors.csv",
        "How many visitors in 2021 did the Glass museum have?",
        "9100",
        "| Glass museum | 9100 | 3,20 |",
        "cell A3:C3, row Glass museum",
    ),
    "xls": AskedFile(
        "tolls.xls",
        "What is the toll in 1850 of the Ashby bridge?",
        "12.5",
        "| Ashby bridge | $12.5 | 0.07 (7%) |",
        "Tolls!A3:C3, row Ashby bridge",
    ),
    "ods": AskedFile(
        "wharves.ods",
        "Who was the warden in 1833 of the Harrow wharf?",
        "Per Dahl",
        "| Harrow wharf | Per Dahl | 7 |",
        "Wharves!A3:C3, row Harrow wharf",
    ),
    "pptx": AskedFile(
        "fees.pptx",
        "What is the fee in 2024 of the ash kiln?",
        "315",
        "| Ash kiln | 300 | 315 |",
        "slide 1, table 1, row Ash kiln",
    ),
    "epub": AskedFile(
        "letters.epub",
        "Until when is the tide mill let?",
        "2031",
        "The tide mill is let until 2031.",
        "chapter Second letter",
    ),
    "msg": AskedFile(
        "plain.msg",
        "Was beträgt die Miete der Flussmühle?",
        "910",
        "die Miete der Flussmühle beträgt ab Mai 910 Euro.",
        "message body",
    ),
    "eml": AskedFile(
        "tannery.eml",
        "Who sold the tannery of Selby?",
        "Gro Vik",
        "The tannery of Selby was sold by Gro Vik in 1877.",
        "message body",
    ),
    "attachment": AskedFile(
        "deed.txt",
        "Who signed the deed of Selby?",
        "Hans Strand",
        "The deed of Selby was signed by Hans Strand in 1878.",
        "attachment deed.txt, line 1",
    ),
    "ipynb": AskedFile(
        "furnace.ipynb",
        "Who lit the furnace of Dalby?",
        "Eva Rye",
        "The furnace of Dalby was lit by Eva Rye in 1862.",
        "cell 1",
    ),
    "rst": AskedFile(
        "lights.rst",
        "What is the Keeper 1901 of Ostervik?",
        "Bo Lind",
        "| Ostervik | Bo Lind | 44 |",
        "section Keepers, line 9, table 1, row Ostervik",
    ),
    "adoc": AskedFile(
        "bridges.adoc",
        "Who built the Ostrava bridge?",
        "Clara Voss",
        "The Ostrava bridge was built by Clara Voss in 1911.",
        "section Bridges, line 3",
    ),
    "org": AskedFile(
        "canals.org",
        "Who dug the Vellberg canal?",
        "Hugo Paz",
        "The Vellberg canal was dug by Hugo Paz in 1823.",
        "section Canals, line 2",
    ),
    "tex": AskedFile(
        "kilns.tex",
        "Who fired the kiln of Marlow?",
        "Nora Quist",
        "The kiln of Marlow was fired by Nora Quist in 1788.",
        "section Kilns, line 3",
    ),
    "mhtml": AskedFile(
        "lantern.mhtml",
        "Who cast the lantern of Orwick?",
        "Dan Abel",
        "The lantern of Orwick was cast by Dan Abel in 1866.",
        "paragraph 1",
    ),
    "code": AskedFile(
        "toll.py",
        "Who set the toll of the Lindow ferry?",
        "Ida Kern",
        "# The toll of the Lindow ferry was set by Ida Kern in 1893.\ndef toll(crossings):",
        "function toll, line 1",
    ),
    "odt": AskedFile(
        "barge.odt",
        "Who built the barge of Tilford?",
        "Greta Hahn",
        "The barge of Tilford was built by Greta Hahn in 1851.",
        "paragraph 1",
    ),
    "rtf": AskedFile(
        "quarries.rtf",
        "Who opened the quarry of Thornfield?",
        "Finn Moor",
        "The quarry of Thornfield was opened by Finn Moor in 1844.",
        "paragraph 1",
    ),
}


def _printed_page(sentence: str) -> bytes:
    return pdf_page(f"BT /F1 14 Tf 72 680 Td ({sentence}) Tj ET")


def write_asked_files(folder: Path) -> Path:
    """Write them all into a folder, and return it."""
    for asked in ASKED_FILES.values():
        for found in _CASES.rglob(asked.name):
            shutil.copy(found, folder)
    scanned = [(_printed_page(asked.quote), 1) for asked in ASKED_FILES.values() if asked.is_picture]
    (folder / "lighthouse.pdf").write_bytes(scan_of(scanned[:1]))
    picture_of(scanned[1]).save(folder / "harbour.png", dpi=(150, 150))
    (folder / "loans.xlsx").write_bytes(workbook({"Draft": _LOANS, "Loans": _LOANS}, hidden=["Draft"]))
    (folder / "wharves.ods").write_bytes(archive(_OPEN_SHEETS | {"content.xml": _WHARVES}))
    (folder / "barge.odt").write_bytes(archive({"content.xml": _BARGE}))
    for name, text in _TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
