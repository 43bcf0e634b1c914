"""Statements that a large model wrote for the Movies graph: which good ones the guard refuses, and why."""

import csv
import json
from pathlib import Path

import pytest
from doubles.foreign import MOVIES

from workers.core.errors import CypherRefused
from workers.text2cypher.check import checked

ROWS = MOVIES.with_name("text2cypher_movies_opus.csv")
REFUSED = Path(__file__).parents[3] / "data" / "recorded_refused.jsonl"


def _refusal(statement: str) -> str:
    try:
        checked(statement)
    except CypherRefused as error:
        return str(error)
    return ""


@pytest.mark.skipif(not ROWS.is_file(), reason="no evaluation folder")
def test_nearly_all_good_statements_pass_and_each_refusal_is_listed_with_its_hint() -> None:
    with ROWS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    good = [row["cypher"] for row in rows if row["syntax_error"] != "True" and not row["false_schema"]]
    refused = [
        {"statement": text, "told": refusal}
        for text, refusal in zip(good, map(_refusal, good), strict=True)
        if refusal
    ]
    listed = [json.loads(line) for line in REFUSED.read_text("utf-8").split("\n") if line]
    assert refused == listed
    assert len(refused) <= 0.03 * len(good)
    assert all("; allowed: " in row["told"] for row in refused)
