"""PDFs of kinds that are hard to read, which `bench/made_pdfs.py` had other programs make."""

import json
import re
from pathlib import Path

import pytest
from doubles.files import pdf_page

from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.pdf.reader import read
from workers.ingest.reading.read import read_text
from workers.ingest.reading.stored_text import stored_text

MADE = Path(__file__).resolve().parents[3] / "data" / "reading" / "made"


def read_back(name):
    """Return (text, what is true of it)."""
    text, _places = stored_text(read((MADE / f"{name}.pdf").read_bytes(), {}))
    return text, json.loads((MADE / f"{name}.pdf.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["rtl-0", "rtl-3", "vertical-0", "vertical-3", "heads-2"])
def test_paragraphs_are_read_whole_and_in_order(name):
    text, truth = read_back(name)
    places = [text.find(paragraph) for paragraph in truth["text"]]
    assert -1 not in places
    assert places == sorted(places)


def test_a_font_that_is_not_in_the_file_may_be_missing():
    """The process that reads a file may not read the fonts of the system."""
    params = DocumentParams(uri="vertical-3.pdf", source="vertical-3.pdf", format="pdf")
    confined = read_text(DocumentFile.of((MADE / "vertical-3.pdf").read_bytes()), params, Limits()).text
    assert confined == read_back("vertical-3")[0]


def test_a_running_head_is_said_once():
    text, truth = read_back("heads-2")
    said = [re.sub(r"[\d ]+", " ", line) for line in text.split("\n")]
    for head in truth["furniture"]:
        assert said.count(re.sub(r"[\d ]+", " ", head)) <= 1


@pytest.mark.parametrize("name", ["tables-1", "tables-2"])
def test_a_table_without_rules_has_its_rows_and_columns(name):
    text, truth = read_back(name)
    head, _rule, *rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in text.split("\n")
        if line.startswith("|")
    ]
    found = [[row[0], name, value] for row in rows for name, value in zip(head[1:], row[1:], strict=True)]
    wanted = truth["tables"][0]["triples"]
    assert [triple for triple in wanted if triple not in found] == []


@pytest.mark.parametrize("name", ["boxed-1", "boxed-2"])
def test_the_boxes_of_a_form_hold_a_label_and_its_value_or_a_letter_each(name):
    text, truth = read_back(name)
    for label, value in truth["fields"]:
        assert f"{label} {value}" in text


@pytest.mark.parametrize("name", ["equations-2", "floats-3", "tagged-1"])
def test_what_stands_between_and_beside_paragraphs_does_not_part_them(name):
    text, truth = read_back(name)
    for paragraph in truth["text"]:
        if len(paragraph) > 60:
            assert paragraph in text


def test_a_scale_of_boxes_stays_one():
    boxes = " ".join(f"{100 + 20 * n} 590 20 20 re S" for n in range(5))
    signs = " ".join(f"BT /F1 12 Tf {106 + 20 * n} 595 Td ({n + 1}) Tj ET" for n in range(5))
    text, _places = stored_text(read(pdf_page(f"{boxes} {signs}"), {}))
    assert text.split() == ["1", "2", "3", "4", "5"]


def test_each_value_of_a_form_follows_its_label():
    text, truth = read_back("fields-2")
    for label, value in truth["fields"]:
        assert f"{label}: {value}" in text
    assert "[x] Pets allowed" in text
    assert "[x] Deposit paid" not in text
