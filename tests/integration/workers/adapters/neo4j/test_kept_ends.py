"""Where a text stops being live, its kept version ends or its loss is noted, and no other's: a real Neo4j."""

import pytest
from doubles.documents import BOHR, CURIE, WARSAW, Sentence, made_document
from doubles.graph_steps import write_hidden

from workers.adapters.neo4j.graph import Neo4jGraph


def _id(collection: str, uri: str) -> str:
    return made_document(collection, uri, [CURIE])[0].id


def _bring(graph: Neo4jGraph, collection: str, uri: str, sentence: Sentence, *, keep: bool = True) -> None:
    """Ingest a version of a document; keep the one before if that is wanted."""
    document, chunks = made_document(collection, uri, [sentence])
    opened = graph.store.open_version(document)
    if keep:
        graph.kept.write(document.id)
    graph.store.write_chunks(opened, chunks)
    graph.store.make_live(opened)


def _replace(graph: Neo4jGraph, collection: str, uri: str) -> None:
    _bring(graph, collection, uri, WARSAW, keep=False)


def _delete(graph: Neo4jGraph, collection: str, uri: str) -> None:
    graph.store.delete_document(_id(collection, uri))


both_ends = pytest.mark.parametrize("end", [_replace, _delete])


def _kept(graph: Neo4jGraph, name: str) -> set[tuple[str, str, int]]:
    """Return the versions of a document: key, state, and until when each was live; 0 while it is."""
    query = "MATCH (v:KeptVersion {id: $id}) RETURN v.key AS key, v.state AS state, v.until AS until"
    rows = graph.connection.run_text("noted", query, id=name)
    return {(row["key"], row["state"], row["until"] or 0) for row in rows}


def _lost(graph: Neo4jGraph, collection: str) -> list[str]:
    """Return of which documents of a collection the loss of a version is noted, as a gap and for whom."""
    query = "MATCH (n:KeptGap|KeptLoss {collection: $collection}) RETURN n.id AS id"
    return sorted(row["id"] for row in graph.connection.run_text("noted", query, collection=collection))


@both_ends
def test_a_version_that_ended_before_with_the_same_text_is_left_as_it_was(graph, collection, end):
    name = _id(collection, "a")
    graph.kept.begin(collection)
    for sentence in (CURIE, BOHR, CURIE):
        _bring(graph, collection, "a", sentence)
    ended = _kept(graph, name)
    graph.kept.write(name)
    end(graph, collection, "a")
    assert len(ended) == 2
    assert ended < _kept(graph, name)
    assert {state for _key, state, _until in _kept(graph, name)} == {"kept"}
    assert _lost(graph, collection) == []


@both_ends
def test_a_version_of_another_document_or_text_does_not_end(graph, collection, end):
    names = [_id(collection, uri) for uri in ("a", "b")]
    graph.kept.begin(collection)
    for uri in ("a", "b"):
        _bring(graph, collection, uri, CURIE)
    graph.kept.write(names[1])
    end(graph, collection, "a")
    graph.connection.run_text("other", "MATCH (v:KeptVersion {id: $id}) SET v.live_hash = 'x'", id=names[1])
    end(graph, collection, "b")
    assert {state for _key, state, _until in _kept(graph, names[1])} == {"pending"}
    assert _lost(graph, collection) == sorted(names * 2)


@both_ends
def test_nothing_is_lost_where_nothing_was_live_or_nothing_is_kept(graph, collection, end):
    other = f"{collection}-other"
    graph.kept.begin(other)
    _bring(graph, collection, "a", CURIE)
    end(graph, collection, "a")
    opened, _chunks = write_hidden(graph, other, "a", [CURIE])
    if end is _replace:  # its step comes again
        for _ in range(2):
            graph.store.make_live(opened)
    else:
        end(graph, other, "a")
    assert _lost(graph, collection) == _lost(graph, other) == []
