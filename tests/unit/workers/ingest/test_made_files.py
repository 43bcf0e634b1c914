"""Files of other programs (tests/data/reading/made): all that they are known to say is read."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

MADE = Path(__file__).resolve().parents[3] / "data" / "reading" / "made"
KINDS = ("epub", "msg", "pptx")
NAMES = [path.name for kind in KINDS for path in sorted(MADE.glob(f"*.{kind}"))]


def truth(name: str) -> dict:
    return json.loads((MADE / f"{name}.json").read_text("utf-8"))


def text_of(name: str) -> str:
    kind = name.rpartition(".")[2]
    params = DocumentParams(uri=f"/made/{name}", source=f"/made/{name}", format=kind)
    return read_text(DocumentFile.of((MADE / name).read_bytes()), params, Limits()).text


def words(text: str) -> list[str]:
    return re.findall(r"[\u3040-\u9fff]|\w+", text.casefold())


@pytest.mark.parametrize("name", NAMES)
def test_all_that_a_made_file_says_is_read_in_its_order_and_nothing_else(name):
    known = truth(name)
    wanted, got = words("\n".join(known["text"])), words(text_of(name))
    at = iter(got)
    assert [word for word in wanted if word not in at] == []
    optional = Counter(words("\n".join(known.get("optional", []))))
    assert sum((Counter(got) - Counter(wanted) - optional).values()) <= 1 + 0.02 * len(got)


def under(rows: list[list[str]], row: str, column: str) -> list[str]:
    """Return what rows of Markdown have in a column, in those that begin with a cell."""
    at = next((line.index(column) for line in rows if column in line), -1)
    return [line[at] for line in rows if at >= 0 and line[0] == row and len(line) > at]


@pytest.mark.parametrize("name", [name for name in NAMES if truth(name).get("tables")])
def test_each_value_of_a_made_table_stands_in_its_row_and_column(name):
    rows = [
        [cell.strip() for cell in line[1:-1].split("|")]
        for line in text_of(name).split("\n")
        if line.startswith("|")
    ]
    for row, column, value in (triple for table in truth(name)["tables"] for triple in table["triples"]):
        assert value in under(rows, row, column), (row, column, value)
