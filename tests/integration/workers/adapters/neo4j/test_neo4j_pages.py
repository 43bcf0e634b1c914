"""Reading a collection a page at a time: a page costs what it holds, and not what is left behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j as driver
import pytest

from workers.adapters import neo4j as adapter

QUERIES = Path(adapter.__file__).parent / "cypher"
PAGED = sorted(
    file.stem
    for file in QUERIES.glob("*.cypher")
    if ".id > $after" in (text := file.read_text(encoding="utf-8")) and "LIMIT $limit" in text
)
GIVEN = dict.fromkeys(("limit", "facts_scanned", "hubs", "examples"), 10)


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """Yield what a plan does to rows of the page; what it collects for one of them may be sorted."""
    name = plan["operatorType"].partition("@")[0]
    yield name
    children = plan.get("children", ())
    for child in children[:1] if name == "RollUpApply" else children:
        yield from operators(child)


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("name", PAGED)
def test_a_page_is_read_in_the_order_of_an_index(neo4j, name: str):
    text = (QUERIES / f"{name}.cypher").read_text(encoding="utf-8")
    parameters = GIVEN | {"collection": "any", "after": "a", "before": "~"}
    with driver.GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as raw:
        plan = raw.execute_query(driver.Query("EXPLAIN " + text), parameters).summary.plan
    used = set(operators(plan))
    assert "Limit" in used
    assert used & {"NodeIndexSeek", "NodeIndexSeekByRange", "NodeUniqueIndexSeekByRange"}
    assert not used & {"Top", "PartialTop"}, "what lies behind the page is read and sorted, too"


def test_there_are_pages():
    assert {"census_elements", "documents", "growth", "merges_all", "texts_fact"} <= set(PAGED)
