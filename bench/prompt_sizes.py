"""Tokens of the prompts of a question that `auto` gives to tools, over a small schema and a long one.

No server is needed: the requests are built as the model client builds them, and counted as it bounds them
(the words of prompt, schema and material, and a margin of 15%). The questions are those of the Movies graph;
the long schema is the Movies graph's among 120 further labels.

    python bench/prompt_sizes.py [--questions FILE.json] [--json FILE]
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

from report import keep, options
from rich.console import Console
from rich.table import Table

from hopline.models.graph_schema import GraphSchema, Join, NodeKind, Property, RelationshipKind
from hopline.models.jobs import Json
from workers.adapters.openai.dialect import Dialect
from workers.adapters.openai.tools import Choosing
from workers.adapters.openai.wire import ReplyRequest
from workers.core.graph.schema_part import schema_about
from workers.core.prompts import load_prompt
from workers.text2cypher.write import CypherDraft
from workers.tools.toolbox import OWN
from workers.traverse.auto.choose_strategy import StrategyChoice, choice_prompt

QUESTIONS = Path("tests/data/movies_questions.json")
_MORE = 120  # labels of the long schema beside those of the Movies graph
_TYPES = ("ACTED_IN", "DIRECTED", "PRODUCED", "WROTE", "REVIEWED")
_FORM = Dialect(format="json_schema")
_TOOLS = [tool.description for tool in OWN]


def main() -> None:
    """Count and print."""
    parser = options(__doc__)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    arguments = parser.parse_args()
    questions = [entry["question"] for entry in json.loads(arguments.questions.read_text("utf-8"))]
    rows = [_row(schema, questions) for schema in (_movies(), _long())]
    table = Table(title="tokens of a call, by the mean over the questions")
    for name in rows[0]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(f"{value:,}" for value in row.values()))
    Console().print(table)
    keep({"benchmark": "prompt_sizes", "rows": rows}, arguments.json)


def _row(schema: GraphSchema, questions: list[str]) -> Json:
    return {
        "characters of the schema": len(schema.as_text()),
        "choose the strategy": round(fmean(_choice(schema, question) for question in questions)),
        "choose tools": round(fmean(_route(schema, question) for question in questions)),
        "write Cypher": round(fmean(_statement(schema, question) for question in questions)),
    }


def _choice(schema: GraphSchema, question: str) -> int:
    tools = [tool["function"] for tool in _TOOLS]
    material = {
        "question": question,
        "history": [],
        "schema": schema_about(schema, question, 12_000),
        "tools": [{"name": tool["name"], "purpose": tool["description"]} for tool in tools],
        "documents": True,
    }
    return ReplyRequest(choice_prompt(), material, StrategyChoice).bound(_FORM)


def _route(schema: GraphSchema, question: str) -> int:
    material = {
        "question": question,
        "whole": question,
        "history": [],
        "answers": [],
        "schema": schema_about(schema, question, 12_000),
    }
    prompt = load_prompt("workers.traverse.tools", "choose_tools").for_tools([tool.name for tool in OWN])
    return Choosing(prompt, material, _TOOLS, lambda _call: None).bound(_FORM)


def _statement(schema: GraphSchema, question: str) -> int:
    material = {
        "schema": schema_about(schema, question, 24_000),
        "terminology": {},
        "examples": [],
        "question": question,
        "tried": [],
    }
    return ReplyRequest(load_prompt("workers.text2cypher", "write_cypher"), material, CypherDraft).bound(
        _FORM
    )


def _movies() -> GraphSchema:
    return GraphSchema(
        nodes=(_kind("Movie", "title", "released", "tagline"), _kind("Person", "name", "born")),
        relationships=tuple(_joined(name, "Person", "Movie") for name in _TYPES),
    )


def _long() -> GraphSchema:
    movies, labels = _movies(), [f"Device{number:03}Unit" for number in range(_MORE)]
    return GraphSchema(
        nodes=(
            *movies.nodes,
            *(_kind(name, "name", f"voltage{nth}", f"maker{nth}") for nth, name in enumerate(labels)),
        ),
        relationships=(
            *movies.relationships,
            *(_joined(f"PLUGS_{nth:03}", name, labels[nth - 1]) for nth, name in enumerate(labels)),
        ),
    )


def _kind(label: str, *properties: str) -> NodeKind:
    return NodeKind(
        label=label, properties=tuple(Property(name=name, types=("STRING",)) for name in properties)
    )


def _joined(name: str, source: str, target: str) -> RelationshipKind:
    return RelationshipKind(type=name, joins=(Join(source, target),))


if __name__ == "__main__":
    main()
