"""A worker is killed while it writes an answer that is watched: what it told is taken back and told again."""

import secrets
from typing import Any

import pytest
from fleet.checks import assert_done_as, assert_nothing_left, events_of
from fleet.crew import Crew, wait_until

from hopline.models.answers import Answer

QUESTION = "Who designed the Skerne Bridge?"
DESIGNERS = ("Maren Holt", "Ivo Brandl", "Tove Lindqvist")
UNFINISHED = {"hold_last": 5}  # the last sentence is begun
SENTENCE, RESTARTED = "answer.sentence", "answer.restarted"


@pytest.fixture(scope="module")
def collection(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    name, folder = f"streamed-{secrets.token_hex(4)}", tmp_path_factory.mktemp("skerne")
    crew.model.set()
    crew.have(a="interactive", bulk="bulk")
    text = " ".join(f"The Skerne Bridge was designed by {name}." for name in DESIGNERS)
    (folder / "skerne.txt").write_text(f"Skerne Bridge\n\n{text}\n", encoding="utf-8")
    crew.ingest(folder, name)
    return name


def told(crew: Crew, job_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Return what was told of the answer, and what took it back."""
    return [event for event in events_of(crew, job_id) if event[0] in (SENTENCE, RESTARTED)]


def submit_until_told(crew: Crew, collection: str, strategy: str) -> tuple[str, Answer]:
    """Ask in peace and then again; return that job, told in part, and the answer in peace."""
    crew.model.set()
    crew.have(a="interactive")
    expected = crew.client.ask(QUESTION, collection=collection, strategy=strategy, timeout=180)
    crew.model.set(schemas={"AnswerDraft": UNFINISHED, "ReasonedAnswer": UNFINISHED})
    job_id = crew.client.queries.submit(QUESTION, collection=collection, strategy=strategy).id
    wait_until(lambda: told(crew, job_id), "a sentence is told")
    return job_id, expected


@pytest.mark.parametrize("strategy", ["graph", "reader", "tools"])
def test_a_killed_writer_is_taken_back_and_another_tells_it_all(crew, collection, strategy):
    job_id, expected = submit_until_told(crew, collection, strategy)
    crew.kill("a")
    crew.model.set()
    crew.start("a")
    assert_done_as(crew, job_id, expected)
    names = [name for name, _ in told(crew, job_id)]
    before = names.index(RESTARTED)
    assert 1 <= before < len(DESIGNERS)
    assert names == [*[SENTENCE] * before, RESTARTED, *[SENTENCE] * len(DESIGNERS)]
    sentences = [data for _, data in told(crew, job_id)[before + 1 :]]
    assert " ".join(sentence["text"] for sentence in sentences) == expected.text
    assert [sentence["n"] for sentence in sentences] == list(range(1, len(sentences) + 1))
    answer = crew.answer(job_id)
    cited = [citation for sentence in sentences for citation in sentence["citations"]]
    assert cited == [citation.model_dump(mode="json") for citation in answer.citations]
    assert crew.client.jobs.get(job_id).leases_lost == 1
    assert_nothing_left(crew)


def test_a_killed_redis_fails_no_writer(crew: Crew, collection: str) -> None:
    job_id, expected = submit_until_told(crew, collection, "graph")
    crew.restart_redis()
    crew.model.set()
    assert_done_as(crew, job_id, expected)
    assert not any(name == "item.failed" for name, _ in events_of(crew, job_id))
    assert_nothing_left(crew)
