"""Statements that are kept to a part of the graph: what is put where, and what is refused."""

import json
from pathlib import Path

import pytest

from workers.core.errors import CypherRefused
from workers.text2cypher.boundary import Boundary
from workers.text2cypher.check import checked

WITHIN = Boundary("NODE.c = $c", ("A", "B C"), {"c": "mine"})
# Each says what is kept of a statement, and why where that surprises, or for what it is refused.
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "data" / "bounded.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["statement"])
def test_every_node_is_held_to_the_boundary_and_what_cannot_be_kept_with_certainty_is_refused(row):
    if "kept" in row:
        assert checked(row["statement"], boundary=WITHIN) == row["kept"]
        return
    with pytest.raises(CypherRefused, match=row["refused"]):
        checked(row["statement"], boundary=WITHIN)


def test_brackets_and_texts_do_not_end_a_condition() -> None:
    statement = "MATCH (a) WHERE (size(a.x) > 1 AND a.y = ') AND (') AND size(a.z) = 2 RETURN a"
    assert checked(statement, boundary=WITHIN).count("CASE WHEN a.c = $c THEN (") == 2


def test_of_what_has_no_relationships_only_nodes_are_asked() -> None:
    alone = Boundary("NODE.c = $c", (), {})
    assert checked("MATCH (n:X) RETURN n", boundary=alone)
    with pytest.raises(CypherRefused, match="a relationship, but this collection has none"):
        checked("MATCH (n:X)-->() RETURN n", boundary=alone)
