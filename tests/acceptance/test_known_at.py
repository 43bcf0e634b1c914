"""Questions about what was known at a time: by real workers that keep versions."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew

from workers.core.errors import InvalidInput

QUESTION = "What is the notice period of the bridge contract?"


@pytest.fixture(scope="module")
def keeping_crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    server = PrivateRedis(tmp_path_factory.mktemp("keeping-redis"))
    environment = stack_env | {"HOPLINE_VERSIONS_KEPT": "5"}
    crew = make_crew(environment, server.url, tmp_path_factory.mktemp("keeping-crew"))
    crew.have(interactive="interactive", bulk="bulk")
    yield crew
    crew.stop()
    server.kill()


def written(crew: Crew, collection: str, path: Path, days: int) -> datetime:
    """Ingest a version of a contract; return a time at which it was live."""
    said = f"The notice period of the bridge contract is {days} days."
    path.write_text(f"Contract\n\nThe Menai Company signed it. {said}\n", encoding="utf-8")
    assert not crew.client.ingest([path], collection).failed
    return after()


def after() -> datetime:
    time.sleep(0.01)  # the clock of both is the machine's: nothing is to happen within the same millisecond
    now = datetime.now(UTC)
    time.sleep(0.01)
    return now


def test_an_answer_rests_on_what_was_live_at_the_time(keeping_crew: Crew, tmp_path: Path) -> None:
    crew, collection = keeping_crew, f"known-{secrets.token_hex(4)}"
    path = tmp_path / "contract.txt"
    first = written(crew, collection, path, 180)
    written(crew, collection, path, 270)
    (document,) = crew.client.documents(collection)

    answer = crew.client.ask(QUESTION, collection, strategy="graph", known_at=first.isoformat())
    assert "180 days" in (answer.text or "")
    assert "270" not in (answer.text or "")
    assert datetime.fromisoformat(answer.scope["known_at"]) == first
    (cited,) = {one.document for one in answer.citations if one.document}
    assert (cited.id, cited.version) == (document.id, 1)
    assert datetime.fromisoformat(cited.until) > first
    assert "270 days" in (crew.client.ask(QUESTION, collection, strategy="graph").text or "")

    second = after()
    crew.client.delete_document(document.id)
    found = crew.client.search(QUESTION, collection, known_at=second)
    assert ["270 days" in chunk.chunk.text for chunk in found.chunks] == [True]
    with pytest.raises(InvalidInput, match="known_at: "):
        crew.client.search(QUESTION, collection, known_at="2020-01-01")
