"""300 statements over one of two collections with the same names: they find nothing of the other one.

`tests/data/own_graph.jsonl` holds statements that a model wrote for the Movies graph, said in hopline's own
labels (`recorded`), further ones (`written`), and such as try to see more (`hostile`); those with `refused`
never reach the server.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from doubles.own_graph import OwnGraph, holding
from fleet.cases import some_of

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.errors import CypherRefused

DATA = Path(__file__).parents[4] / "data" / "own_graph.jsonl"
STATEMENTS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
_AT_ONCE = 4
RUN = some_of([statement["statement"] for statement in STATEMENTS if not statement.get("refused")])


@pytest.fixture(scope="module")
def own(raw, graph: Neo4jGraph) -> Iterator[OwnGraph]:
    made = OwnGraph(graph, raw, "own-graph-statements")
    made.look()
    yield made
    made.remove()


@pytest.mark.cases
def test_what_a_statement_finds_is_the_same_with_another_collection_beside_its_own(own: OwnGraph) -> None:
    assert len(STATEMENTS) >= 300
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        alone = list(pool.map(own.rows, RUN))
        own.add_strangers()
        own.look()
        beside = list(pool.map(own.rows, RUN))
    comparisons = list(zip(RUN, alone, beside, strict=True))
    assert not [text for text, before, after in comparisons if before != after or holding(after)]
    assert sum(map(bool, alone)) > len(RUN) * 2 / 3  # most of them find something


def test_what_would_see_more_is_refused_with_what_may_be_written_instead(own: OwnGraph) -> None:
    for text in (statement["statement"] for statement in STATEMENTS if statement.get("refused")):
        with pytest.raises(CypherRefused, match=r"^line \d+:\d+: .*(?:allowed:|near:|it has:)"):
            own.rows(text)


def test_the_schema_that_a_model_is_shown_is_the_collections_own(own: OwnGraph) -> None:
    schema = own.view.schema.as_text()
    assert "(:Person)-[:ACTED_IN {chapter: INTEGER, evidence: STRING, order: INTEGER}]->(:Movie)" in schema
    assert 'Year.name: "1975", "1986", "1995", "1999", "2000"' in schema
    assert not holding([schema])
    assert own.view.schema.labels == {"Person", "Movie", "Year", "MajorEvent"}
