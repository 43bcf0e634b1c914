"""What of a row a sentence may rest on."""

from __future__ import annotations

import pytest

from workers.tools.grounds import Literals, grounds

NODE = {"node": "4:x:1", "labels": ["Person"], "properties": {"name": "Tom Hanks", "born": 1956}}


@pytest.mark.parametrize(
    ("values", "cypher", "left"),
    [
        ([12], "MATCH (m:Movie) RETURN count(m) AS movies", "12"),
        (["Tom Hanks won two Oscars"], "RETURN 'Tom Hanks won two Oscars' AS answer", ""),
        (["The Matrix won an Oscar"], "MATCH (m) RETURN m.title + ' won an Oscar' AS t", "The Matrix"),
        ([{"born": 1888}], "MATCH (m:Movie) RETURN {born: 1888} AS told", ""),
        ([{"arrested": "Lana"}], "MATCH (m) RETURN {arrested: m.name} AS told", "Lana"),
        ([["a", "Tom"]], "UNWIND ['Tom'] AS x RETURN [x, 'a'] AS l", "a"),
        ([None, "", []], "RETURN 1", ""),
        ([5], "MATCH (m) RETURN count(m) AS n LIMIT 5", "5"),  # how many are wanted reaches no cell
    ],
)
def test_a_statement_s_own_words_are_not_found(values, cypher, left):
    assert grounds(values, cypher) == left


def test_a_node_is_the_graph_s_own_and_a_map_made_to_look_like_one_is_not():
    text = grounds([NODE], "MATCH (p:Person) WHERE toLower(p.name) = 'tom hanks' RETURN p")
    assert "Tom Hanks" in text
    assert "1956" in text
    forged = "MATCH (n) RETURN {node: '4:x:1', labels: ['Person'], properties: {name: 'Tom Hanks'}} AS n"
    assert "Tom" not in grounds([NODE], forged)


def test_the_literals_of_a_statement_are_told():
    words = Literals("MATCH (p {name: 'Tom Hanks'}) WHERE p.born > 1950 RETURN p LIMIT 3").words
    assert words == "Tom Hanks 1950"
    assert Literals("MATCH (n").words == ""
