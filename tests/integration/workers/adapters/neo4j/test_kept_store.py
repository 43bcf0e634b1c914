"""Writes and removals of kept versions touch those that are meant, and no others: over nodes made by hand.

Others use the same database: each test looks at versions of its own collection alone.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from doubles.kept import EVERY, passed

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.graph.kept_versions import Keeping, KeptKey

OTHER = "-other"  # of another document, or another collection
_PUT = "CREATE (v:KeptVersion) SET v = $fields"
_STATES = "MATCH (v:KeptVersion {collection: $collection}) RETURN v.key AS key, v.state AS state"
_CLEAR = """
MATCH (n) WHERE n.collection STARTS WITH $collection
OPTIONAL MATCH (n)-[:HAS_KEPT_PART]->(part)
DETACH DELETE n, part
"""


class Shelf:
    """Kept versions of a collection, by short names."""

    def __init__(self, graph: Neo4jGraph, collection: str) -> None:
        self.graph, self.collection = graph, collection
        self.now = round(passed(graph).timestamp() * 1000)
        self.document = f"{collection}-a"

    def put(self, name: str, state: str, until: int | None = None, **fields: Any) -> None:
        """Make a version; it ended so many days ago."""
        own = {"key": self.key(name), "id": self.document, "collection": self.collection, "state": state}
        ended = {} if until is None else {"until": self.now - until * 86_400_000, "live_since": 0}
        defaults = {"title": "", "uri": name, "live_hash": ""}
        self.graph.connection.run_text("put", _PUT, fields=own | ended | defaults | fields)

    def put_document(self, live: int, live_hash: str, name: str = "") -> None:
        fields = {"id": name or self.document, "collection": self.collection, "title": "", "live": live}
        query = "CREATE (d:Document) SET d = $fields"
        self.graph.connection.run_text("put", query, fields=fields | {"live_hash": live_hash})

    def write(self, name: str, live: int, live_hash: str) -> None:
        key, parts = self.key(name), ["[]"]
        self.graph.connection.run(
            "kept_write", id=self.document, live=live, live_hash=live_hash, key=key, parts=parts
        )

    def key(self, name: str) -> str:
        return f"{self.collection}/{name}"

    def names(self, versions: list[KeptKey]) -> set[str]:
        keys = [version.key.rpartition("/") for version in versions]
        return {name for collection, _slash, name in keys if collection == self.collection}

    def states(self) -> dict[str, str]:
        rows = self.graph.connection.run_text("states", _STATES, collection=self.collection)
        return {row["key"].rpartition("/")[2]: row["state"] for row in rows}


@pytest.fixture
def shelf(neo4j_graph: Neo4jGraph, collection: str) -> Iterator[Shelf]:
    yield Shelf(neo4j_graph, collection)
    neo4j_graph.connection.run_text("clear", _CLEAR, collection=collection)


@pytest.mark.parametrize("of_one", [False, True])
def test_those_go_that_are_too_many_or_too_old_or_were_removed_in_part(
    shelf: Shelf,
    of_one: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    kept, document = shelf.graph.kept, shelf.document if of_one else None
    for nth in (1, 2, 3):
        shelf.put(f"ended {nth} days ago", "kept", nth)
    shelf.put("coming", "pending")
    shelf.put("removed in part", "dropped", 1)
    for nth in (4, 5):
        shelf.put(f"another's of {nth} days ago", "kept", nth, id=shelf.document + OTHER)
    shelf.put("another's that is coming", "pending", id=shelf.document + OTHER)

    def beyond(versions: int, days: float = 90) -> set[str]:
        return shelf.names(kept.beyond(Keeping(versions=versions, days=days), document, EVERY))

    anothers = set() if of_one else {"another's of 4 days ago", "another's of 5 days ago"}
    assert beyond(3) == {"removed in part"}
    assert beyond(2) == {"removed in part", "ended 3 days ago"}
    assert beyond(3, 2.5) == {"removed in part", "ended 3 days ago"} | anothers
    coming = {"coming"} if of_one else {"coming", "another's that is coming"}
    ended = {f"ended {nth} days ago" for nth in (1, 2, 3)}
    assert beyond(0) == {"removed in part"} | ended | coming | anothers


def test_versions_are_found_by_their_collection_their_document_and_parts_of_their_names(shelf):
    kept, elsewhere = shelf.graph.kept, shelf.collection + OTHER
    shelf.put("lease.txt", "kept", 1, title="A lease")
    shelf.put("annex.txt", "pending", title="An annex", id=shelf.document + OTHER)
    shelf.put("elsewhere.txt", "kept", 1, collection=elsewhere)
    assert shelf.names(kept.named(collection=shelf.collection)) == {"lease.txt", "annex.txt"}
    for name in ("ease.t", "A lea"):
        assert shelf.names(kept.named(collection=shelf.collection, name=name)) == {"lease.txt"}
    assert shelf.names(kept.named(name=shelf.document + OTHER)) == {"annex.txt"}
    assert shelf.names(kept.named(document_id=shelf.document)) == {"lease.txt", "elsewhere.txt"}
    both = {"collection": elsewhere, "document_id": shelf.document}
    assert shelf.names(kept.named(**both)) == {"elsewhere.txt"}


def test_the_version_that_is_coming_is_the_documents_own_and_has_not_ended(shelf):
    kept = shelf.graph.kept
    shelf.put("ended", "kept", 1)
    shelf.put("another's", "pending", id=shelf.document + OTHER)
    assert kept.pending(shelf.document) is None
    shelf.put("own", "pending")
    assert kept.pending(shelf.document).key == shelf.key("own")


def test_what_is_dropped_is_held_no_more_and_only_that_is_forgotten(shelf):
    kept = shelf.graph.kept
    shelf.put("another's", "kept", 1, id=shelf.document + OTHER, collection=shelf.collection + OTHER)
    kept.drop([shelf.key("another's")])
    for name in ("one", "two"):
        shelf.put(name, "kept", 1)
    assert kept.holds(shelf.key("one"))
    kept.drop([shelf.key("one")])
    assert not kept.holds(shelf.key("one"))
    assert shelf.states() == {"one": "dropped", "two": "kept"}
    gaps = shelf.graph.connection.run_text("gaps", "MATCH (g:KeptGap {id: $id}) RETURN g", id=shelf.document)
    assert len(gaps) == 1
    kept.forget([shelf.key("two")])
    assert shelf.states() == {"one": "dropped", "two": "kept"}, "who forgets has dropped it before"
    shelf.put("three", "dropped", 1)
    kept.forget([shelf.key("one")])
    assert shelf.states() == {"three": "dropped", "two": "kept"}


def test_since_when_versions_are_kept_is_noted_once_for_each_collection(shelf):
    query = "MATCH (s:KeptSince) WHERE s.collection STARTS WITH $collection RETURN s.since AS since"
    since: list[list[int]] = []
    for name in ("", "", OTHER):
        shelf.graph.kept.begin(shelf.collection + name)
        passed(shelf.graph)
        rows = shelf.graph.connection.run_text("since", query, collection=shelf.collection)
        since.append(sorted(row["since"] for row in rows))
    assert since[0] == since[1]
    assert [len(each) for each in since] == [1, 1, 2]


def test_a_text_is_wanted_where_it_is_live_and_not_written_yet(shelf):
    def is_wanted() -> bool:
        return bool(shelf.graph.connection.run("kept_wanted", id=shelf.document))

    shelf.put_document(3, "now", shelf.document + OTHER)
    assert not is_wanted(), "there is no such document"
    shelf.put_document(0, "now")
    assert not is_wanted(), "nothing of it is live"
    query = "MATCH (d:Document {id: $id}) SET d.live = 3"
    shelf.graph.connection.run_text("set", query, id=shelf.document)
    shelf.put("the same, that ended", "kept", 1, live_hash="now")
    shelf.put("another text", "pending", live_hash="then")
    shelf.put("another's", "pending", live_hash="now", id=shelf.document + OTHER)
    assert is_wanted()
    shelf.put("own", "pending", live_hash="now")
    assert not is_wanted()


def test_a_text_is_written_once_while_it_is_live_in_the_place_of_one_that_never_ended(shelf):
    for name in ("", shelf.document + OTHER):
        shelf.put_document(3, "now", name)
    before = {"another's": "pending", "ended": "kept", "never ended": "pending"}
    shelf.put("another's", "pending", live_hash="now", id=shelf.document + OTHER)
    shelf.put("ended", "kept", 1, live_hash="now")
    shelf.put("never ended", "pending", live_hash="then")
    shelf.write("late", 2, "now")
    shelf.write("late", 3, "before")
    assert shelf.states() == before, "it is not live any more"
    shelf.write("own", 3, "now")
    after = before | {"never ended": "dropped", "own": "pending"}
    assert shelf.states() == after
    shelf.write("again", 3, "now")
    assert shelf.states() == after
