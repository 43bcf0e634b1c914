"""Which originals the versions of a document need: the double and Neo4j."""

from hashlib import sha256

from doubles.documents import BOHR, CURIE, WARSAW, made_document, write_made

from hopline.models.documents import Document
from workers.core.originals import original_name, original_start
from workers.core.ports import Graph


def named(graph: Graph, document: Document, data: bytes) -> str | None:
    digest = sha256(data).hexdigest()
    start, fresh = original_start(document.id, digest), original_name(document.id, digest)
    return graph.store.name_original(document, start, fresh)


def with_original(document: Document, name: str | None) -> Document:
    return document.model_copy(update={"original": "kept", "original_file": name})


def test_an_original_is_needed_from_its_name_to_the_end_of_its_version(graph: Graph, collection: str) -> None:
    document, chunks = made_document(collection, "a", [CURIE])
    opened = graph.store.open_version(document)
    name = named(graph, opened, b"one")
    assert name
    assert named(graph, opened, b"one") == name, "who comes again finds it"
    assert graph.store.originals_named([document.id, "d0"]) >= {name}
    graph.store.write_chunks(opened, chunks)
    graph.store.make_live(with_original(opened, name))
    live = graph.store.document(document.id)
    assert live
    assert (live.original, live.original_file) == ("kept", name)
    following, more = made_document(collection, "a", [BOHR])
    newer = graph.store.open_version(following)
    second = named(graph, newer, b"two")
    assert second
    assert graph.store.originals_named([document.id]) >= {name, second}
    assert named(graph, opened, b"three") is None, "it was overtaken"
    graph.store.write_chunks(newer, more)
    graph.store.make_live(with_original(newer, second))
    needed = graph.store.originals_named([document.id])
    assert (second in needed, name in needed) == (True, False)
    graph.store.delete_document(document.id)
    assert second not in graph.store.originals_named([document.id])


def test_an_original_of_a_version_that_is_overtaken_is_needed_no_more(graph: Graph, collection: str) -> None:
    document, chunks = made_document(collection, "a", [CURIE])
    write_made(graph, document, chunks)
    newer = graph.store.open_version(made_document(collection, "a", [BOHR])[0])
    overtaken = named(graph, newer, b"two")
    newest = graph.store.open_version(made_document(collection, "a", [WARSAW])[0])
    assert overtaken not in graph.store.originals_named([document.id])
    again = named(graph, newest, b"three")
    assert graph.store.open_version(document).status == "indexed", "the live text comes back"
    assert again not in graph.store.originals_named([document.id])


def test_the_original_of_a_live_version_is_replaced_with_its_source(graph: Graph, collection: str) -> None:
    document, chunks = made_document(collection, "a", [CURIE])
    write_made(graph, document, chunks)
    live = graph.store.document(document.id)
    assert live
    assert (live.original, live.original_file) == (None, "")
    first = named(graph, live, b"one")
    graph.store.note_source(document.id, live.version, "h", "a", made_of=with_original(live, first))
    graph.store.note_source(document.id, live.version, "h", "a")
    newer = graph.store.open_version(made_document(collection, "a", [BOHR])[0])
    pending = named(graph, newer, b"two")
    second = named(graph, live, b"three")
    assert second is None, "another version is being made"
    graph.store.note_source(document.id, live.version, "h", "a", made_of=with_original(live, first))
    assert graph.store.originals_named([document.id]) >= {first, pending}
