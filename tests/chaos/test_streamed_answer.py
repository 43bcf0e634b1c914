"""A worker is killed while it writes an answer that is watched: what it told is taken back and told anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet.checks import assert_done_as, assert_nothing_left, events_of
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until

from workers.core.answers.answer import Answer

COLLECTION = "chaos-streamed"
QUESTION = "Who designed the Skerne Bridge?"
DESIGNERS = ("Maren Holt", "Ivo Brandl", "Tove Lindqvist")
SLOW_PIECE = {"piece_latency": 0.7}  # it is looked, and who writes is killed, before the last piece
SLOW = {"AnswerDraft": SLOW_PIECE, "ReasonedAnswer": SLOW_PIECE}
SENTENCE, RESTARTED = "answer.sentence", "answer.restarted"


@pytest.fixture(scope="module")
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def crew(
    own_redis: PrivateRedis, stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crew]:
    """Workers whose leases outlast what holds a process up: what is lost is counted."""
    crew = make_crew(stack_env, own_redis.url, tmp_path_factory.mktemp("crew"))
    yield crew
    crew.stop()
    crew.model.set()


@pytest.fixture(scope="module", autouse=True)
def _bridge(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> None:
    crew.model.set()
    crew.have(a="interactive", bulk="bulk")
    folder: Path = tmp_path_factory.mktemp("skerne")
    text = " ".join(f"The Skerne Bridge was designed by {name}." for name in DESIGNERS)
    (folder / "skerne.txt").write_text(f"Skerne Bridge\n\n{text}\n", encoding="utf-8")
    crew.ingest(folder, COLLECTION)


def submit(crew: Crew, strategy: str) -> str:
    return crew.client.submit_question(QUESTION, COLLECTION, strategy=strategy)


def in_peace(crew: Crew, strategy: str) -> Answer:
    """Return the answer when nothing is killed."""
    crew.model.set()
    crew.have(a="interactive")
    answer = crew.client.wait(submit(crew, strategy), 180)
    assert isinstance(answer, Answer)
    return answer


def told(crew: Crew, job_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Return what was told of the answer, and what took it back."""
    return [event for event in events_of(crew, job_id) if event[0] in (SENTENCE, RESTARTED)]


def standing(crew: Crew, job_id: str) -> list[dict[str, Any]]:
    """Return the sentences that a reader of the events has at the end."""
    sentences: list[dict[str, Any]] = []
    for name, data in told(crew, job_id):
        sentences = [*sentences, data] if name == SENTENCE else []
    return sentences


def assert_told_as(crew: Crew, job_id: str) -> None:
    """Check that the sentences that stand are those of the outcome, with its citations."""
    answer = crew.client.wait(job_id, 180)
    assert isinstance(answer, Answer)
    sentences = standing(crew, job_id)
    assert " ".join(sentence["text"] for sentence in sentences) == answer.text
    assert [sentence["n"] for sentence in sentences] == list(range(1, len(sentences) + 1))
    cited = [citation for sentence in sentences for citation in sentence["citations"]]
    assert cited == [citation.model_dump(mode="json") for citation in answer.citations]


@pytest.mark.parametrize("strategy", ["graph", "reader", "tools"])
def test_every_strategy_tells_its_answer_while_it_is_written(crew: Crew, strategy: str) -> None:
    crew.have(a="interactive")
    crew.model.set(schemas=SLOW)
    job_id = submit(crew, strategy)
    wait_until(lambda: told(crew, job_id), "a sentence is told")
    assert crew.client.job(job_id).state == "running"
    assert_told_as(crew, job_id)
    assert [name for name, _ in told(crew, job_id)] == [SENTENCE] * len(DESIGNERS)


@pytest.mark.parametrize("strategy", ["graph", "reader"])
def test_a_killed_writer_is_taken_back_and_another_tells_it_all(crew: Crew, strategy: str) -> None:
    expected = in_peace(crew, strategy)
    crew.model.set(schemas=SLOW)
    job_id = submit(crew, strategy)
    wait_until(lambda: len(told(crew, job_id)) >= 2, "sentences are told")
    crew.workers["a"].kill()
    crew.model.set()
    crew.start("a")
    assert_done_as(crew, job_id, expected)
    names = [name for name, _ in told(crew, job_id)]
    before = names.index(RESTARTED)
    assert 2 <= before <= len(DESIGNERS)
    assert names == [*[SENTENCE] * before, RESTARTED, *[SENTENCE] * len(DESIGNERS)]
    assert_told_as(crew, job_id)
    assert crew.client.job(job_id).leases_lost == 1
    assert_nothing_left(crew)


def test_a_stream_that_the_model_cuts_is_told_anew_by_the_same_worker(crew: Crew) -> None:
    crew.have(a="interactive")
    crew.model.set(schemas={"AnswerDraft": {**SLOW_PIECE, "fail_next": ["drop"]}})
    job_id = submit(crew, "graph")
    assert_told_as(crew, job_id)
    names = [name for name, _ in told(crew, job_id)]
    assert names == [SENTENCE, RESTARTED, *[SENTENCE] * len(DESIGNERS)]
    assert crew.client.job(job_id).leases_lost == 0


def test_a_killed_redis_fails_no_writer(crew: Crew, own_redis: PrivateRedis) -> None:
    expected = in_peace(crew, "graph")
    crew.model.set(schemas=SLOW)
    job_id = submit(crew, "graph")
    wait_until(lambda: told(crew, job_id), "a sentence is told")
    own_redis.kill()
    own_redis.start()
    assert_done_as(crew, job_id, expected)
    assert not any(name == "item.failed" for name, _ in events_of(crew, job_id))
    assert_nothing_left(crew)
