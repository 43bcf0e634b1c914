"""Versions that were live are kept: each once, as many as are wanted, for who may see the documents now."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from doubles.connections import Beside
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document
from doubles.kept import KeptLibrary, passed
from doubles.keys import KEY
from doubles.scope_cases import Searched, Store, WordModel

from hopline.errors import InvalidInput, Transient
from hopline.models.search import Found
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.scoped import keeper
from workers.adapters.neo4j.scoped.graph import ScopedGraph
from workers.adapters.neo4j.scoped.keeper import ScopeKeeper
from workers.adapters.qdrant.joined import vectors_within
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.core.graph.kept_versions import Keeping, kept_store
from workers.core.metadata.changes import MetadataChange
from workers.core.scope import Scope, scope_for
from workers.ingest.reindex import ReindexInput, reindex_collection
from workers.ingest.versions import begin_keeping, keep_vectors, remove_versions, tidy_versions
from workers.search.search import search

ANN, BO = ("user:ann",), ("user:bo",)


@pytest.fixture
def store(neo4j_graph: Neo4jGraph, qdrant_url: str) -> Store:
    return Store(neo4j_graph, QdrantVectors(qdrant_url, KEY), WordModel())


@pytest.fixture
def library(store: Store, collection: str) -> Iterator[KeptLibrary]:
    library = KeptLibrary(store, collection, Keeping(versions=10))
    yield library
    remove_versions(library.ports, store.graph.kept.named(collection=collection))
    store.vectors.drop(collection)


def view(library: KeptLibrary, at: datetime, principals: Sequence[str] | None = None, **scope: Any) -> Any:
    keeper = ScopeKeeper(library.store.graph.connection, 1_000)
    return keeper.view(library.collection, scope_for(Scope(known_at=at, **scope), principals))


def facts(library, at, principals=None, **scope):
    return {place.text for place in view(library, at, principals, **scope).contents.places}


def now(library: KeptLibrary) -> datetime:
    return passed(library.store.graph)


def test_three_versions_of_two_documents_and_a_deletion_are_read_at_each_time(library):
    begun = now(library)
    library.replace("a", [[CURIE]])
    first = now(library)
    library.replace("b", [[WARSAW]])
    library.replace("a", [[CURIE], [PRIZE]])
    second = now(library)
    library.replace("a", [[PRIZE]])
    library.replace("b", [[BOHR]])
    third = now(library)
    library.delete("a")
    last = now(library)
    library.replace("a", [[WARSAW]])
    again = now(library)
    library.replace("a", [[PRIZE]])  # it counts its versions from 1 again

    assert facts(library, begun) == set()
    assert facts(library, first) == {CURIE[0]}
    assert facts(library, second) == {CURIE[0], PRIZE[0], WARSAW[0]}
    assert facts(library, third) == {PRIZE[0], BOHR[0]}
    assert facts(library, last) == {BOHR[0]}
    assert facts(library, again) == {BOHR[0], WARSAW[0]}
    assert facts(library, second, documents=(library.id_of("b"),)) == {WARSAW[0]}
    # What is live stands beside it as ever.
    assert library.store.graph.store.collections()[library.collection] == 2


def test_a_kept_version_says_which_it_was_and_until_when_and_its_text_opens(library):
    library.replace("a", [[CURIE], [WARSAW]])
    then = now(library)
    library.replace("a", [[BOHR]])
    later = now(library)
    read = view(library, then)
    span = read.ended(library.id_of("a"))
    assert span.version == 1
    assert then < datetime.fromisoformat(span.until) <= later
    passage = read.passage(library.id_of("a"), 0, 1_000)
    assert (passage.text.split("\n\n"), passage.length) == ([CURIE[0], WARSAW[0]], len(passage.text))
    assert view(library, later).ended(library.id_of("a")) is None


def test_who_may_see_a_later_version_only_sees_no_earlier_one_and_the_other_way_round(library):
    library.replace("opened", [[CURIE]], {"allow": ANN})
    library.replace("closed", [[WARSAW]], {"allow": ("*",)})
    library.replace("gone", [[PRIZE]], {"allow": ("*",)})
    then = now(library)
    library.replace("opened", [[PRIZE]], {"allow": ("*",)})
    since = now(library)
    library.replace("opened", [[BOHR]], {"allow": ("*",)})
    library.replace("closed", [[BOHR]], {"allow": ANN})
    library.replace("gone", [[BOHR]], {"allow": ANN})
    library.delete("gone")
    after = now(library)
    library.replace("gone", [[BOHR]], {"allow": ("*",)})  # another document, of the same name
    assert facts(library, then, ANN) == {CURIE[0], WARSAW[0], PRIZE[0]}
    assert facts(library, then, BO) == set()
    assert facts(library, since, BO) == {PRIZE[0]}
    assert facts(library, after, BO) == {BOHR[0]}


def test_a_document_that_was_deleted_and_is_coming_again_hides_nothing_until_it_is_live(library):
    library.replace("a", [[CURIE]])
    then = now(library)
    library.delete("a")
    coming, chunks = made_document(library.collection, "a", [BOHR])
    opened = library.store.graph.store.open_version(coming)
    library.store.graph.store.write_chunks(opened, chunks)
    library.store.graph.store.change_metadata([coming.id], MetadataChange(values={"allow": ANN}))
    assert facts(library, then, BO) == {CURIE[0]}
    reader = ScopeKeeper(library.store.graph.connection, 1_000)
    assert reader.documents_in(library.collection, Scope(known_at=now(library))) == frozenset()
    library.store.graph.store.make_live(opened)
    assert facts(library, then, BO) == set()


def test_what_another_collection_lost_or_keeps_is_not_read(store, library):
    other = KeptLibrary(store, f"{library.collection}-other", Keeping(versions=1))
    library.replace("a", [[CURIE]])
    other.replace("a", [[CURIE]])
    then = now(library)
    other.replace("a", [[PRIZE]])
    kept = now(library)
    other.replace("a", [[BOHR]])
    with pytest.raises(InvalidInput, match="is not kept any more"):
        facts(other, then)
    assert facts(other, kept) == {PRIZE[0]}
    assert facts(library, then) == facts(library, kept) == {CURIE[0]}
    remove_versions(other.ports, store.graph.kept.named(collection=other.collection))


def test_beyond_so_many_versions_it_is_refused_with_the_time_from_which_it_is_exact(store, collection):
    library = KeptLibrary(store, collection, Keeping(versions=1))
    begun = now(library)
    library.replace("a", [[CURIE]], {"allow": ANN})
    library.replace("b", [[WARSAW]])
    lost = now(library)
    library.replace("a", [[PRIZE]], {"allow": ANN})
    kept = now(library)
    library.replace("a", [[BOHR]], {"allow": ANN})

    assert facts(library, begun) == set()
    assert facts(library, kept) == {PRIZE[0], WARSAW[0]}
    assert facts(library, lost, documents=(library.id_of("b"),)) == {WARSAW[0]}
    assert facts(library, lost, BO) == {WARSAW[0]}  # of what is hidden nothing is reported
    with pytest.raises(
        InvalidInput, match=r"known_at is .* or later: .* 1 of the documents .*\(a\)"
    ) as refused:
        facts(library, lost)
    exact = datetime.fromisoformat(refused.value.allowed.split()[0])
    assert lost < exact < kept
    assert facts(library, exact) == {PRIZE[0], WARSAW[0]}


def test_of_versions_that_are_lost_each_is_told_to_those_only_who_might_see_it(store, collection):
    library = KeptLibrary(store, collection, Keeping(versions=1))
    library.replace("a", [[CURIE]], {"allow": ANN})
    library.replace("b", [[WARSAW]])
    closed, times = now(library), list[datetime]()
    for sentence in (PRIZE, CURIE, BOHR):  # two more are lost, which everyone might see
        library.replace("a", [[sentence]], {"allow": ("*",)})
        times.append(now(library))
    assert facts(library, closed, BO) == {WARSAW[0]}
    for at, asks in ((closed, ANN), (times[0], ANN), (times[0], BO)):
        with pytest.raises(InvalidInput, match=r"is not kept any more \(a\)"):
            facts(library, at, asks)


def test_what_was_replaced_while_nothing_was_kept_is_refused(store, collection):
    library = KeptLibrary(store, collection, Keeping(versions=5))
    library.replace("a", [[CURIE]])
    library.replace("b", [[WARSAW]])
    library.replace("c", [[WARSAW]])
    then = now(library)
    library.ports.keeping = Keeping(versions=0)
    library.replace("a", [[PRIZE]])
    library.delete("b")
    library.ports.keeping = Keeping(versions=5)
    for lost in ("a", "b"):
        with pytest.raises(InvalidInput, match=r"known_at is .* is not kept any more"):
            facts(library, then, documents=(library.id_of(lost),))
    assert facts(library, then, documents=(library.id_of("c"),)) == {WARSAW[0]}


def test_times_of_which_nothing_can_be_known_are_refused(library):
    library.replace("a", [[CURIE]])
    with pytest.raises(InvalidInput, match="a time in the past"):
        facts(library, datetime.now(UTC) + timedelta(days=2))
    with pytest.raises(InvalidInput, match=r"since then versions of collection .* are kept"):
        facts(library, datetime(2020, 1, 1, tzinfo=UTC))
    other = KeptLibrary.__new__(KeptLibrary)
    other.store, other.collection = library.store, f"{library.collection}-other"
    with pytest.raises(InvalidInput, match="earlier versions are not kept there"):
        facts(other, now(library))


def test_after_so_many_days_a_version_goes_with_its_vectors(library):
    library.replace("a", [[CURIE]], title="Maria Curie")  # the title has a vector as well
    then = now(library)
    library.replace("a", [[BOHR]])
    vectors = library.store.vectors
    assert vectors.count(kept_store(library.collection)) == 2 + len(CURIE[1])
    tidy_versions(library.ports, Keeping(versions=10, days=1))
    assert facts(library, then) == {CURIE[0]}
    now(library)
    tidy_versions(library.ports, Keeping(versions=10, days=0), library.id_of("a"))
    assert vectors.count(kept_store(library.collection)) == 0
    assert library.store.graph.kept.named(collection=library.collection) == []
    with pytest.raises(InvalidInput, match="is not kept any more"):
        facts(library, then)


def test_erasing_a_document_takes_its_versions_at_once_also_after_it_was_deleted(library):
    own = (f"The secret of {library.collection} is green.", ["secret"])  # no other test's document has it
    for uri in ("a", "b"):
        library.replace(uri, [[own]])
        library.replace(uri, [[BOHR]])
    library.delete("a", erase=True)
    library.delete("b")
    assert len(library.store.graph.kept.named(collection=library.collection)) == 2
    library.delete("b", erase=True)
    assert library.store.graph.kept.named(collection=library.collection) == []
    assert library.store.vectors.count(kept_store(library.collection)) == 0
    parts = "MATCH (p:KeptPart) WHERE p.body CONTAINS $text RETURN count(p) AS parts"
    [row] = library.store.graph.connection.run_text("parts", parts, None, text=own[0])
    assert row["parts"] == 0


def test_a_version_that_is_erased_while_its_vectors_are_made_leaves_none(library, monkeypatch):
    library.replace("a", [[CURIE]])
    begin_keeping(library.ports, library.id_of("a"))
    embedded = library.store.model.embed

    def erased(texts: Sequence[str]) -> list[list[float]]:
        remove_versions(library.ports, library.store.graph.kept.named(collection=library.collection))
        return embedded(texts)

    monkeypatch.setattr(library.store.model, "embed", erased)
    keep_vectors(library.ports, library.id_of("a"))
    assert library.store.vectors.count(kept_store(library.collection)) == 0


def test_whoever_is_killed_on_the_way_and_comes_again_keeps_one_version(library):
    ports, graph = library.ports, library.store.graph
    library.replace("a", [[CURIE]])
    then, document_id = now(library), library.id_of("a")
    document, chunks = made_document(library.collection, "a", [BOHR])
    opened = graph.store.open_version(document)
    for _ in range(2):  # killed after each, and done again
        begin_keeping(ports, document_id)
    graph.store.write_chunks(opened, chunks)
    begin_keeping(ports, document_id)  # another job with the same text comes upon it
    for _ in range(2):
        keep_vectors(ports, document_id)
    assert facts(library, then) == {CURIE[0]}  # it is live still
    for _ in range(2):
        graph.store.make_live(opened)
        keep_vectors(ports, document_id)
    assert facts(library, then) == {CURIE[0]}
    assert len(graph.kept.named(collection=library.collection)) == 1
    keys = [version.key for version in graph.kept.named(collection=library.collection)]
    graph.kept.drop(keys)  # killed before the vectors went
    with pytest.raises(InvalidInput, match="is not kept any more"):
        facts(library, then)
    tidy_versions(ports, ports.keeping)
    assert graph.kept.named(collection=library.collection) == []
    assert library.store.vectors.count(kept_store(library.collection)) == 0


def test_of_all_documents_those_of_too_many_versions_lose_the_oldest(library):
    for uri, sentences in (("a", [CURIE, PRIZE, WARSAW, BOHR]), ("b", [CURIE, BOHR])):
        for sentence in sentences:
            library.replace(uri, [[sentence]])
            now(library)
    graph = library.store.graph
    assert tidy_versions(library.ports, Keeping(versions=2)) == 1
    left = [version.key for version in graph.kept.named(collection=library.collection)]
    assert sorted(key.split("@")[1].split(".")[0] for key in left) == ["1", "2", "3"]
    assert tidy_versions(library.ports, Keeping(versions=0)) == 3


def test_a_version_that_goes_while_versions_are_selected_is_not_left_out_of_what_is_read(library):
    library.replace("a", [[CURIE]])
    then = now(library)
    library.replace("a", [[BOHR]])
    now(library)
    connection = library.store.graph.connection
    beside = Beside(connection, kept_selected=lambda: tidy_versions(library.ports, Keeping(versions=0)))
    with pytest.raises(InvalidInput, match="is not kept any more"):
        ScopeKeeper(beside, 1_000).view(library.collection, Scope(known_at=then))


def test_a_version_that_goes_while_it_is_read_is_not_left_out_of_what_is_read(library, monkeypatch):
    library.replace("a", [[CURIE]])
    then = now(library)
    monkeypatch.setattr(keeper, "read_kept", lambda _connection, _keys: {})
    library.replace("a", [[BOHR]])
    with pytest.raises(Transient, match="ask again"):
        facts(library, then)


def test_what_models_replied_to_erased_versions_goes_unless_a_live_document_says_the_same(library):
    secret = (f"The secret of {library.collection} is blue.", ["secret"])  # no other test's document has it
    library.replace("a", [[secret], [PRIZE]])
    library.replace("a", [[BOHR]])
    library.replace("b", [[PRIZE]])
    [version] = library.store.graph.kept.named(collection=library.collection)
    texts = sorted(library.store.graph.kept.texts(version), key=lambda text: secret[0] not in text.text)
    erased, held = [text.content_hash for text in texts]
    for content in (erased, held):
        library.ports.replies.put(content, "key", b"facts")
    library.delete("a", erase=True)
    assert erased not in library.ports.replies.contents
    assert held in library.ports.replies.contents


def found(library: KeptLibrary, at: datetime) -> Found:
    """Return what a search finds of what was live at a time."""
    graph, name = ScopedGraph(lambda: view(library, at)), library.collection
    vectors = vectors_within(library.store.vectors, [name, kept_store(name)], lambda: graph.view)
    searched = search(CURIE[0], name, Searched(graph, vectors, library.store.model), limit=5)
    return searched.model_copy(update={"seconds": {}})


def test_reindexing_finds_the_same_of_what_was_live_at_each_time(library):
    vectors, store = library.store.vectors, kept_store(library.collection)
    library.replace("a", [[CURIE], [WARSAW]], title="A note")
    library.replace("gone", [[PRIZE]])
    times = [now(library)]
    library.replace("a", [[BOHR], [CURIE]], title="Another note")
    library.delete("gone")
    times.append(now(library))
    library.store.graph.kept.write(library.id_of("a"))  # whoever was killed left one that is pending
    keep_vectors(library.ports, library.id_of("a"))
    before = [found(library, at) for at in times]
    counts = [vectors.count(store, kind) for kind in ("chunk", "element")]
    for _again in range(2):
        reindex_collection(ReindexInput(drop=True), library.ports)
        assert vectors.count(store, "chunk") == 0
        reindex_collection(ReindexInput(drop=False), library.ports)
        assert [found(library, at) for at in times] == before
        assert [vectors.count(store, kind) for kind in ("chunk", "element")] == counts
    assert all(result.chunks for result in before)
