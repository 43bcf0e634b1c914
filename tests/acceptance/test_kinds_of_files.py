"""A question over each kind of file is answered, and cited to the place in the file that says so."""

import secrets
from pathlib import Path

import pypdfium2
import pytest
from fleet.crew import Crew
from fleet.kinds_of_files import ASKED_FILES, AskedFile, write_asked_files

from hopline.models.places import PageBox


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_asked_files(tmp_path_factory.mktemp("kinds"))


@pytest.fixture(scope="module")
def collection(standing_crew: Crew, folder: Path) -> str:
    name = f"kinds-{secrets.token_hex(4)}"
    standing_crew.ingest(folder, name, code=True)
    return name


@pytest.mark.parametrize("asked", ASKED_FILES.values(), ids=list(ASKED_FILES))
def test_a_question_is_cited_to_where_its_file_answers_it(
    crew: Crew, collection: str, folder: Path, asked: AskedFile
) -> None:
    answer = crew.client.ask(asked.question, collection=collection)
    assert asked.told in answer.text, answer
    [citation] = answer.citations
    assert (Path(citation.document.uri).name, citation.quote) == (asked.name, asked.quote)
    assert (citation.place.words if citation.place else None) == asked.place
    if asked.printed:
        assert asked.printed in _printed(folder / asked.name, citation.place.boxes)


def test_the_terminal_names_the_place(crew: Crew, collection: str) -> None:
    asked = ASKED_FILES["pdf-table"]
    printed = " ".join(crew.run("ask", asked.question, "-c", collection).stdout.split())
    assert f", {asked.place}" in printed


def _printed(path: Path, boxes: tuple[PageBox, ...]) -> str:
    """Return what the pages of a PDF have in these boxes."""
    with pypdfium2.PdfDocument(path) as pdf:
        texts = []
        for box in boxes:
            page = pdf[box.page - 1]
            height = page.get_height()
            edges = (box.left - 1, height - box.bottom - 1, box.right + 1, height - box.top + 1)
            texts.append(page.get_textpage().get_text_bounded(*edges))
    return " ".join(texts)
