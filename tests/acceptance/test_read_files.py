"""Files are read once, and again where that is asked; how well is told, and the files are kept."""

import hashlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.pictures import size_of
from fleet.crew import Crew

from hopline.errors import NotFound
from hopline.models.formats import reader_of

CASES = Path(__file__).parents[1] / "data" / "reading"
PAGE = "pdf-prose-becomes-table.pdf"
READER = reader_of("pdf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PDF, and a text in Markdown."""
    folder = tmp_path_factory.mktemp("files")
    shutil.copy(CASES / PAGE, folder)
    (folder / "rents.md").write_text("# Rents\n\nThe rent of the wind mill is 430 euros.\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def collection(standing_crew: Crew, folder: Path) -> Iterator[str]:
    name = f"files-{secrets.token_hex(4)}"
    standing_crew.ingest(folder, name)
    return name


def test_a_page_is_shown_and_its_file_given_until_no_version_is_kept(crew: Crew, folder: Path) -> None:
    there = f"shown-{secrets.token_hex(4)}"
    crew.ingest(folder / PAGE, there)
    [document] = crew.client.documents.list(collection=there).documents
    data = (folder / PAGE).read_bytes()
    assert (document.original, crew.client.documents.original(document.id)) == ("kept", data)
    shown = crew.client.raw(crew.client.documents.picture, document.id, 1, width=300)
    width, height = (float(shown.headers[name]) for name in ("Page-Width", "Page-Height"))
    assert size_of(shown.result) == (300, round(300 * height / width))
    assert len(crew.services.originals.of(document.id)) == 1
    crew.run("documents", "delete", document.id, "--yes")
    with pytest.raises(NotFound, match="no document"):
        crew.client.documents.original(document.id)
    then = document.updated.isoformat()  # its version is kept, and its file with it
    assert crew.client.documents.original(document.id, known_at=then) == data
    assert crew.client.documents.picture(document.id, 1, known_at=then, width=300) == shown.result
    crew.run("documents", "delete", document.id, "--erase", "--yes")
    assert crew.services.originals.of(document.id) == []


def test_a_file_of_known_bytes_is_not_read(crew: Crew, collection: str, folder: Path) -> None:
    data = (folder / PAGE).read_bytes()
    unreadable = b"%PDF-1.7 cannot be read"
    known_bytes(crew, collection, unreadable)
    (folder / PAGE).write_bytes(unreadable)
    assert crew.ingest(folder / PAGE, collection).counts == {"unchanged": 1}
    known_bytes(crew, collection, data)
    assert crew.client.ingest([folder / PAGE], collection).counts == {"failed": 1}
    (folder / PAGE).write_bytes(data)
    crew.ingest(folder / PAGE, collection)


def known_bytes(crew: Crew, collection: str, data: bytes) -> None:
    """Have the graph say that the PDF was made of these bytes."""
    crew.services.graph.connection.run_text(
        "known_bytes",
        "MATCH (d:Document {collection: $collection}) WHERE d.read_by = $reader SET d.source_hash = $made_of",
        collection=collection,
        reader=READER,
        made_of=hashlib.sha256(data).hexdigest(),
    )


def test_documents_tell_how_they_were_read(crew: Crew, collection: str) -> None:
    by_name = {Path(each.uri).name: each for each in crew.client.documents.iterate(collection=collection)}
    reading = by_name[PAGE].reading
    assert (reading.reader, reading.pages, reading.pages_without_text) == (READER, 1, 0)
    assert by_name["rents.md"].reading.reader == "md 1"
    found = crew.client.documents.list(collection=collection, where=f'read_by = "{READER}"').documents
    assert [Path(document.uri).name for document in found] == [PAGE]
    listed = crew.run("documents", "-c", collection, "--read-by", READER).stdout
    assert ("The river mill" in listed, "Rents" in listed) == (True, False)
    assert "none matches" in crew.run("documents", "-c", collection, "--poorly-read").stdout
    assert "none matches" in crew.run("documents", "-c", collection, "--read-by", "older").stdout


def test_a_file_that_was_read_with_doubts_is_named(crew: Crew, collection: str, tmp_path: Path) -> None:
    shutil.copy(CASES / "txt-one-bad-byte.txt", tmp_path)
    printed = crew.run("ingest", str(tmp_path), "-c", f"{collection}-doubts").stdout
    assert "Read with doubts: " in printed
    assert "txt-one-bad-byte.txt: replaced bytes" in " ".join(printed.split())
    listed = crew.run("documents", "-c", f"{collection}-doubts", "--poorly-read").stdout
    assert "replaced bytes" in listed


def test_what_an_older_reader_read_is_read_again_where_that_is_asked(
    crew: Crew, collection: str, folder: Path
) -> None:
    connection = crew.services.graph.connection
    connection.run_text(
        "older_reader",
        "MATCH (d:Document {collection: $collection}) WHERE d.read_by = $reader "
        "SET d.reading = null, d.read_by = null "
        "WITH d MATCH (d)-[:HAS_CHUNK]->(c) SET c.places = null",
        collection=collection,
        reader=READER,
    )
    question = "Who built the river mill?"
    before = crew.client.ask(question, collection=collection, strategy="graph")
    assert None in [citation.place for citation in before.citations]
    assert "The river mill" in crew.run("documents", "-c", collection, "--read-by", "older").stdout
    assert crew.ingest(folder / PAGE, collection).counts == {"unchanged": 1}
    crew.model.set()
    assert crew.ingest(folder / PAGE, collection, reread=True).counts == {"done": 1}
    assert crew.model.chat_calls() == {}
    assert crew.ingest(folder / PAGE, collection, reread=True).counts == {"unchanged": 1}
    after = crew.client.ask(question, collection=collection, strategy="graph")
    assert "page 1" in [citation.place.words for citation in after.citations]


def test_the_same_text_at_other_places_is_another_version(crew: Crew, collection: str, folder: Path) -> None:
    crew.services.graph.connection.run_text(
        "other_places",
        "MATCH (d:Document {collection: $collection}) WHERE d.read_by = $reader "
        "SET d.source_hash = 'other bytes', "
        'd.reading = replace(d.reading, \'"places":"\', \'"places":"x\')',
        collection=collection,
        reader=READER,
    )
    crew.model.set()
    assert crew.ingest(folder / PAGE, collection).counts == {"done": 1}
    assert crew.model.chat_calls() == {}
    assert crew.ingest(folder / PAGE, collection).counts == {"unchanged": 1}
