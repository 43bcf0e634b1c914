"""Who may see a document is narrowed before another text of it can be seen, over a real Neo4j."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from doubles.documents import BOHR, CURIE, WARSAW, Sentence, made_document, write

from hopline.errors import Transient
from hopline.models.documents import Document
from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.kept.past import _hidden
from workers.core.errors import DocumentSuperseded
from workers.core.metadata.changes import MetadataChange, change_by_ingestion
from workers.core.scope import Scope, allowed_to

ANN, BO, CY, EVERYONE = ("user:ann",), ("user:bo",), ("user:cy",), ("*",)
Allow = tuple[str, ...]
_NOTE = "MATCH (d:Document {id: $id}) RETURN d.allow_before AS note"
_LEAVE = "MATCH (d:Document {id: $id}) SET d.allow_before = $note"


@contextmanager
def cut_off(before: str = "make_live") -> Iterator[None]:
    """Let no version become live, or not another query run, and see that it was about to."""
    run = Connection.run

    def runs(connection: Connection, name: str, /, **parameters: Any) -> Any:
        if name == before:
            raise Transient("cut off")
        return run(connection, name, **parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "run", runs)
        with pytest.raises(Transient, match="cut off"):
            yield


def _bring(graph, collection, sentence, allow, *, keep=False):
    """Ingest a version of a document; keep the one before if that is wanted."""
    document, chunks = made_document(collection, "a", [sentence])
    opened = graph.store.open_version(document.model_copy(update={"pending_allow": allow}))
    if keep:
        graph.kept.write(document.id)
    graph.store.write_chunks(opened, chunks)
    graph.store.make_live(opened, metadata=change_by_ingestion({"allow": allow} if allow else {}, {}))


def _bring_until_it_is_live(graph: Neo4jGraph, collection: str, sentence: Sentence, allow: Allow) -> None:
    with cut_off():
        _bring(graph, collection, sentence, allow, keep=True)


def _stored(graph: Neo4jGraph, collection: str) -> Document:
    return graph.store.document(made_document(collection, "a", [CURIE])[0].id)


def _seers(graph: Neo4jGraph, collection: str) -> set[str]:
    """Return who sees the document now."""
    name = _stored(graph, collection).id
    return {who for (who,) in (ANN, BO, CY) if graph.store.document_meant(name, allowed_to([who]))}


def _noted(graph: Neo4jGraph, collection: str, label: str) -> list[Allow | None]:
    """Return who might see what is noted under a label of the document's versions, the first to end first."""
    query = f"MATCH (v:{label} {{id: $id}}) RETURN v.meta_list_allow AS allow, v.allow_before AS left"
    query += " ORDER BY v.until"
    rows = graph.connection.run_text("noted", query, id=_stored(graph, collection).id)
    assert not any(row["left"] for row in rows)
    return [None if row["allow"] is None else tuple(row["allow"]) for row in rows]


def test_of_a_first_version_it_is_said_before_it_is_live(graph, collection):
    for allow in (ANN, BO):
        _bring_until_it_is_live(graph, collection, CURIE, allow)
        stored = _stored(graph, collection)
        assert stored.status != "indexed"
        assert stored.metadata == {"allow": allow}
    _bring(graph, collection, CURIE, CY)
    assert _stored(graph, collection).metadata == {"allow": CY}


@pytest.mark.parametrize(("before", "allow", "between"), [
    ((), ANN, ANN),
    (EVERYONE, ANN, ANN),
    (ANN + BO, BO + CY, BO),
    (ANN, BO, ()),
    (ANN, EVERYONE, ANN),
    ((), (), ANN + BO + CY),
])  # fmt: skip
def test_until_a_version_is_live_the_old_is_for_who_may_see_both(graph, collection, before, allow, between):
    everybody = {*ANN, *BO, *CY}
    graph.kept.begin(collection)
    _bring(graph, collection, CURIE, before)
    for _ in range(2):
        _bring_until_it_is_live(graph, collection, BOHR, allow)
        assert _seers(graph, collection) == set(between)
    _bring(graph, collection, BOHR, allow, keep=True)
    assert _seers(graph, collection) == (everybody if allow in {(), EVERYONE} else set(allow))
    # The kept version is for whom it was.
    assert _noted(graph, collection, "KeptVersion") == [before or None]
    assert _noted(graph, collection, "Document") == [allow or None]


def test_a_change_by_hand_after_it_was_narrowed_stays_and_is_the_kept_versions(graph, collection):
    graph.kept.begin(collection)
    _bring(graph, collection, CURIE, ANN)
    _bring_until_it_is_live(graph, collection, BOHR, BO)
    by_hand = MetadataChange(values={"allow": CY})
    graph.store.change_metadata([_stored(graph, collection).id], by_hand)
    _bring_until_it_is_live(graph, collection, BOHR, BO)
    assert _seers(graph, collection) == set(CY)
    _bring(graph, collection, BOHR, BO, keep=True)
    assert _seers(graph, collection) == set(CY)
    assert _noted(graph, collection, "KeptVersion") == [CY]


@pytest.mark.parametrize("deleted", [False, True])
def test_a_version_that_was_overtaken_narrows_nothing(graph, collection, deleted):
    _bring(graph, collection, CURIE, EVERYONE)
    overtaken = graph.store.open_version(made_document(collection, "a", [BOHR])[0])
    if deleted:
        graph.store.delete_document(overtaken.id)
    # The live text comes back, or the same text as another version.
    graph.store.open_version(made_document(collection, "a", [BOHR if deleted else CURIE])[0])
    with pytest.raises(DocumentSuperseded):
        graph.store.make_live(overtaken, metadata=MetadataChange(values={"allow": ANN}))
    assert _stored(graph, collection).metadata == ({} if deleted else {"allow": EVERYONE})


def test_a_worker_from_before_a_deletion_narrows_nothing_of_the_document_made_anew(graph, collection):
    before = graph.store.open_version(made_document(collection, "a", [CURIE])[0])
    graph.store.delete_document(before.id)
    anew = graph.store.open_version(made_document(collection, "a", [BOHR])[0])
    assert anew.version == before.version
    with pytest.raises(DocumentSuperseded):
        graph.store.make_live(before, metadata=MetadataChange(values={"allow": ANN}))
    graph.store.make_live(anew)
    assert _seers(graph, collection) == {*ANN, *BO, *CY}


def test_what_is_live_already_or_of_another_document_is_not_narrowed(graph, collection):
    _bring(graph, collection, CURIE, ANN)
    graph.store.change_metadata([_stored(graph, collection).id], MetadataChange(values={"allow": ANN + BO}))
    write(graph, collection, "b", [CURIE])
    with cut_off():
        graph.store.make_live(_stored(graph, collection), metadata=MetadataChange(values={"allow": ANN}))
    assert _seers(graph, collection) == {*ANN, *BO}
    for uri in ("a", "b"):
        version = graph.store.open_version(made_document(collection, uri, [BOHR])[0])
    with cut_off():
        graph.store.make_live(version, metadata=MetadataChange(values={"allow": ANN}))
    assert _seers(graph, collection) == {*ANN, *BO}


def test_what_is_nobodys_as_its_list_is_none_stays_so(graph, collection):
    _bring(graph, collection, CURIE, ())
    name = _stored(graph, collection).id
    graph.connection.run_text("text", "MATCH (d:Document {id: $id}) SET d.meta_text_allow = 'Ann'", id=name)
    _bring_until_it_is_live(graph, collection, BOHR, BO)
    assert _seers(graph, collection) == set()


def test_what_is_lost_while_it_was_narrowed_is_noted_for_whom_it_was(graph, collection):
    graph.kept.begin(collection)
    _bring(graph, collection, CURIE, ANN + BO)
    with cut_off():
        _bring(graph, collection, BOHR, BO)
    name = _stored(graph, collection).id
    graph.store.delete_document(name)
    rows = graph.connection.run_text("noted", "MATCH (l:KeptLoss {id: $id}) RETURN l.allow AS allow", id=name)
    assert [tuple(row["allow"]) for row in rows] == [ANN + BO]


def test_a_note_that_a_worker_of_the_version_before_left_counts_for_no_later_version(graph, collection):
    graph.kept.begin(collection)
    _bring(graph, collection, CURIE, ANN + BO)
    _bring_until_it_is_live(graph, collection, BOHR, BO)
    name = _stored(graph, collection).id
    (row,) = graph.connection.run_text("note", _NOTE, id=name)
    _bring(graph, collection, BOHR, BO)
    graph.connection.run_text("leave", _LEAVE, id=name, **row)
    _bring(graph, collection, WARSAW, ANN + BO, keep=True)
    assert _noted(graph, collection, "KeptVersion") == [ANN + BO, BO]


def test_a_version_that_everyone_may_see_again_is_kept_for_everyone(graph, collection):
    graph.kept.begin(collection)
    _bring(graph, collection, CURIE, ANN + BO)
    _bring_until_it_is_live(graph, collection, BOHR, BO)
    opened = graph.store.open_version(made_document(collection, "a", [CURIE])[0])
    unset = MetadataChange(unset=("allow",))
    graph.store.note_source(opened.id, opened.version, "", opened.uri, unset)
    assert _seers(graph, collection) == {*ANN, *BO, *CY}
    _bring(graph, collection, BOHR, BO, keep=True)
    assert _noted(graph, collection, "KeptVersion") == [None]


def test_of_a_deleted_one_it_is_said_until_it_is_hidden(graph, collection):
    # Who reads while a transaction is written may see a part of it.
    _bring(graph, collection, CURIE, ANN)
    stored = _stored(graph, collection)
    with cut_off("remove_chunks"):
        graph.store.delete_document(stored.id)
    graph.store.set_status(stored.id, stored.version, "failed", "the file is empty")
    hidden = _stored(graph, collection)
    assert (hidden.status, hidden.metadata["allow"]) == ("deleting", ANN)
    assert not _seers(graph, collection)
    assert not graph.store.documents_found(collection, live=True)
    _bring(graph, collection, WARSAW, ())
    assert _seers(graph, collection) == {who for (who,) in (ANN, BO, CY)}


def test_while_a_document_is_deleted_its_versions_are_for_who_may_see_it(graph, collection):
    _bring(graph, collection, CURIE, ())
    _bring(graph, collection, WARSAW, ANN, keep=True)
    stored = _stored(graph, collection)
    with cut_off("remove_chunks"):
        graph.store.delete_document(stored.id)
    # As where what its deletion notes of it is not written yet.
    graph.connection.run_text(
        "unwritten",
        "MATCH (v:KeptVersion|KeptLoss {id: $id}) WHERE v.meta_list_allow IS NOT NULL DELETE v",
        id=stored.id,
    )
    for who, hidden in ((ANN, frozenset()), (BO, frozenset({stored.id}))):
        scope = Scope(known_at="2026-11-01").seen_by(who)
        assert _hidden(graph.connection, scope, 0, [stored.id]) == hidden


@pytest.mark.parametrize("change", ["SET d.live = 0", "SET d.meta_list_allow = ['user:ann']"])
def test_a_document_that_changes_while_a_page_is_read_is_read_again(graph, collection, change, monkeypatch):
    _bring(graph, collection, CURIE, ())
    run = Connection.run_text
    reads = []

    def changed_after(connection: Connection, name: str, query: str, **parameters: Any) -> Any:
        if name == "documents_found" and not reads:
            query = query.replace("RETURN key, d {.*}", f"{change} RETURN key, d {{.*}}")
        reads.append(name)
        return run(connection, name, query, **parameters)

    monkeypatch.setattr(Connection, "run_text", changed_after)
    documents = graph.store.documents_found(collection, live=True, where=allowed_to(BO))
    assert (documents, reads) == ([], ["documents_found"] * 2)
