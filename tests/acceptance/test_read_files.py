"""Files of people: what they say is answered, cited to where it stands, and read once."""

import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.checks import events_of
from fleet.crew import Crew

from workers.core.ids import child_job_id

CASES = Path(__file__).parents[1] / "data" / "reading"
PAGE = "pdf-prose-becomes-table.pdf"
RENTS = """# Rents

| Mill | Rent in 2023 | Rent in 2024 |
| --- | --- | --- |
| River mill | 880 euros | 900 euros |
| Wind mill | 410 euros | 430 euros |
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PDF and a table in Markdown."""
    folder = tmp_path_factory.mktemp("files")
    shutil.copy(CASES / PAGE, folder)
    (folder / "rents.md").write_text(RENTS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def collection(standing_crew: Crew, folder: Path) -> Iterator[str]:
    name = f"files-{secrets.token_hex(4)}"
    standing_crew.ingest(folder, name)
    return name


def test_a_page_is_cited_by_its_number_and_box(crew: Crew, collection: str) -> None:
    answer = crew.client.ask("Who built the river mill?", collection=collection, strategy="graph")
    assert "Ana Ruiz" in answer.text, answer
    [place] = [citation.place for citation in answer.citations if citation.document.title != "Rents"]
    assert (place.words, place.page) == ("page 1", 1)
    assert all(0 < box.left < box.right and 0 < box.top < box.bottom for box in place.boxes)
    printed = crew.run("ask", "Who built the river mill?", "-c", collection).stdout
    assert ", page 1" in printed


def test_a_row_of_a_table_is_cited_by_its_name(crew: Crew, collection: str) -> None:
    answer = crew.client.ask("What is the rent in 2024 of the wind mill?", collection=collection)
    assert "430" in answer.text, answer
    assert "line 6, table 1, row Wind mill" in [citation.place.words for citation in answer.citations]


def test_a_file_of_the_same_bytes_is_not_read_again(crew: Crew, collection: str, folder: Path) -> None:
    report = crew.ingest(folder / PAGE, collection)
    assert [document.status for document in report.documents] == ["unchanged"]
    items = [done.item_id for phase in crew.ledger.results(report.job_id).values() for done in phase]
    told = [
        data.get("characters")
        for item in items
        for name, data in events_of(crew, child_job_id(report.job_id, item))
        if name == "document.unchanged"
    ]
    assert told == [None]


def test_documents_tell_how_they_were_read(crew: Crew, collection: str) -> None:
    by_name = {Path(each.uri).name: each for each in crew.client.documents.iterate(collection=collection)}
    reading = by_name[PAGE].reading
    assert (reading.reader, reading.pages, reading.pages_without_text) == ("pdf 1", 1, 0)
    assert by_name["rents.md"].reading.reader == "md 1"
    found = crew.client.documents.list(collection=collection, where='read_by = "pdf 1"').documents
    assert [Path(document.uri).name for document in found] == [PAGE]
    assert crew.client.documents.list(collection=collection, where="exists(doubts)").documents == []
