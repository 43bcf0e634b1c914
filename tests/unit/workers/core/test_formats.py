"""A format is described once: what is listed, taken and read follows from its entry."""

from __future__ import annotations

import json
import subprocess
import sys

# Adds an entry before anything reads the table, and reads a document of that format.
_ADDED = """
import json
from workers.core.jobs.formats import DOCUMENT_FORMATS, DocumentFormat
DOCUMENT_FORMATS["csv"] = DocumentFormat("csv", (".csv",), is_text=True, converter="CsvConverter")

from producer.api.schemas import TextDocument
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.read import read_text
from workers.sources.formats import FORMATS

params = DocumentParams(uri="lights.csv", source="x", format="csv")
print(json.dumps({
    "suffix": FORMATS[".csv"],
    "http": TextDocument.model_json_schema()["properties"]["format"]["enum"],
    "text": read_text("name,year\\nBell Rock,1811\\n".encode(), params, Limits()).text,
}))
"""


def test_a_new_format_is_an_entry_of_the_table() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ADDED], capture_output=True, text=True, timeout=180, check=True
    )
    assert json.loads(done.stdout) == {
        "suffix": "csv",
        "http": ["txt", "md", "html", "csv"],
        "text": "| name | year |\n| --- | --- |\n| Bell Rock | 1811 |",
    }
