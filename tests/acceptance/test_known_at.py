"""Questions about what was known at a time: by real workers that keep versions."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fleet.crew import Crew

from hopline.errors import InvalidInput, NotFound

QUESTION = "What is the notice period of the bridge contract?"


def written(crew: Crew, collection: str, path: Path, days: int) -> datetime:
    """Ingest a version of a contract; return a time at which it was live."""
    sentence = f"The notice period of the bridge contract is {days} days."
    path.write_text(f"Contract\n\nThe Menai Company signed it. {sentence}\n", encoding="utf-8")
    crew.ingest(path, collection)
    return after()


def after() -> datetime:
    time.sleep(0.01)  # the clock of both is the machine's: nothing is to happen within the same millisecond
    now = datetime.now(UTC)
    time.sleep(0.01)
    return now


def test_an_answer_rests_on_what_was_live_at_the_time(crew: Crew, collection: str, tmp_path: Path) -> None:
    path = tmp_path / "contract.txt"
    first = written(crew, collection, path, 180)
    written(crew, collection, path, 270)
    (document,) = crew.client.documents.iterate(collection=collection)

    answer = crew.client.ask(QUESTION, collection=collection, strategy="graph", known_at=first.isoformat())
    assert "180 days" in (answer.text or "")
    assert "270" not in (answer.text or "")
    assert datetime.fromisoformat(answer.scope["known_at"]) == first
    (cited,) = {citation.document for citation in answer.citations if citation.document}
    assert (cited.id, cited.version) == (document.id, 1)
    assert cited.until is not None
    assert cited.until > first
    assert all(citation.place for citation in answer.citations)
    assert "270 days" in (crew.client.ask(QUESTION, collection=collection, strategy="graph").text or "")

    second = after()
    assert crew.client.documents.delete(document.id, wait=60).state == "done"
    search_result = crew.client.queries.search(QUESTION, collection=collection, known_at=second)
    assert ["270 days" in chunk.chunk.text for chunk in search_result.chunks] == [True]
    with pytest.raises(InvalidInput, match="known_at is "):
        crew.client.queries.search(QUESTION, collection=collection, known_at="2020-01-01")
    assert crew.client.documents.delete(document.id, erase=True, wait=60).state == "done"
    with pytest.raises(InvalidInput, match="known_at is "):
        crew.client.queries.search(QUESTION, collection=collection, known_at=second)
    with pytest.raises(NotFound):
        crew.client.documents.delete(document.id, erase=True)
