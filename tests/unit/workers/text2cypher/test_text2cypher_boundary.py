"""Statements that are kept to a part of the graph: what is put where, and what is refused."""

from __future__ import annotations

import pytest

from workers.core.errors import CypherRefused
from workers.text2cypher.boundary import Boundary
from workers.text2cypher.check import checked

WITHIN = Boundary("NODE.c = $c", ("A", "B C"), {"c": "mine"})
KEPT = {
    "MATCH (n) RETURN count(n) AS n": "MATCH (n) WHERE n.c = $c RETURN count(n) AS n",
    "MATCH () RETURN count(*) AS n": "MATCH (n_1) WHERE n_1.c = $c RETURN count(*) AS n",
    "MATCH (n_1)-->() RETURN n_1": (
        "MATCH (n_1)-[:A|`B C`]->(n__1) WHERE n_1.c = $c AND n__1.c = $c RETURN n_1"
    ),
    "MATCH (:X {name: 'x'})<-[r]-(`a b`:Y) RETURN r": (
        "MATCH (n_1:X {name: 'x'})<-[r:A|`B C`]-(`a b`:Y) WHERE n_1.c = $c AND `a b`.c = $c RETURN r"
    ),
    "MATCH (a)-[:D]->(b) RETURN b": "MATCH (a)-[:D]->(b) WHERE a.c = $c AND b.c = $c RETURN b",
    # A condition that can never fail stands as it is, in brackets; another waits for those of its nodes.
    "MATCH (a) WHERE a.x = 1 OR true RETURN a": "MATCH (a) WHERE a.c = $c AND ( a.x = 1 OR true)  RETURN a",
    "MATCH (a), (b) WHERE date(a.x) = date('2020') AND b.y > 1 RETURN a": (
        "MATCH (a), (b) WHERE a.c = $c AND b.c = $c AND CASE WHEN a.c = $c "
        "THEN ( date(a.x) = date('2020') ) END AND ( b.y > 1)  RETURN a"
    ),
    "MATCH (a) MATCH (b) WHERE date(a.x) = b.y RETURN a": (
        "MATCH (a) WHERE a.c = $c MATCH (b) WHERE b.c = $c AND CASE WHEN a.c = $c AND b.c = $c "
        "THEN ( date(a.x) = b.y) END  RETURN a"
    ),
    # What a clause only passes on the server may look at together with what comes behind it.
    "MATCH (a) WITH a WHERE date(a['x']) > 1 RETURN a": (
        "MATCH (a) WHERE a.c = $c WITH a WHERE CASE WHEN a.c = $c THEN ( date(a['x']) > 1) END  RETURN a"
    ),
    "MATCH (a) WITH a MATCH (b) WHERE date(a['x']) > 1 RETURN b": (
        "MATCH (a) WHERE a.c = $c WITH a MATCH (b) WHERE b.c = $c "
        "AND CASE WHEN a.c = $c THEN ( date(a['x']) > 1) END  RETURN b"
    ),
    "MATCH (a) CALL (a) { WITH a WHERE date(a['x']) > 1 RETURN 1 AS k } RETURN k": (
        "MATCH (a) WHERE a.c = $c CALL (a) { WITH a WHERE CASE WHEN a.c = $c THEN ( date(a['x']) > 1) END  "
        "RETURN 1 AS k } RETURN k"
    ),
    "MATCH (a) CALL (a) { MATCH (b) WHERE date(a['x']) > 1 RETURN 1 AS k } RETURN k": (
        "MATCH (a) WHERE a.c = $c CALL (a) { MATCH (b) WHERE b.c = $c "
        "AND CASE WHEN a.c = $c THEN ( date(a['x']) > 1) END  RETURN 1 AS k } RETURN k"
    ),
    "MATCH (a) WITH a AS k, size(a.y) AS s WHERE date(k['x']) > s RETURN k": (
        "MATCH (a) WHERE a.c = $c WITH a AS k, size(a.y) AS s WHERE "
        "CASE WHEN k.c = $c THEN ( date(k['x']) > s) END  RETURN k"
    ),
    "MATCH (a)-[r:D]->() WITH r WHERE date(r['x']) > 1 RETURN r": (
        "MATCH (a)-[r:D]->(n_1) WHERE a.c = $c AND n_1.c = $c WITH r WHERE CASE WHEN "
        "startNode(r).c = $c AND endNode(r).c = $c THEN ( date(r['x']) > 1) END  RETURN r"
    ),
    "MATCH p = (a)-[r:D*..2]->() WITH p, r WHERE date(r[0].x) > size(nodes(p)) RETURN p": (
        "MATCH p = (a)-[r:D*..2]->(n_1) WHERE a.c = $c AND n_1.c = $c "
        "AND all(n_0 IN nodes(p) WHERE n_0.c = $c) WITH p, r WHERE CASE WHEN "
        "all(n_0 IN r WHERE startNode(n_0).c = $c AND endNode(n_0).c = $c) "
        "AND all(n_0 IN nodes(p) WHERE n_0.c = $c) THEN ( date(r[0].x) > size(nodes(p))) END  RETURN p"
    ),
    "MATCH (a) WHERE COUNT { MATCH (b) WHERE date(a.x) > b.y } > 1 RETURN a": (
        "MATCH (a) WHERE a.c = $c AND CASE WHEN a.c = $c THEN ( COUNT { MATCH (b) WHERE b.c = $c "
        "AND CASE WHEN a.c = $c AND b.c = $c THEN ( date(a.x) > b.y) END  } > 1) END  RETURN a"
    ),
    # Behind UNION, and of a new value, a name says nothing of the one before.
    "MATCH (a) RETURN a.x AS v UNION UNWIND [1] AS a WITH a WHERE date(a) > 1 RETURN a AS v": (
        "MATCH (a) WHERE a.c = $c RETURN a.x AS v UNION UNWIND [1] AS a WITH a WHERE ( date(a) > 1)  "
        "RETURN a AS v"
    ),
    # Like expressions stay alike: behind an aggregate the server sorts by what was projected alone.
    "MATCH (a) RETURN COUNT { (a)--() } AS d, count(*) AS n ORDER BY COUNT { (a)--() }": (
        "MATCH (a) WHERE a.c = $c RETURN COUNT { MATCH  (a)-[:A|`B C`]-(n_1) WHERE a.c = $c AND n_1.c = $c } "
        "AS d, count(*) AS n ORDER BY COUNT { MATCH  (a)-[:A|`B C`]-(n_1) WHERE a.c = $c AND n_1.c = $c }"
    ),
    # What is optional may be null where its clause is done.
    "OPTIONAL MATCH (a) MATCH (b) WHERE size(a.x) IS NULL RETURN b": (
        "OPTIONAL MATCH (a) WHERE a.c = $c MATCH (b) WHERE b.c = $c AND ( size(a.x) IS NULL)  RETURN b"
    ),
    "MATCH (a)-[*1..2]-(b) RETURN b": (
        "MATCH n_1 = (a)-[:A|`B C`*1..2]-(b) WHERE a.c = $c AND b.c = $c "
        "AND all(n_0 IN nodes(n_1) WHERE n_0.c = $c) RETURN b"
    ),
    "MATCH p = shortestPath((a)-[:D*..3]-(b)) RETURN p": (
        "MATCH p = shortestPath((a)-[:D*..3]-(b)) WHERE a.c = $c AND b.c = $c "
        "AND all(n_0 IN nodes(p) WHERE n_0.c = $c) RETURN p"
    ),
    "MATCH (a) WHERE NOT (a)-[:D]->() RETURN a": (
        "MATCH (a) WHERE a.c = $c AND CASE WHEN a.c = $c THEN ( NOT EXISTS { MATCH (a)-[:D]->(n_1) "
        "WHERE a.c = $c AND n_1.c = $c }) END  RETURN a"
    ),
    "RETURN COUNT { ()--() } AS n": (
        "RETURN COUNT { MATCH  (n_1)-[:A|`B C`]-(n_2) WHERE n_1.c = $c AND n_2.c = $c } AS n"
    ),
    "MATCH (a) RETURN [(a)-->(b) WHERE b.x = 1 | b.x] AS l": (
        "MATCH (a) WHERE a.c = $c RETURN [(a)-[:A|`B C`]->(b) "
        "WHERE a.c = $c AND b.c = $c AND ( b.x = 1)  | b.x] AS l"
    ),
    "MATCH (a) CALL (a) { MATCH (a)-->(b) RETURN count(b) AS n } RETURN n": (
        "MATCH (a) WHERE a.c = $c CALL (a) { MATCH (a)-[:A|`B C`]->(b) WHERE a.c = $c AND b.c = $c "
        "RETURN count(b) AS n } RETURN n"
    ),
    "MATCH (a) WHERE exists((a)-[:D]->()) RETURN a": (
        "MATCH (a) WHERE a.c = $c AND CASE WHEN a.c = $c THEN ( (EXISTS { MATCH (a)-[:D]->(n_1) "
        "WHERE a.c = $c AND n_1.c = $c })) END  RETURN a"
    ),
}
REFUSED = {
    "MATCH (n) RETURN *": "RETURN \\*; allowed: RETURN with what is wanted, by name",
    "MATCH (n) WITH *, 1 AS one RETURN one": "WITH \\*; allowed",
    "MATCH (n) RETURN id(n) AS id": r"id\(…\), which numbers the whole database",
    "MATCH (n) RETURN elementId(n) AS id": r"elementId\(…\), which numbers",
    "MATCH (n {x: $c}) RETURN n": r"the parameter \$c; allowed: the value as it is",
    "CALL db.labels() YIELD label RETURN label": "a procedure, which tells of the whole database",
    "MATCH (a)-[:!A]->(b) RETURN b": "types that a relationship does not have",
    "MATCH (a WHERE a.x = 1) RETURN a": "WHERE within a pattern; allowed: WHERE behind the patterns",
    "MATCH (a)-[r WHERE r.x = 1]->(b) RETURN a": "WHERE within a pattern",
    "MATCH (a) MATCH (b {x: date(a.x)}) RETURN b": "a value computed within a pattern",
    "MATCH ANY (a)-[:A]-{1,2}(b) RETURN b": r"ANY before a path; allowed: shortestPath\(…\)",
    "MATCH p = SHORTEST 2 PATHS (a)-[:A]-{1,2}(b) RETURN p": "SHORTEST 2 PATHS before a path",
}


@pytest.mark.parametrize("statement", KEPT)
def test_every_node_is_held_to_the_boundary_and_every_relationship_to_its_types(statement: str) -> None:
    assert checked(statement, boundary=WITHIN) == KEPT[statement]


@pytest.mark.parametrize("statement", REFUSED)
def test_what_cannot_be_kept_with_certainty_is_refused_with_what_may_be_written(statement: str) -> None:
    with pytest.raises(CypherRefused, match=REFUSED[statement]):
        checked(statement, boundary=WITHIN)


def test_brackets_and_texts_do_not_end_a_condition() -> None:
    statement = "MATCH (a) WHERE (size(a.x) > 1 AND a.y = ') AND (') AND size(a.z) = 2 RETURN a"
    assert checked(statement, boundary=WITHIN).count("CASE WHEN a.c = $c THEN (") == 2


def test_of_what_has_no_relationships_only_nodes_are_asked() -> None:
    alone = Boundary("NODE.c = $c", (), {})
    assert checked("MATCH (n:X) RETURN n", boundary=alone)
    with pytest.raises(CypherRefused, match="a relationship, and this collection has none"):
        checked("MATCH (n:X)-->() RETURN n", boundary=alone)
