"""A file of each kind, and a question that only one place in it answers."""

import shutil
from pathlib import Path
from typing import NamedTuple

from doubles.files import sheet_rows, workbook

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


class AskedFile(NamedTuple):
    name: str  # of the file
    question: str
    told: str  # what the answer says
    quote: str  # what it cites,
    place: str | None  # where that stands, in words,
    printed: str = ""  # and what its page has there


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
}


def write_asked_files(folder: Path) -> Path:
    """Write them all into a folder, and return it."""
    for asked in ASKED_FILES.values():
        for found in _CASES.rglob(asked.name):
            shutil.copy(found, folder)
    (folder / "fares.html").write_text(_FARES, encoding="utf-8")
    (folder / "rents.md").write_text(_RENTS, encoding="utf-8")
    (folder / "loans.xlsx").write_bytes(workbook({"Draft": _LOANS, "Loans": _LOANS}, hidden=["Draft"]))
    (folder / "visitors.csv").write_text(_VISITORS, encoding="utf-8")
    return folder
