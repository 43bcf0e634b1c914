"""Documents, collections, graph and concept maps of the client, against an API without workers."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.documents import CURIE, PRIZE, made_document, made_element, write
from fleet.api import ServedApi

from hopline import Hopline, InvalidInput, NotFound
from hopline.models.documents import TextDocument
from hopline.models.results import Job
from hopline.models.schemas import FieldRule, MetadataSchema
from workers.core.ids import document_id
from workers.services import Services

NOTES = "client-notes"
CURIE_ID = made_document(NOTES, "curie.txt")[0].id


@pytest.fixture(scope="module", autouse=True)
def _documents(services: Services) -> Iterator[None]:
    write(services.graph, NOTES, "curie.txt", [CURIE, PRIZE])
    write(services.graph, NOTES, "mill.txt", [("A mill stands in Conwy.", ["mill", "Conwy"])])
    yield
    for uri in ("curie.txt", "mill.txt"):
        services.graph.store.delete_document(made_document(NOTES, uri)[0].id)


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


def test_texts_are_submitted_once_however_often_they_are_sent(client: Hopline) -> None:
    text = TextDocument(name="a.txt", text="A lamp burns.", metadata={"author": "Ann"})
    taken = client.documents.submit(texts=[text], collection=NOTES, key="first", tags={"team": "legal"})
    assert [document.uri for document in taken.documents] == ["a.txt"]
    assert [document.document_id for document in taken.documents] == [document_id(NOTES, "a.txt")]
    assert (taken.batch.collection, taken.batch.tags) == (NOTES, {"team": "legal"})
    again = client.documents.submit(texts=[text], collection=NOTES, key="first", tags={"team": "legal"})
    assert again.batch.id == taken.batch.id
    with pytest.raises(InvalidInput, match="1 to "):
        client.documents.submit(collection=NOTES)
    with pytest.raises(InvalidInput, match="half of chunk_tokens"):
        client.documents.submit(texts=[text], chunk_tokens=100, chunk_overlap=51)
    with pytest.raises(InvalidInput, match="an encoding of texts"):
        client.documents.submit(texts=[text], encoding="base64")


def test_files_are_uploaded_by_path_and_by_name_with_what_is_said_of_them(
    client: Hopline, tmp_path: Path
) -> None:
    path = tmp_path / "b.md"
    path.write_text("# Lamps\n\nA lamp burns.", encoding="utf-8")
    taken = client.documents.upload(
        [path, ("deep/c.txt", b"A mill stands."), ("d.txt", io.BytesIO(b"A bridge.")), ("e.gif", b"\x89PNG")],
        collection=NOTES,
        metadata={"tags": ["draft"], "priority": 2},
        tags={"team": "legal"},
        chunk_tokens=100,
        encoding="gbk",
        key="files",
    )
    assert [document.uri for document in taken.documents] == ["b.md", "deep/c.txt", "d.txt"]
    assert [refused.uri for refused in taken.refused] == ["e.gif"]
    assert taken.batch.tags == {"team": "legal"}
    again = client.documents.upload(
        [path, ("deep/c.txt", b"A mill stands."), ("d.txt", b"A bridge."), ("e.gif", b"\x89PNG")],
        collection=NOTES,
        metadata={"tags": ["draft"], "priority": 2},
        tags={"team": "legal"},
        chunk_tokens=100,
        encoding="gbk",
        key="files",
    )
    assert again.batch.id == taken.batch.id
    with pytest.raises(InvalidInput, match="priority"):
        client.documents.upload([path], priority="soon")  # type: ignore[arg-type]


def test_documents_are_found_by_the_beginning_of_their_ids(client: Hopline) -> None:
    for prefix in (CURIE_ID, CURIE_ID[:12]):
        assert [document.id for document in client.documents.list(prefix=prefix).documents] == [CURIE_ID]
    assert client.documents.list(prefix="no-such-id").documents == []
    with pytest.raises(InvalidInput, match="prefix"):
        client.documents.list(collection=NOTES, prefix="d", q="curie")


def test_documents_are_listed_page_by_page_shown_and_read(client: Hopline) -> None:
    page = client.documents.list(collection=NOTES, sort="uri", limit=1)
    assert [document.uri for document in page.documents] == ["curie.txt"]
    assert page.next
    following = client.documents.list(collection=NOTES, sort="uri", limit=1, cursor=page.next)
    assert [document.uri for document in following.documents] == ["mill.txt"]
    assert {document.uri for document in client.documents.iterate(collection=NOTES)} == {
        "curie.txt", "mill.txt",
    }  # fmt: skip
    assert [document.uri for document in client.documents.iterate(collection=NOTES, q="mill")] == ["mill.txt"]
    assert client.documents.get(CURIE_ID).uri == "curie.txt"
    assert client.documents.text(CURIE_ID, start=0, end=11).text == "Marie Curie"
    with pytest.raises(NotFound):
        client.documents.get("d0")


def test_metadata_are_changed_by_ids_and_by_a_filter_and_counted(client: Hopline) -> None:
    assert client.documents.change_metadata([CURIE_ID], set={"tags": ["signed"]}).changed == 1
    assert client.documents.facets(NOTES).tags[0].value == "signed"
    edited = client.documents.change_metadata(collection=NOTES, where='tags has "signed"', unset=["tags"])
    assert edited.changed == 1
    with pytest.raises(InvalidInput, match="name it in `unset`"):
        client.documents.change_metadata([CURIE_ID], set={"tags": None})  # type: ignore[dict-item]


def test_a_document_is_deleted_by_a_job(client: Hopline) -> None:
    job = client.documents.delete(CURIE_ID, erase=True)
    assert (job.kind, job.params) == ("delete", {"document_id": CURIE_ID, "erase": True})


def test_collections_are_listed_and_counted_with_questions_to_begin_with(client: Hopline) -> None:
    sizes = {each.name: each.documents for each in client.collections.list().collections}
    assert sizes[NOTES] == 2
    assert client.collections.census(NOTES, lengths=True).live.documents == 2
    assert client.collections.questions(NOTES, limit=1).collection == NOTES
    with pytest.raises(NotFound, match="nothing-here"):
        client.collections.census("nothing-here")
    assert client.collections.reindex(NOTES).kind == "reindex"


def test_a_metadata_schema_is_set_shown_and_cleared(client: Hopline) -> None:
    schema = MetadataSchema(fields={"reviewed": FieldRule(type=("date",), required=True)})
    with pytest.raises(InvalidInput):
        client.collections.set_schema(NOTES, schema)
    assert client.collections.set_schema(NOTES, schema, anyway=True).misfits == 2
    assert client.collections.get_schema(NOTES) == schema
    assert client.collections.clear_schema(NOTES) == MetadataSchema() == client.collections.get_schema(NOTES)


def test_topics_are_built_by_a_job_and_none_are_there_before(client: Hopline) -> None:
    assert client.topics.build(NOTES, anew=True).params == {"anew": True}
    with pytest.raises(NotFound):
        client.topics.list(NOTES)
    with pytest.raises(NotFound):
        client.topics.get(NOTES, "t1", facts=1)


def test_merges_are_asked_for_and_listed(client: Hopline) -> None:
    job = client.merges.merge(NOTES, dry_run=True)
    assert (job.kind, job.params["dry_run"]) == ("merge", True)
    assert list(client.merges.iterate(NOTES)) == client.merges.list(NOTES, limit=1).merges == []
    assert list(client.merges.iterate_name_candidates(NOTES)) == []
    with pytest.raises(NotFound, match="no merge m0"):
        client.merges.get("m0")
    with pytest.raises(NotFound, match="no merge m0"):
        client.merges.undo("m0")


def test_the_graph_is_read_around_a_name_and_by_its_schema(client: Hopline) -> None:
    near = client.graph.neighbourhood("Marie Curie", collection=NOTES)
    assert near.centre == made_element(NOTES, "Marie Curie").id
    assert client.graph.neighbourhood(element=near.centre, collection=NOTES, limit=1).more
    assert client.graph.schema().source
    with pytest.raises(NotFound):
        client.graph.tools()


def test_tools_are_listed_and_run(client: Hopline) -> None:
    names = {tool["function"]["name"] for tool in client.tools.list(collection=NOTES).tools}
    assert "lookup_knowledge" in names
    assert client.tools.packs(collection=NOTES).packs
    with pytest.raises(InvalidInput, match="no_such_tool"):
        client.tools.run("no_such_tool", {"question": "Who?"}, collection=NOTES)


def test_a_concept_without_a_map_has_no_versions_and_a_job_makes_one(client: Hopline) -> None:
    assert client.concepts.read("entropy", collection=NOTES).version == 0
    assert list(client.concepts.iterate_versions("entropy", collection=NOTES)) == []
    job = client.concepts.generate("entropy", collection=NOTES, wait=0)
    assert isinstance(job, Job)
    assert job.kind == "concept"


def test_relations_that_are_not_there_cannot_be_edited(client: Hopline) -> None:
    with pytest.raises(NotFound, match="no map of entropy"):
        client.concepts.find_relation("entropy", "diffusion", collection=NOTES)
    with pytest.raises(NotFound):
        client.concepts.delete_relation("r0", "too vague", collection=NOTES)
    with pytest.raises(NotFound):
        client.concepts.change_relation("r0", reason="too weak", strength=4, collection=NOTES)
    with pytest.raises(NotFound):
        client.concepts.undo_relation("r0", collection=NOTES)
    with pytest.raises(InvalidInput, match="marked or corrected"):
        client.concepts.change_relation("r0", reason="x", strength=4, state="abnormal")
    with pytest.raises(InvalidInput, match="2 sentences"):
        client.concepts.change_relation("r0", reason="x", relation="One sentence.")
