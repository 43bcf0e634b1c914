"""Metadata of documents in the graph."""

from datetime import date
from typing import Any

import pytest
from doubles.documents import CURIE, PRIZE, made_document, write
from doubles.graph_steps import write_hidden

from hopline.models.documents import Document, DocumentFacets
from workers.adapters.neo4j.documents import DocumentStore
from workers.core.ids import document_id
from workers.core.metadata.changes import MetadataChange, change_by_ingestion
from workers.core.metadata.filter_text import parse_filter
from workers.core.ports import Graph
from workers.core.scope import allowed_to

FIELDS = {"author": "Ann", "date": date(2024, 5, 1), "priority": 2, "share": 0.5, "tags": ("a", "b")}


def _stored(graph: Graph, document: Document) -> Document:
    return graph.store.document(document.id)


def test_metadata_is_seen_with_the_version_that_it_came_with(graph, collection):
    document, chunks = made_document(collection, "a", [CURIE])
    opened = graph.store.open_version(document)
    graph.store.write_chunks(opened, chunks)
    assert _stored(graph, document).metadata == {}
    graph.store.make_live(opened, metadata=change_by_ingestion(FIELDS, {}))
    live = _stored(graph, document)
    assert live.metadata == live.ingested_metadata == FIELDS
    assert [document.metadata for document in graph.store.documents(collection)] == [FIELDS]

    opened, _chunks = write_hidden(graph, collection, "a", [PRIZE])
    assert _stored(graph, document).metadata == FIELDS
    fields = {"author": ("Ann", "Bo"), "share": "half", "tags": ("b",)}
    graph.store.make_live(opened, metadata=change_by_ingestion(fields, live.ingested_metadata))
    assert _stored(graph, document).metadata == fields  # of another type now, and others are gone
    graph.store.make_live(opened, metadata=change_by_ingestion(fields, live.ingested_metadata))
    assert _stored(graph, document).metadata == fields


def test_a_version_without_a_change_leaves_metadata_as_it_is(graph, collection):
    document, _chunks = made_document(collection, "a", [CURIE])
    write(graph, collection, "a", [CURIE])
    graph.store.note_source(document.id, 1, "h", "a", change_by_ingestion(FIELDS, {}, ("author", "tags")))
    assert _stored(graph, document).metadata == FIELDS
    assert _stored(graph, document).command_fields == ("author", "tags")
    write(graph, collection, "a", [PRIZE])
    assert _stored(graph, document).metadata == FIELDS
    graph.store.note_source(document.id, 1, "h", "a", MetadataChange(unset=("author",)))  # not live any more
    assert _stored(graph, document).metadata == FIELDS
    graph.store.note_source(document.id, 2, "h", "a", MetadataChange(unset=("author",)))
    kept = {name: value for name, value in FIELDS.items() if name != "author"}
    assert _stored(graph, document).metadata == kept
    assert _stored(graph, document).ingested_metadata == FIELDS


def test_a_document_opened_while_it_is_deleted_has_no_fields_of_before(graph, collection):
    write(graph, collection, "a", [CURIE])
    document, _chunks = made_document(collection, "a", [PRIZE])
    graph.store.note_source(document.id, 1, "h", "a", change_by_ingestion(FIELDS, {}))
    if isinstance(graph.store, DocumentStore):
        connection = graph.store._connection  # stops the deletion half way
        assert connection.run("hide_document", id=document.id, typed=False)
    else:
        graph.store.delete_document(document.id)
    opened = graph.store.open_version(document)
    assert (opened.metadata, opened.ingested_metadata) == ({}, {})


def test_a_document_with_more_fields_than_are_taken_stays_readable(graph, collection):
    """By hand and by an ingestion at the same time, say; or it was written before a bound was there."""
    write(graph, collection, "a", [CURIE])
    name = document_id(collection, "a")
    for first in range(0, 40, 15):
        by_hand = {f"hand-{nth}": "x" * 200 for nth in range(first, min(first + 15, 40))}
        graph.store.change_metadata([name], MetadataChange(values=by_hand))
    read = change_by_ingestion({f"read-{nth}": nth for nth in range(40)}, {})
    graph.store.note_source(name, 1, "h", "a", read)
    stored = graph.store.document(name)
    assert (len(stored.metadata), len(stored.ingested_metadata)) == (80, 40)
    assert [document.metadata for document in graph.store.documents(collection)] == [stored.metadata]
    assert Document.read_stored(stored.model_dump_json()).metadata == stored.metadata


def test_documents_are_found_by_a_filter_in_any_order_page_by_page(graph, collection):
    for nth, name in enumerate("abcde"):
        write(graph, collection, name, [CURIE])
        document, _chunks = made_document(collection, name)
        fields = {"priority": nth, "tags": ("odd",) if nth % 2 else ("even",)}
        graph.store.note_source(document.id, 1, "h", name, change_by_ingestion(fields, {}))

    def found(text: str, **more: Any) -> list[str]:
        tree = parse_filter(text)
        return [each.document.uri for each in graph.store.documents_found(collection, where=tree, **more)]

    assert found('tags has "even" and priority > 0', order="uri") == ["c", "e"]
    assert found('not tags has "even"', order="uri") == ["b", "d"]
    assert found("priority >= 1", order="uri", words=["c"]) == ["c"]
    first = graph.store.documents_found(collection, where=parse_filter("priority < 4"), order="uri", limit=2)
    rest = found("priority < 4", order="uri", after=first[-1].place)
    assert [each.document.uri for each in first] + rest == ["a", "b", "c", "d"]


def test_documents_are_found_by_the_languages_of_their_texts(graph, collection):
    for name, languages in (("a", ("de", "en")), ("b", ("en",)), ("c", ()), ("d", ())):
        write(graph, collection, name, [CURIE])
        graph.store.note_source(document_id(collection, name), 1, "h", name, languages=languages)
        graph.store.note_source(document_id(collection, name), 1, "h", name)  # which leaves them
    own = MetadataChange(values={"languages": ("fr",)})
    graph.store.change_metadata([document_id(collection, "d")], own)

    def found(text: str) -> list[str]:
        places = graph.store.documents_found(collection, where=parse_filter(text), order="uri")
        return [each.document.uri for each in places]

    assert found('languages has "de"') == ["a"]
    assert found('languages has "en" and not languages has "de"') == ["b"]
    assert found('languages has "fr"') == ["d"]
    assert found("not exists(languages)") == ["c"]
    assert graph.store.document(document_id(collection, "a")).languages == ("de", "en")


def test_documents_without_languages_are_read_until_these_are_noted(graph, collection):
    for name in ("a", "b", "c"):
        write(graph, collection, name, [CURIE], [PRIZE])
    write_hidden(graph, collection, "d", [CURIE])
    names = [document_id(collection, name) for name in ("a", "b", "c")]
    graph.store.note_source(names[0], 1, "h", "a", languages=("de",))
    found = graph.store.without_languages(collection, 10)
    assert [(each.id, each.version) for each in found] == [(name, 1) for name in sorted(names[1:])]
    assert {each.text for each in found} == {f"{CURIE[0]}\n{PRIZE[0]}"}
    assert len(graph.store.without_languages(collection, 1)) == 1
    graph.store.note_languages([(names[1], 2, ("fr",))])  # of a version that is not live
    graph.store.note_languages([(names[0], 1, ("fr",)), (names[1], 1, ("en",)), (names[2], 1, ())])
    assert [graph.store.document(name).languages for name in names] == [("de",), ("en",), ()]
    assert graph.store.without_languages(collection, 10) == []


def test_a_document_is_read_by_its_id_where_a_filter_means_it_and_it_is_live(graph, collection):
    for name, allow in (("ours", "user:ann"), ("hidden", "user:bo")):
        write(graph, collection, name, [CURIE])
        graph.store.change_metadata(
            [document_id(collection, name)], MetadataChange(values={"allow": (allow,)})
        )
    coming, _chunks = made_document(collection, "coming")
    graph.store.open_version(coming)

    def uri(name: str) -> str | None:
        meant = graph.store.document_meant(document_id(collection, name), allowed_to(("user:ann",)))
        return meant and meant.uri

    assert [uri(name) for name in ("ours", "hidden", "coming", "unknown")] == ["ours", None, None, None]


def test_live_documents_are_counted_by_tag_and_year(graph, collection):
    for name, tags, year in (
        ("a", ("x", "y"), 2021),
        ("b", ("y", "y"), 2021),
        ("c", ("z",), 2020),
        ("d", (), 0),
    ):
        write(graph, collection, name, [CURIE])
        document, _chunks = made_document(collection, name)
        fields = {"tags": tags} if tags else {}
        fields |= {"date": date(year, 5, 1)} if year else {}
        graph.store.note_source(document.id, 1, "h", name, change_by_ingestion(fields, {}))
    write(graph, f"{collection}-other", "a", [CURIE])
    unfinished, _chunks = made_document(collection, "e")
    graph.store.open_version(unfinished)

    everything = graph.facets(collection, None, 2)
    assert everything.documents == 4
    assert [(facet.value, facet.documents) for facet in everything.tags] == [("y", 2), ("x", 1)]
    assert [(facet.value, facet.documents) for facet in everything.years] == [("2021", 2), ("2020", 1)]
    some = graph.facets(collection, parse_filter('tags has "x" or not exists(tags)'), 20)
    assert some.documents == 2
    assert [(facet.value, facet.documents) for facet in some.tags] == [("x", 1), ("y", 1)]
    assert graph.facets(f"{collection}-none", None, 20) == DocumentFacets(documents=0, tags=(), years=())


def test_fields_of_many_documents_are_changed_together(graph, collection):
    ids = []
    for name in "ab":
        write(graph, collection, name, [CURIE])
        document, _chunks = made_document(collection, name)
        graph.store.note_source(document.id, 1, "h", name, change_by_ingestion(FIELDS, {}))
        ids.append(document.id)
    change = MetadataChange(values={"priority": 3, "author": ("Bo", "Cy")}, unset=("share", "none"))
    assert graph.store.change_metadata([*sorted(ids), "unknown"], change) == 2
    stored = graph.store.documents_of([*ids, "unknown"])
    assert sorted(document.id for document in stored) == sorted(ids)
    kept = {name: value for name, value in FIELDS.items() if name != "share"}
    for document in stored:
        assert document.metadata == kept | change.values
        assert document.ingested_metadata == FIELDS  # so that the same ingestion again changes nothing


def test_who_may_see_a_version_that_is_not_live_is_kept_until_one_is(graph, collection):
    document, chunks = made_document(collection, "a", [CURIE])
    fields = {"pending_allow": ("user:ann",), "pending_by_command": True}
    graph.store.open_version(document.model_copy(update=fields))
    opened = graph.store.open_version(document)
    stored = _stored(graph, document)
    assert (opened.pending_allow, stored.pending_allow) == (("user:ann",), ("user:ann",))
    assert stored.pending_by_command
    assert stored.metadata == {}
    graph.store.write_chunks(opened, chunks)
    graph.store.make_live(opened)
    assert _stored(graph, document).pending_allow == ()

    newer, _chunks = made_document(collection, "a", [PRIZE])
    graph.store.open_version(newer.model_copy(update=fields))
    graph.store.change_metadata([document.id], MetadataChange(values={"tags": ("a",)}))
    assert _stored(graph, document).pending_allow == ("user:ann",)
    graph.store.change_metadata([document.id], MetadataChange(unset=("allow",)))
    assert _stored(graph, document).pending_allow == ()
    assert not _stored(graph, document).pending_by_command


@pytest.mark.parametrize("hand", [("user:bo",), ("*",), None])
def test_who_may_see_it_as_said_by_hand_while_a_version_is_written_stays(graph, collection, hand):
    document, chunks = made_document(collection, "a", [CURIE])
    fields = {"pending_allow": ("user:ann",), "pending_by_command": True}
    own = change_by_ingestion({"allow": ("user:ann",), "author": "Ann"}, {})
    opened = graph.store.open_version(document.model_copy(update=fields))
    graph.store.write_chunks(opened, chunks)
    by_hand = MetadataChange(values={"allow": hand}) if hand else MetadataChange(unset=("allow",))
    graph.store.change_metadata([document.id], by_hand)
    graph.store.change_metadata([document.id], MetadataChange(values={"tags": ("a",)}))
    stays = {"author": "Ann", "tags": ("a",)} | ({"allow": hand} if hand else {})
    assert graph.store.open_version(document.model_copy(update=fields)).version == opened.version
    for _again in range(2):
        graph.store.make_live(opened, metadata=own)
        assert _stored(graph, document).metadata == stays
        assert _stored(graph, document).ingested_metadata["allow"] == ("user:ann",)

    newer, chunks = made_document(collection, "a", [PRIZE])
    for says in (("user:cy",), ("user:ann",)):  # now it says something new, and then that again
        newer = newer.model_copy(update={"content_hash": f"h-{says}", "pending_allow": says})
        opened = graph.store.open_version(newer)
        graph.store.write_chunks(opened, chunks)
        graph.store.make_live(opened, metadata=MetadataChange(values={"allow": says}))
        assert _stored(graph, document).metadata["allow"] == says


def test_what_an_unchanged_source_says_anew_goes_before_what_was_said_by_hand(graph, collection):
    document, chunks = made_document(collection, "a", [CURIE])
    opened = graph.store.open_version(document.model_copy(update={"pending_allow": ("user:ann",)}))
    graph.store.write_chunks(opened, chunks)
    graph.store.change_metadata([document.id], MetadataChange(values={"allow": ("user:bo",)}))
    graph.store.make_live(opened, metadata=MetadataChange(values={"allow": ("user:ann",)}))
    says = MetadataChange(values={"allow": ("user:ann",)})
    graph.store.note_source(document.id, opened.version, "h", "a", says)
    assert _stored(graph, document).metadata["allow"] == ("user:ann",)
