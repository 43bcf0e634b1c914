"""Small Word files, one for each thing that readers get wrong: what must come out."""

from pathlib import Path

import pytest

from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.docx.document import read
from workers.ingest.reading.read import read_text

FILES = Path(__file__).parents[3] / "data/reading"
TEXTS = {
    "altchunk": "Before.\n\nAfter.",
    "chart": "Before.\n\nFlour in tonnes\n\nAfter.",
    "comment": "The rent is 900 euros.\n\nComment by x: Check this number with the owner.",
    "document2": "The mill was built in 1771.",
    "equation-frac-without-fPr": "The rule is $x^{2}=9$ for all mills.\n\nThe share is $\\frac{1}{2}$.",
    "equation-integral-without-chr": "The rule is $x^{2}=9$ for all mills.\n\nThe sum is $\\int_{0}^{1} f$.",
    "header-only-fact": "The rent is 900 euros.\n\nPage header: Contract No. 4711 of 3 May 2024",
    "heading-numbering": "# Mill lease\n\n# Article 1 Rent\n\nRent is 900 euros.\n\n# Article 2 Repairs\n\n"
    "See Article 1 for the rent.",
    "legal-numbering": "1. Definitions\n\n  1.1 The Lessor owns the mill.\n\n  1.2 The Lessee pays rent.\n\n"
    "2. Payment\n\n  2.1 Rent is due monthly.\n\n    (a) by transfer;\n\n    (b) by cheque.\n\n"
    "  2.2 A late fee applies under clause 2.1(b).",
    "linked-image-embed-external": "The mill was built in 1771.\n\nPicture: a logo\n\nIt burned in 1802.",
    "linked-image-missing-part": "The mill was built in 1771.\n\nPicture: a logo\n\nIt burned in 1802.",
    "moved-text-lost": "The mill was built in 1771.\n\nThe roof is covered with slate.",
    "numbering-starts-at-5": "Rules go on from the first part.\n\n5. The fifth rule forbids fire.\n"
    "6. The sixth rule forbids noise.",
    "pipes-in-cells": "| Key | Value |\n| --- | --- |\n| a\\|b | c\\d |\n| *x* | _y_ # z |\n\n"
    "1. Not a list 2024. * star _under_ `tick` <tag> [x](y)",
    "ruby": "東京タワーは1958年に完成した。",
    "simple-field-lost": "The lease ends on 3 May 2024.",
    "superscript-power": "The tank holds 10^6 litres of H_2O and weighs 4.5 × 10^-3 tonnes. "
    "The fee is 250[3] euros.",
    "textbox-no-fallback": "Before.\n\nBoxed fact: the mill has 3 floors.\n\nAfter.",
    "title-is-markup": "- Apples\n- Bananas",
    "title-is-table-row": "| Region | Units |\n| --- | --- |\n| North | 12 |\n\n"
    "The count was checked by Ben Cole.",
    "title-style-ignored": "# The mills of Hallow\n\n# Abstract\n\nThe river mill was built in 1771.",
    "vmerge": "Prices by region.\n\n| Region | Product | Units |\n| --- | --- | --- |\n"
    "| North | Cable | 12 |\n"
    "| North | Hub | 7 |\n| South | Cable | 3 |",
}
TITLES = {"heading-numbering": "Mill lease", "title-style-ignored": "The mills of Hallow"}
LEFT_OUT = {
    "altchunk": {"imported document": 1},
    "ruby": {"reading beside characters": 1},
}


@pytest.mark.parametrize("case", sorted(TEXTS))
def test_a_word_file_is_read_as_word_shows_it(case):
    path = FILES / f"docx-{case}.docx"
    data = path.read_bytes()
    params = DocumentParams(uri=path.name, source="x", format="docx")
    assert read_text(DocumentFile.of(data), params, Limits()).text == TEXTS[case]
    reading = read(data, {})
    assert reading.title == TITLES.get(case, "")
    assert reading.left_out == LEFT_OUT.get(case, {})


def test_there_is_a_text_for_each_word_file():
    assert sorted(path.stem.removeprefix("docx-") for path in FILES.glob("*.docx")) == sorted(TEXTS)
