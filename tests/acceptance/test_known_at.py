"""Questions about what was known at a time: by real workers that keep versions."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from fleet.checks import known_before
from fleet.crew import Crew, PrivateRedis, make_crew

from workers.core.errors import InvalidInput, NotFound

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
    sentence = f"The notice period of the bridge contract is {days} days."
    path.write_text(f"Contract\n\nThe Menai Company signed it. {sentence}\n", encoding="utf-8")
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
    (cited,) = {citation.document for citation in answer.citations if citation.document}
    assert (cited.id, cited.version) == (document.id, 1)
    assert datetime.fromisoformat(cited.until) > first
    assert "270 days" in (crew.client.ask(QUESTION, collection, strategy="graph").text or "")

    second = after()
    crew.client.delete_document(document.id)
    search_result = crew.client.search(QUESTION, collection, known_at=second)
    assert ["270 days" in chunk.chunk.text for chunk in search_result.chunks] == [True]
    with pytest.raises(InvalidInput, match="known_at: "):
        crew.client.search(QUESTION, collection, known_at="2020-01-01")


def test_a_session_remembers_what_was_asked_as_of_the_same_time_while_that_is_kept(
    keeping_crew: Crew, tmp_path: Path
) -> None:
    crew, collection = keeping_crew, f"known-{secrets.token_hex(4)}"
    session, path = secrets.token_hex(4), tmp_path / "contract.txt"
    first = written(crew, collection, path, 180)
    second = written(crew, collection, path, 270)
    other = tmp_path / "other.txt"
    other.write_text("The Menai Company keeps its archive in Bangor.\n", encoding="utf-8")
    assert not crew.client.ingest([other], collection).failed

    def ask(**scope: object) -> tuple[str, list[str]]:
        answer = crew.client.ask(QUESTION, collection, strategy="graph", session=session, **scope)
        return answer.text or "", known_before(crew, answer.job_id)

    then, before = ask(known_at=first)
    assert "180 days" in then
    assert before == []
    assert ask(known_at=second)[1] == [], "what was asked as of another time is not used"
    assert ask(known_at=first) == (then, [then])
    (document,) = [
        document for document in crew.client.documents(collection) if document.uri.endswith("contract.txt")
    ]
    crew.client.delete_document(document.id)
    assert ask(known_at=first)[1] == [then, then], "what was live then is kept"
    written(crew, collection, path, 90)
    crew.client.delete_document(document.id)
    assert crew.client.delete_document(document.id, erase=True) is None, "it was deleted before"
    with pytest.raises(InvalidInput, match="known_at: "):
        ask(known_at=first)
    with pytest.raises(NotFound):
        crew.client.delete_document(document.id, erase=True)


def test_what_contradicted_itself_then_is_told_as_of_then(keeping_crew: Crew, tmp_path: Path) -> None:
    crew, collection = keeping_crew, f"known-{secrets.token_hex(4)}"
    question = "What is the notice period of the Marlow lease?"

    def bring(name: str, year: int, predicate: str) -> datetime:
        path = tmp_path / f"{name}.txt"
        path.write_text(f"The notice period of the Marlow lease {predicate} days.\n", encoding="utf-8")
        assert not crew.client.ingest([path], collection, metadata={"date": date(year, 3, 1)}).failed
        return after()

    def told(known_at: datetime | None) -> tuple[list[str], int]:
        answer = crew.client.ask(question, collection, strategy="graph", known_at=known_at)
        values = [
            value
            for citation in answer.citations
            for value in ("180", "270", "90")
            if value in citation.quote
        ]
        assert all(value in (answer.text or "") for value in values)
        return values, answer.details.get("contradictions", 0)

    bring("lease", 2019, "is 180")
    both = bring("annex", 2021, "was extended to 270")
    newer = bring("lease", 2023, "is 90")
    for document in list(crew.client.documents(collection)):
        if document.uri.endswith("annex.txt"):
            crew.client.delete_document(document.id)
    assert told(both) == (["270", "180"], 1)
    assert told(newer) == (["90", "270"], 1)
    assert told(None) == (["90"], 0)
