"""What queries cost: a page what it holds, and not what is left behind it; planning is done once."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j as driver
import pytest
from doubles.foreign import ForeignServer, empty

from workers.adapters import neo4j as adapter
from workers.adapters.neo4j.connection import query_with
from workers.adapters.neo4j.graph import Neo4jGraph

QUERIES = Path(adapter.__file__).parent / "cypher"
PAGED = sorted(
    file.stem
    for file in QUERIES.glob("*/*.cypher")
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
def test_a_page_is_read_in_the_order_of_an_index(raw, name: str):
    text = next(QUERIES.glob(f"*/{name}.cypher")).read_text(encoding="utf-8")
    parameters = GIVEN | {"collection": "any", "after": "a", "before": "~"}
    plan = raw.execute_query(driver.Query("EXPLAIN " + text), parameters).summary.plan
    used = set(operators(plan))
    assert "Limit" in used
    assert used & {"NodeIndexSeek", "NodeIndexSeekByRange", "NodeUniqueIndexSeekByRange"}
    assert not used & {"Top", "PartialTop"}, "what lies behind the page is read and sorted, too"


def test_there_are_pages():
    assert {"census_elements", "documents", "growth", "merges_all", "texts_fact"} <= set(PAGED)


def test_a_query_takes_its_values_as_one_map_and_none_may_be_missing():
    text = query_with("documents", {"collection": "c", "after": "", "limit": 9})
    assert set(re.findall(r"\$[a-z.]+", text)) == {"$given.collection", "$given.after", "$given.limit"}
    with pytest.raises(TypeError, match="query document lacks id"):
        query_with("document", {})


@pytest.mark.long  # the server's cache of plans is its own
def test_lists_of_all_sizes_share_one_plan(foreign_neo4j: ForeignServer, collection: str):
    empty(foreign_neo4j)
    with closing(Neo4jGraph(foreign_neo4j.url, foreign_neo4j.user, foreign_neo4j.password)) as graph:
        graph.migrate()
        assert plans(graph, collection, [1, 5, 50, 500]) == plans(graph, collection, [5])


def plans(graph: Neo4jGraph, collection: str, sizes: Sequence[int]) -> int:
    """Return how many plans the server keeps after a query got lists of some sizes."""
    clear = "CALL db.clearQueryCaches() YIELD value RETURN value"
    graph.connection.run_text("clear", clear)
    for size in sizes:
        graph.merging.redirects(collection, [f"k{nth}" for nth in range(size)])
    [row] = graph.connection.run_text("clear", clear)
    return int(re.findall(r"\d+", row["value"])[0])
