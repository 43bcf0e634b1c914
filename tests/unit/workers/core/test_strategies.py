"""A strategy and a format of documents are described once; what offers or reads them follows from that."""

import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest

from workers.traverse.auto.choose_strategy import StrategyChoice, choice_prompt

# Describes a strategy and a format before anything reads the descriptions, and shows what is made of them.
_ADDED = """
import contextlib, io, json
from hopline.models import strategies
from hopline.models.formats import DOCUMENT_FORMATS, DocumentFormat
DOCUMENT_FORMATS["page"] = DocumentFormat(
    "page", (".page",), "text/page", is_text=True, reader="workers.ingest.reading.html.reader"
)
new = strategies.StrategyDescription(
    name="oracle",
    summary="asks the stars.",
    choice="Oracle: ask the stars",
    fits="asks the stars. For riddles",
)
strategies.STRATEGIES += (new,)
from workers.traverse.strategies import FLOW_OF
FLOW_OF["oracle"] = FLOW_OF["reader"]

from hopline.models.documents import TextDocument
from infra.step_texts import english
from hopline.aio.queries import AsyncQueries
from hopline.operation import operation_of
from hopline.cli import app
from producer.mcp.questions import Ask
from workers.core.jobs.params import DocumentParams, QueryParams
from workers.core.ports import Limits
from workers.traverse.auto.flow import CHOICES
from workers.flows.registry import flow_of
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text
from workers.sources.formats import FORMATS
from workers.traverse.auto.choose_strategy import choice_prompt
from workers.traverse.auto.choose_strategy import StrategyChoice

lights = DocumentParams(uri="lights.page", source="x", format="page")
help_text = io.StringIO()
with contextlib.redirect_stdout(help_text), contextlib.suppress(SystemExit):
    app(["ask", "--help"])
print(json.dumps({
    "help": help_text.getvalue(),
    "http": operation_of(AsyncQueries.submit).body.model_json_schema()["properties"]["strategy"],
    "mcp": Ask.model_json_schema()["properties"]["strategy"],
    "choice": StrategyChoice.model_json_schema()["properties"]["strategy"],
    "prompt": choice_prompt().text,
    "page": english({})["strategy-choice.oracle"],
    "params": QueryParams(question="?", strategy="oracle").strategy,
    "suffix": FORMATS[".page"],
    "formats": TextDocument.model_json_schema()["properties"]["format"]["enum"],
    "table": read_text(
        DocumentFile.of(b"<tt><table><tr><th>name<th>year<tr><td>Bell Rock<td>1811"), lights, Limits()
    ).text,
    "flow": flow_of("query", {"strategy": "oracle"}) is CHOICES["oracle"] is FLOW_OF["reader"],
}))
"""


@pytest.fixture(scope="module")
def made() -> Any:
    """What a process makes of a new strategy and a new format."""
    done = subprocess.run(
        [sys.executable, "-c", _ADDED], capture_output=True, text=True, timeout=600, check=True
    )
    return json.loads(done.stdout)


def test_a_new_strategy_is_offered_everywhere_by_its_description_and_flow(made: Any) -> None:
    assert "oracle: asks the stars." in made["help"]
    for form in ("http", "mcp"):
        assert made[form]["enum"] == ["auto", "graph", "reader", "survey", "tools", "oracle"]
        assert "oracle: asks the stars." in made[form]["description"]
    assert made["choice"]["enum"] == ["graph", "reader", "survey", "tools", "oracle"]
    assert "  - oracle: asks the stars. For riddles\n" in made["prompt"]
    assert (made["page"], made["params"], made["flow"]) == ("Oracle: ask the stars", "oracle", True)


def test_a_new_format_is_an_entry_of_the_table(made: Any) -> None:
    assert (made["suffix"], made["formats"]) == (
        "page",
        ["txt", "md", "mdx", "rst", "adoc", "org", "tex", "code", "html", "csv", "tsv", "page"],
    )
    assert made["table"] == "| name | year |\n| --- | --- |\n| Bell Rock | 1811 |"


def test_what_the_key_of_a_kept_choice_is_made_of_stays_byte_for_byte() -> None:
    pinned = {
        "prompt": "d77bad04b90e0804ec44f1a46e6f473baa4143ffa98822f1d30a4849e4297535",
        "schema": "672797fd5bc1241f507066d4d96ed85258498f560e81bbaf709459dbaf1750bb",
    }
    texts = {"prompt": choice_prompt().text, "schema": json.dumps(StrategyChoice.model_json_schema())}
    assert {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()} == pinned
