"""A strategy is described once; help, HTTP, MCP, the page's texts and the choice are made of that."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

from workers.core.jobs.strategies import strategy_names
from workers.flows.registry import STRATEGIES
from workers.traverse.tools.choose_strategy import choice_prompt
from workers.traverse.tools.schema import StrategyChoice

# Describes a strategy before anything reads the descriptions, and shows what is made of them.
_ADDED = """
import contextlib, io, json
from workers.core.jobs import strategies
new = strategies.StrategyDescription(
    name="oracle",
    summary="asks the stars.",
    choice="Oracle: ask the stars",
    fits="asks the stars. For riddles",
)
strategies.STRATEGIES += (new,)
from workers.flows.strategies import FLOW_OF
FLOW_OF["oracle"] = FLOW_OF["reader"]

from infra.step_texts import english
from producer.api.schemas import QueryRequest
from producer.cli import app
from producer.mcp.questions import Ask
from workers.core.jobs.params import QueryParams
from workers.flows.auto import CHOICES
from workers.flows.registry import flow_of
from workers.traverse.tools.choose_strategy import choice_prompt
from workers.traverse.tools.schema import StrategyChoice

help_text = io.StringIO()
with contextlib.redirect_stdout(help_text), contextlib.suppress(SystemExit):
    app(["ask", "--help"])
print(json.dumps({
    "help": help_text.getvalue(),
    "http": QueryRequest.model_json_schema()["properties"]["strategy"],
    "mcp": Ask.model_json_schema()["properties"]["strategy"],
    "choice": StrategyChoice.model_json_schema()["properties"]["strategy"],
    "prompt": choice_prompt().text,
    "page": english({})["strategy-choice.oracle"],
    "params": QueryParams(question="?", strategy="oracle").strategy,
    "flow": flow_of("query", {"strategy": "oracle"}) is CHOICES["oracle"] is FLOW_OF["reader"],
}))
"""


def test_a_new_strategy_is_offered_everywhere_by_its_description_and_flow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ADDED], capture_output=True, text=True, timeout=180, check=True
    )
    made = json.loads(done.stdout)

    assert "oracle: asks the stars." in made["help"]
    for form in ("http", "mcp"):
        assert made[form]["enum"] == ["auto", "graph", "reader", "survey", "tools", "oracle"]
        assert "oracle: asks the stars." in made[form]["description"]
    assert made["choice"]["enum"] == ["graph", "reader", "survey", "tools", "oracle"]
    assert "  - oracle: asks the stars. For riddles\n" in made["prompt"]
    assert (made["page"], made["params"], made["flow"]) == ("Oracle: ask the stars", "oracle", True)


def test_each_strategy_described_has_a_flow() -> None:
    assert tuple(STRATEGIES) == strategy_names()


def test_what_the_key_of_a_kept_choice_is_made_of_stays_byte_for_byte() -> None:
    pinned = {
        "prompt": "d77bad04b90e0804ec44f1a46e6f473baa4143ffa98822f1d30a4849e4297535",
        "schema": "672797fd5bc1241f507066d4d96ed85258498f560e81bbaf709459dbaf1750bb",
    }
    texts = {"prompt": choice_prompt().text, "schema": json.dumps(StrategyChoice.model_json_schema())}
    assert {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()} == pinned
