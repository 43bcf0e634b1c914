"""What a scope holds follows the graph: documents that go and come again, merges, versions on their way."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Any

import pytest
from doubles.documents import WARSAW, made_document, made_element, write

from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped import words
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.adapters.neo4j.scoped.view import View
from workers.core import ids
from workers.core.answers import lexical_rank
from workers.core.errors import Permanent
from workers.core.graph.merges import Proposal
from workers.core.metadata.changes import MetadataChange
from workers.core.scope import Scope

MET = ("Ada met Paris.", ["Ada", "Paris"])
BUILT = ("Bob built London.", ["Bob", "London"])


@pytest.fixture
def keeper(neo4j_graph: Neo4jGraph) -> ScopeKeeper:
    return ScopeKeeper(neo4j_graph.connection, 10_000)


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


def test_what_is_read_while_an_older_version_goes_is_read_again(neo4j_graph, collection, keeper, monkeypatch):
    scope = scope_of(collection, "one")
    write(neo4j_graph, collection, "one", [MET], [BUILT])
    remove = neo4j_graph.store._remove_chunks

    def read_before(document_id: str) -> object:
        keeper.view(collection, scope)
        return remove(document_id)

    monkeypatch.setattr(neo4j_graph.store, "_remove_chunks", read_before)
    document, chunks = made_document(collection, "one", [MET])
    opened = neo4j_graph.store.open_version(document)
    neo4j_graph.store.write_chunks(opened, chunks)
    neo4j_graph.store.make_live(opened)
    fresh = ScopeKeeper(neo4j_graph.connection, 10_000).view(collection, scope)
    assert facts_in(keeper.view(collection, scope)) == facts_in(fresh) == {MET[0]}


def test_a_merge_into_a_name_outside_does_not_show_that_name(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "inside", [("Acme built a mill.", ["acme", "mill"])])
    write(neo4j_graph, collection, "outside", [("Secret Name left.", ["secret name"])])
    acme, secret = (made_element(collection, name).id for name in ("acme", "secret name"))
    proposal = Proposal(
        source=acme,
        source_name="acme",
        target=secret,
        target_name="secret name",
        rule="spelling",
        evidence="",
    )
    assert neo4j_graph.merging.merge_elements(collection, proposal, "job")
    graph = ScopedGraph(lambda: keeper.view(collection, scope_of(collection, "inside")))
    assert [element.name for element in graph.nodes.elements(collection, [acme])] == ["acme"]
    assert graph.nodes.elements(collection, [secret]) == []
    everything = ScopedGraph(lambda: keeper.view(collection, Scope()))
    assert [element.name for element in everything.nodes.elements(collection, [acme])] == ["secret name"]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"where": 'author = "Ann"'}, {MET[0]}),
        ({"as_of": "2020-12-31"}, {BUILT[0]}),
        ({"where": 'author = "Ann"', "as_of": "2020-12-31"}, set()),
        ({}, {MET[0], BUILT[0], WARSAW[0]}),
    ],
)
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
        document, chunks = made_document(collection, uri, [BUILT])
        neo4j_graph.store.write_chunks(neo4j_graph.store.open_version(document), chunks)
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
def test_only_merges_that_people_made_and_did_not_undo_count(
    neo4j_graph, collection, keeper, job, undone, name
):
    write(neo4j_graph, collection, "one", [MET], [BUILT])
    ada, bob = (made_element(collection, person).id for person in ("Ada", "Bob"))
    proposal = Proposal(
        source=ada, source_name="ada", target=bob, target_name="bob", rule="spelling", evidence=""
    )
    assert neo4j_graph.merging.merge_elements(collection, proposal, job)
    if undone:
        [merge] = neo4j_graph.merging.merges(collection)
        neo4j_graph.merging.undo_merge(collection, merge.id)
    graph = ScopedGraph(lambda: keeper.view(collection, Scope()))
    assert [element.name for element in graph.nodes.elements(collection, [ada])] == [name]


def test_a_title_that_changed_is_that_of_the_view(neo4j_graph, collection, keeper):
    name = ids.document_id(collection, "one")
    write(neo4j_graph, collection, "one", [MET], title="Ada")
    keeper.view(collection, Scope())
    live = neo4j_graph.store.document(name)
    neo4j_graph.store.make_live(live.model_copy(update={"title": "Lovelace"}))
    view = keeper.view(collection, Scope())
    assert view.document(name).title == "Lovelace"
    assert [at for at, _score in view.contents.words.best("Lovelace", 5)] == [0]


def test_what_changed_while_it_was_read_is_read_again(neo4j_graph, collection, keeper, monkeypatch):
    write(neo4j_graph, collection, "one", [MET])
    stream = keeper._connection.stream

    def read_after(*args: object, **named: object) -> object:
        neo4j_graph.store.delete_document(ids.document_id(collection, "one"))
        yield from stream(*args, **named)

    monkeypatch.setattr(keeper._connection, "stream", read_after)
    assert facts_in(keeper.view(collection, Scope())) == set()
    monkeypatch.undo()
    write(neo4j_graph, collection, "one", [MET])
    assert facts_in(keeper.view(collection, Scope())) == {MET[0]}


def test_what_was_read_in_the_middle_of_a_commit_is_read_again(neo4j_graph, collection, keeper, monkeypatch):
    scope = scope_of(collection, "one")
    write(neo4j_graph, collection, "one", [MET], [BUILT])
    stream = keeper._connection.stream

    def first_chunks(*args: Any, **more: Any) -> Iterator[Any]:
        return islice(stream(*args, **more), 1)

    with monkeypatch.context() as torn:
        torn.setattr(keeper._connection, "stream", first_chunks)
        assert len(facts_in(keeper.view(collection, scope))) == 1
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
    bob, london = (made_element(other, name).id for name in BUILT[1])
    proposal = Proposal(
        source=bob, source_name="bob", target=london, target_name="london", rule="spelling", evidence=""
    )
    assert neo4j_graph.merging.merge_elements(other, proposal, "job")
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


def test_changed_metadata_show_with_the_next_view(neo4j_graph, collection, keeper):
    everything, name = Scope(), ids.document_id(collection, "one")
    write(neo4j_graph, collection, "one", [MET])
    keeper.view(collection, everything)
    neo4j_graph.store.change_metadata([name], MetadataChange(values={"author": "Ann"}))
    document = keeper.view(collection, everything).document(name)
    assert document is not None
    assert document.metadata == {"author": "Ann"}


def test_a_scope_that_is_too_large_is_refused_with_what_to_do(neo4j_graph, collection):
    write(neo4j_graph, collection, "one", [MET, BUILT])
    small = ScopeKeeper(neo4j_graph.connection, 1)
    with pytest.raises(Permanent, match="HOPLINE_SEARCH_MEMORY_FACTS"):
        small.view(collection, scope_of(collection, "one"))


def test_only_versions_of_what_is_read_are_looked_up(neo4j_graph, collection, keeper, monkeypatch):
    write(neo4j_graph, collection, "one", [MET])
    write(neo4j_graph, collection, "two", [BUILT])
    run, looked_up = keeper._connection.run, []

    def run_and_note(name: str, **parameters: object) -> object:
        rows = run(name, **parameters)
        looked_up.extend(row["id"] for row in rows if name == "versions")
        return rows

    monkeypatch.setattr(keeper._connection, "run", run_and_note)
    keeper.view(collection, scope_of(collection, "one"))
    assert looked_up == [ids.document_id(collection, "one")]


def test_a_place_from_before_scopes_names_what_its_fact_does(neo4j_graph, collection, keeper):
    write(neo4j_graph, collection, "one", [MET], title="Bob")
    write(neo4j_graph, collection, "two", [BUILT])
    held = "MATCH (:Document {collection: $c})-[:HAS_CHUNK]->()-[hold:HAS_ATOMIC_FACT]->()"
    neo4j_graph.connection.run_text("forget", f"{held} REMOVE hold.named", None, c=collection)
    view = keeper.view(collection, scope_of(collection, "one"))
    named = {view.contents.names[element]: titled for element, titled in view.elements_of(0)}
    assert named == {"ada": False, "paris": False, "bob": True}
