"""What of a row a sentence may rest on."""

import pytest

from workers.tools.grounds import grounds, words_of

NODE = {"node": "4:x:1", "labels": ["Person"], "properties": {"name": "Tom Hanks", "born": 1956}}


@pytest.mark.parametrize(("values", "cypher", "left"), [
    ([12], "MATCH (m:Movie) RETURN count(m) AS movies", "12"),
    (["Tom Hanks won two Oscars"], "RETURN 'Tom Hanks won two Oscars' AS answer", ""),
    (["The Matrix won an Oscar"], "MATCH (m) RETURN m.title + ' won an Oscar' AS t", "The Matrix"),
    ([{"born": 1888}], "MATCH (m:Movie) RETURN {born: 1888} AS told", ""),
    ([{"arrested": "Lana"}], "MATCH (m) RETURN {arrested: m.name} AS told", "Lana"),
    ([["a", "Tom"]], "UNWIND ['Tom'] AS x RETURN [x, 'a'] AS l", "a"),
    ([None, "", []], "RETURN 1", ""),
    ([5], "MATCH (m) RETURN count(m) AS n LIMIT 5", "5"),  # how many are wanted reaches no cell
])  # fmt: skip
def test_a_statement_s_own_words_are_not_found(values, cypher, left):
    assert grounds(values, cypher) == left


def test_a_node_is_the_graph_s_own_also_where_it_was_looked_for_by_name():
    text = grounds([NODE], "MATCH (p:Person) WHERE toLower(p.name) = 'tom hanks' RETURN p")
    assert "Tom Hanks" in text
    assert "1956" in text


def test_a_map_made_to_look_like_a_node_is_none():
    forged = "MATCH (n) RETURN {node: '4:x:1', labels: ['Person'], properties: {name: 'Tom Hanks'}} AS n"
    assert "Tom" not in grounds([NODE], forged)


QUARTER = "WITH date() AS today, date() + duration({months: 3}) AS later MATCH (a:Agreement) "
NEXT_YEAR = "WITH date().year + 1 AS next MATCH (a:Agreement) WHERE a.ends.year = next "


@pytest.mark.parametrize(("values", "cypher"), [
    ([3], QUARTER + "WHERE a.ends >= today AND a.ends < later RETURN count(a) AS expiring"),
    ([1], NEXT_YEAR + "RETURN count(*)"),
    ([1], NEXT_YEAR + "WITH count(a) AS n RETURN n"),
    ([5], "MATCH (a) WHERE a.name STARTS WITH 'A' AND a.level > 5 RETURN max(a.level)"),
    ([1], "MATCH (a) RETURN sum(CASE WHEN a.level > 5 THEN 1 ELSE 0 END) AS high"),
    ([2.0], "MATCH (m:Movie) RETURN round(avg(m.stars), 2)"),
    ([4], "MATCH (m:Movie) RETURN COUNT { (m)<-[:ACTED_IN]-(p {level: 4}) } AS actors"),
    (["Tom Hanks"], "MATCH (p:Person) WHERE p.name = 'Tom Hanks' RETURN p.name"),
    ([3, "Oslo"], "MATCH (c:City {name: 'Oslo'}) RETURN size(collect(c)) AS n, c.name ORDER BY n LIMIT 3"),
])  # fmt: skip
def test_aggregates_and_properties_of_what_was_matched_are_found(values, cypher):
    assert grounds(values, cypher) == " · ".join(f"{value}" for value in values)


@pytest.mark.parametrize(("values", "cypher"), [
    ([3], "RETURN 3 AS answer"),
    ([3], "MATCH (a) RETURN 3 AS answer"),
    ([3], "MATCH (a) WITH 3 AS n RETURN n"),
    ([3], "WITH 3 AS n MATCH (a) RETURN n"),
    ([3], "WITH 3 AS n MATCH (a) RETURN sum(n) / count(a)"),
    ([3], "MATCH (a) RETURN avg(3)"),
    ([3], "MATCH (a) WITH a, 3 AS n WITH n AS m RETURN max(m)"),
    ([2], "UNWIND [1, 2] AS x RETURN count(x)"),
    ([3], "MATCH (a) RETURN CASE WHEN a.level > 1 THEN 3 END"),
    (["Lana Norris"], "WITH 'Lana Norris' AS who MATCH (a) RETURN who"),
    (["Lana Norris"], "MATCH (a) RETURN 'Lana Norris' AS who UNION MATCH (b) RETURN b.name AS who"),
    ([3], "CALL { RETURN 3 AS n } RETURN n"),
    ([3], "WITH *, 3 AS n MATCH (a) RETURN *"),
    ([3], "WITH *, 3 AS n MATCH (a) RETURN n"),
    (["Lana Norris"], "MATCH (a) WITH DISTINCT *, 'Lana Norris' AS who RETURN who"),
    ([1997.0], "MATCH (a {title: 'X'}) RETURN avg(CASE WHEN a.title = 'X' THEN 1997 END) AS year"),
    ([1997], "MATCH (a) WITH a LIMIT 1 UNWIND range(1, 1997) AS x RETURN count(x)"),
    (["Lana"], "MATCH (a) LET who = 'Lana' RETURN who"),
])  # fmt: skip
def test_a_literal_is_not_found_whatever_it_goes_through(values, cypher):
    assert grounds(values, cypher) == ""


def test_the_literals_of_a_statement_are_told():
    assert words_of("MATCH (p {name: 'Tom Hanks'}) WHERE p.born > 1950 RETURN p LIMIT 3") == "Tom Hanks 1950"
    assert words_of("MATCH (n") == ""
