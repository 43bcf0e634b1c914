"""What a scope holds follows the graph: documents that go and come again, merges, versions on their way."""

import gc
import weakref
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Any

import pytest
from doubles.connections import Beside
from doubles.documents import WARSAW, write
from doubles.graph_steps import element_id, merge, undo, write_hidden

from hopline.errors import Permanent
from workers.adapters.neo4j.connection import Row
from workers.adapters.neo4j.documents import DocumentStore
from workers.adapters.neo4j.scoped import words
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.adapters.neo4j.scoped.view import View
from workers.core import ids
from workers.core.answers import lexical_rank
from workers.core.metadata.changes import MetadataChange
from workers.core.scope import Scope

MET = ("Ada met Paris.", ["Ada", "Paris"])
BUILT = ("Bob built London.", ["Bob", "London"])


def scope_of(collection: str, uri: str) -> Scope:
    return Scope(documents=(ids.document_id(collection, uri),))


def facts_in(view: View) -> set[str]:
    return {view.source(place).fact for place in range(len(view.contents.places))}


def test_a_document_that_was_deleted_and_ingested_again_is_read_again(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "one", [MET])
    assert facts_in(keeper.view(collection, scope_of(collection, "one"))) == {MET[0]}
    neo4j_graph.store.delete_document(ids.document_id(collection, "one"))
    write(neo4j_graph, collection, "one", [BUILT])
    assert facts_in(keeper.view(collection, scope_of(collection, "one"))) == {BUILT[0]}


def test_what_is_read_while_an_older_version_goes_is_read_again(neo4j_graph, collection, keeper):
    scope = scope_of(collection, "one")
    write(neo4j_graph, collection, "one", [MET], [BUILT])
    beside = Beside(neo4j_graph.connection, remove_chunks=lambda: keeper.view(collection, scope))
    opened, _chunks = write_hidden(neo4j_graph, collection, "one", [MET])
    DocumentStore(beside).make_live(opened)
    fresh = ScopeKeeper(neo4j_graph.connection, 10_000).view(collection, scope)
    assert facts_in(keeper.view(collection, scope)) == facts_in(fresh) == {MET[0]}


def test_a_merge_into_a_name_outside_does_not_show_that_name(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "inside", [("Acme built a mill.", ["acme", "mill"])])
    write(neo4j_graph, collection, "outside", [("Secret Name left.", ["secret name"])])
    acme, secret = (element_id(collection, name) for name in ("acme", "secret name"))
    merge(neo4j_graph, collection, "acme", "secret name", "job")
    graph = ScopedGraph(lambda: keeper.view(collection, scope_of(collection, "inside")))
    assert [element.name for element in graph.nodes.elements(collection, [acme])] == ["acme"]
    assert graph.nodes.elements(collection, [secret]) == []
    everything = ScopedGraph(lambda: keeper.view(collection, Scope()))
    assert [element.name for element in everything.nodes.elements(collection, [acme])] == ["secret name"]


@pytest.mark.parametrize(("scope", "expected"), [
    ({"where": 'author = "Ann"'}, {MET[0]}),
    ({"as_of": "2020-12-31"}, {BUILT[0]}),
    ({"where": 'author = "Ann"', "as_of": "2020-12-31"}, set()),
    ({}, {MET[0], BUILT[0], WARSAW[0]}),
])  # fmt: skip
def test_a_view_holds_the_documents_that_the_filter_means(neo4j_graph, collection, keeper, scope, expected):
    for uri, fact, fields in (
        ("one", MET, {"author": "Ann", "date": date(2021, 1, 1)}),
        ("two", BUILT, {"author": "Bob", "date": date(2020, 1, 1)}),
        ("three", WARSAW, {"author": "Cy"}),
    ):
        write(neo4j_graph, collection, uri, [fact])
        name = ids.document_id(collection, uri)
        neo4j_graph.store.change_metadata([name], MetadataChange(values=fields))
    keeper.view(collection, Scope())
    assert facts_in(keeper.view(collection, Scope(**scope))) == expected


def test_a_view_holds_nothing_of_other_collections(neo4j_graph, collection, keeper):
    other = f"{collection}-other"
    write(neo4j_graph, collection, "one", [MET])
    write(neo4j_graph, other, "one", [BUILT])
    named = Scope(documents=(ids.document_id(collection, "one"), ids.document_id(other, "one")))
    for scope in (Scope(), named):
        assert facts_in(keeper.view(collection, scope)) == {MET[0]}
        assert facts_in(keeper.view(other, scope)) == {BUILT[0]}


def test_a_fact_is_worded_as_its_own_document_does(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "first", [(BUILT[0].upper(), BUILT[1])])
    write(neo4j_graph, collection, "second", [BUILT])
    assert facts_in(keeper.view(collection, scope_of(collection, "second"))) == {BUILT[0]}


def test_a_version_that_is_written_and_not_live_is_not_read(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "one", [MET])
    for uri in ("one", "two"):
        write_hidden(neo4j_graph, collection, uri, [BUILT])
    assert facts_in(keeper.view(collection, Scope())) == {MET[0]}
    assert keeper.documents_in(collection, Scope()) == {ids.document_id(collection, "one")}


def test_of_some_documents_those_in_a_scope_are_told_and_of_none_none(neo4j_graph, collection, keeper):
    for uri in ("one", "two"):
        write(neo4j_graph, collection, uri, [MET])
    first, second = (ids.document_id(collection, uri) for uri in ("one", "two"))
    assert keeper.among(collection, [first, second, "unknown"], Scope()) == {first, second}
    assert keeper.among(collection, [first, second], Scope(documents=(second, "d"))) == {second}
    assert keeper.among(collection, [first], Scope(documents=(second,))) == frozenset()
    assert keeper.among(collection, [], Scope()) == frozenset()


@pytest.mark.parametrize(
    ("job", "undone", "name"), [("", False, "ada"), ("job", False, "bob"), ("job", True, "ada")]
)
def test_merges_count_that_people_made_and_that_stand(neo4j_graph, collection, keeper, job, undone, name):
    write(neo4j_graph, collection, "one", [MET], [BUILT])
    merge(neo4j_graph, collection, "Ada", "Bob", job)
    if undone:
        undo(neo4j_graph, collection, "Ada", "Bob")
    graph = ScopedGraph(lambda: keeper.view(collection, Scope()))
    assert [
        element.name for element in graph.nodes.elements(collection, [element_id(collection, "Ada")])
    ] == [name]


def test_a_title_and_metadata_that_changed_are_those_of_the_view(neo4j_graph, collection, keeper):
    name = ids.document_id(collection, "one")
    write(neo4j_graph, collection, "one", [MET], title="Ada")
    keeper.view(collection, Scope())
    live = neo4j_graph.store.document(name)
    neo4j_graph.store.make_live(live.model_copy(update={"title": "Lovelace"}))
    view = keeper.view(collection, Scope())
    assert view.document(name).title == "Lovelace"
    assert [at for at, _score in view.contents.words.best("Lovelace", 5)] == [0]
    neo4j_graph.store.change_metadata([name], MetadataChange(values={"author": "Ann"}))
    assert keeper.view(collection, Scope()).document(name).metadata == {"author": "Ann"}


def test_what_changed_while_it_was_read_is_read_again(neo4j_graph, collection):
    write(neo4j_graph, collection, "one", [MET])
    name = ids.document_id(collection, "one")
    beside = Beside(neo4j_graph.connection, contents=lambda: neo4j_graph.store.delete_document(name))
    keeper = ScopeKeeper(beside, 10_000)
    assert facts_in(keeper.view(collection, Scope())) == set()
    beside.before.clear()
    write(neo4j_graph, collection, "one", [MET])
    assert facts_in(keeper.view(collection, Scope())) == {MET[0]}


class Torn(Beside):
    """Brings the first rows alone of what is streamed."""

    rows: int | None = 1

    def stream(self, *args: Any, **parameters: Any) -> Iterator[list[Any]]:
        return islice(super().stream(*args, **parameters), self.rows)


def test_what_was_read_in_the_middle_of_a_commit_is_read_again(neo4j_graph, collection):
    scope = scope_of(collection, "one")
    write(neo4j_graph, collection, "one", [MET], [BUILT])
    torn = Torn(neo4j_graph.connection)
    keeper = ScopeKeeper(torn, 10_000)
    assert len(facts_in(keeper.view(collection, scope))) == 1
    torn.rows = None
    write(neo4j_graph, collection, "another", [WARSAW])
    assert facts_in(keeper.view(collection, scope)) == {MET[0], BUILT[0]}


def test_views_that_hold_too_much_together_are_let_go(neo4j_graph, collection):
    keeper = ScopeKeeper(neo4j_graph.connection, 1)
    write(neo4j_graph, collection, "one", [MET])
    write(neo4j_graph, collection, "two", [BUILT])
    old = weakref.ref(keeper.view(collection, scope_of(collection, "one")).contents)
    keeper.view(collection, scope_of(collection, "two"))
    gc.collect()
    assert old() is None
    assert facts_in(keeper.view(collection, scope_of(collection, "one"))) == {MET[0]}


def test_what_changes_outside_a_scope_leaves_its_view(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "one", [MET])
    write(neo4j_graph, collection, "two", [BUILT])
    view = keeper.view(collection, scope_of(collection, "one"))
    write(neo4j_graph, collection, "two", [BUILT, MET])
    write(neo4j_graph, collection, "three", [BUILT])
    other = f"{collection}-other"
    write(neo4j_graph, other, "one", [BUILT])
    merge(neo4j_graph, other, *BUILT[1], "job")
    assert keeper.view(collection, scope_of(collection, "one")) is view


def test_a_changed_document_alone_is_read_and_its_words_counted(neo4j_graph, collection, keeper, monkeypatch):
    everything, counted = Scope(), []
    monkeypatch.setattr(
        words, "counted_words", lambda text: counted.append(text) or lexical_rank.counted_words(text)
    )
    write(neo4j_graph, collection, "one", [MET])
    write(neo4j_graph, collection, "two", [BUILT])
    assert facts_in(keeper.view(collection, everything)) == {MET[0], BUILT[0]}
    counted.clear()
    write(neo4j_graph, collection, "two", [WARSAW])
    assert facts_in(keeper.view(collection, everything)) == {MET[0], WARSAW[0]}
    assert counted == [f"Two\n{WARSAW[0]}"]


def test_a_scope_that_is_too_large_is_refused_with_what_to_do(neo4j_graph, collection):
    write(neo4j_graph, collection, "one", [MET, BUILT])
    small = ScopeKeeper(neo4j_graph.connection, 1)
    with pytest.raises(Permanent, match="HOPLINE_SEARCH_MEMORY_FACTS"):
        small.view(collection, scope_of(collection, "one"))


def test_only_versions_of_what_is_read_are_looked_up(neo4j_graph, collection):
    write(neo4j_graph, collection, "one", [MET])
    write(neo4j_graph, collection, "two", [BUILT])
    looked_up = []

    class Noting(Beside):
        def run(self, query: str, /, **parameters: Any) -> list[Row]:
            rows = super().run(query, **parameters)
            looked_up.extend(row["id"] for row in rows if query == "versions")
            return rows

    ScopeKeeper(Noting(neo4j_graph.connection), 10_000).view(collection, scope_of(collection, "one"))
    assert looked_up == [ids.document_id(collection, "one")]


def test_a_place_from_before_scopes_names_what_its_fact_does(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "one", [MET], title="Bob")
    write(neo4j_graph, collection, "two", [BUILT])
    held = "MATCH (:Document {collection: $c})-[:HAS_CHUNK]->()-[hold:HAS_ATOMIC_FACT]->()"
    neo4j_graph.connection.run_text("forget", f"{held} REMOVE hold.named", None, c=collection)
    view = keeper.view(collection, scope_of(collection, "one"))
    named = {view.contents.names[element]: titled for element, titled in view.elements_of(0)}
    assert named == {"ada": False, "paris": False, "bob": True}
