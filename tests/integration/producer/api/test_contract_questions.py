"""Questions, searches, history and audit by the client of the package hopline against the real API."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from threading import Thread
from time import sleep
from typing import Any

import pytest
from fleet.api import ServedApi

from hopline import AsyncHopline, Hopline, InvalidInput, KeyReused, NotFound
from hopline.errors import NoDocuments
from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from hopline.models.params import QueryBounds
from hopline.models.results import Job
from producer.service.keys import ApiKeys
from workers.engine.outbox import work_off
from workers.ledger.sessions import Exchange, Remembered
from workers.services import Services

LIVE = "asked"
SETTINGS = {"api_stream": 0.3}


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


@contextmanager
def ended(
    client: Hopline, services: Services, question: str, state: JobState, outcome: dict[str, Any] | None
) -> Iterator[None]:
    """End the job of a question, as workers would, once it was submitted."""

    def end() -> None:
        while not (asked := [job.id for job in running() if job.params["question"] == question]):
            sleep(0.05)
        services.ledger.end(asked[0], None, state, outcome)
        work_off(services, asked[0])

    def running() -> list[Job]:
        return list(client.jobs.iterate(collection=LIVE, state=JobState.QUEUED))

    worker = Thread(target=end)
    worker.start()
    yield
    worker.join()


def test_a_question_is_submitted_with_its_scope_and_bounds(client: Hopline) -> None:
    asked: dict[str, Any] = {"collection": LIVE, "where": "not exists(author)", "as_of": None, "key": "k1"}
    job = client.queries.submit("What stands?", parameters=QueryBounds(max_depth=4), **asked)
    assert (job.state, job.params["max_depth"], job.params["max_seeds"]) == (JobState.QUEUED, 4, 5)
    assert list(job.params["where"]) == ["not"]
    assert client.queries.submit("What stands?", parameters=QueryBounds(max_depth=4), **asked).id == job.id
    with pytest.raises(KeyReused):
        client.queries.submit("What fell?", **asked)
    with pytest.raises(NotFound, match="nowhere"):
        client.queries.submit("What stands?", collection="nowhere")
    for field, value in (
        ("where", "title ="),
        ("as_of", "2020-1-1"),
        ("known_at", "then"),
        ("strategy", "x"),
    ):
        with pytest.raises(InvalidInput) as caught:
            client.queries.submit("What stands?", collection=LIVE, **{field: value})
        assert caught.value.field == field
    with pytest.raises(InvalidInput, match="collection"):
        client.queries.submit("What stands?", collection=[LIVE, "no name"])


def test_a_question_is_checked_as_if_it_were_submitted(client: Hopline) -> None:
    assert client.queries.check("?", collection=LIVE, session="new").remembered == 0
    with pytest.raises(NoDocuments, match="there is no collection nowhere; there are: ") as caught:
        client.queries.check("?", collection="nowhere")
    assert caught.value.collection == "nowhere"
    for field, value in (("where", 'author = "Nobody"'), ("documents", ["d0"]), ("strategy", "x")):
        with pytest.raises(InvalidInput) as refused:
            client.queries.check("?", collection=LIVE, **{field: value})
        assert refused.value.field == field


def test_a_check_tells_of_ones_own_session_alone(api: ServedApi, services: Services) -> None:
    made = [ApiKeys(services.redis).create(name, frozenset({"submit", "read"})) for name in ("ann", "bob")]
    for count, caller in enumerate(["", *(key.id for key, _ in made)], 1):
        session = Remembered(name="mine", collections=(LIVE,), caller=caller)
        for n in range(count):
            services.sessions.add(session, Exchange(job_id=f"j{n}", question="?", answer="!"))
    for count, (_, text) in enumerate(made, 2):
        with Hopline(api.url, api_key=text) as client:
            assert client.queries.check("?", collection=LIVE, session="mine").remembered == count
            for key, _ in made:
                foreign = client.queries.check("?", collection=LIVE, session=f"{key.id}/mine")
                assert foreign.remembered == 0


def test_asking_waits_for_the_answer(client: Hopline, services: Services) -> None:
    outcome = {"text": "A bridge stands.", "details": {"model": "m"}}
    with ended(client, services, "Which bridge?", JobState.DONE, outcome):
        answer = client.ask("Which bridge?", collection=LIVE, max_depth=2)
    assert (answer.status, answer.text, answer.details) == (JobState.DONE, "A bridge stands.", {"model": "m"})
    job = client.jobs.get(answer.job_id)
    assert (job.params["max_depth"], Answer.of(job)) == (2, answer)
    assert client.jobs.check_replay(job.id, params={"max_depth": 3}).changed == {"max_depth": (2, 3)}
    replay = client.jobs.replay(job.id, params={"max_depth": 3})
    assert (replay.params["max_depth"], replay.params["replay_of"]) == (3, job.id)
    assert client.jobs.act("replay", {"collection": LIVE}, dry_run=True, params={"max_depth": 3}).jobs
    with pytest.raises(InvalidInput, match=r"max_depth is 99"):
        client.ask("Which bridge?", collection=LIVE, max_depth=99)


async def asked(api: ServedApi) -> Answer:
    async with AsyncHopline(api.url, api_key=api.key("admin")) as client:
        return await client.ask("Why?", collection=LIVE, timeout=30)


def test_a_question_that_fails_says_so(api: ServedApi, client: Hopline, services: Services) -> None:
    with ended(client, services, "Why?", JobState.FAILED, None):
        answer = asyncio.run(asked(api))
    assert (answer.status, answer.text) == (JobState.FAILED, "")
    assert answer.reason == "the job failed; its dead letters say what was given up"


def test_a_search_finds_chunks(client: Hopline) -> None:
    found = client.queries.search("bridge", collection=LIVE, limit=1, translations=("pont",), sentences=1)
    assert [(each.chunk.text, each.sentences) for each in found.chunks] == [
        ("A bridge stands.", ("A bridge stands.",))
    ]
    assert client.queries.search("bridge", collection=[LIVE, "other"], where="not exists(author)").chunks
    with pytest.raises(InvalidInput, match="earlier versions are not kept"):
        client.queries.search("bridge", collection=LIVE, known_at=datetime.now(UTC))
    with pytest.raises(InvalidInput, match="as_of"):
        client.queries.search("bridge", collection=LIVE, as_of=date(1800, 1, 1))


def test_what_was_done_is_in_history_and_audit(client: Hopline) -> None:
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    rows = list(client.history.iterate(collection=LIVE, since=hour_ago, where='kind = "query"'))
    assert {row.state for row in rows} == {JobState.DONE, JobState.FAILED}
    assert client.history.list(collection=LIVE, state=JobState.FAILED, limit=1).jobs[0].id == rows[0].id
    assert client.history.list(tags={"team": "tax"}).jobs == ()
    assert [cost.jobs for cost in client.history.costs(by="collection", collection=LIVE).costs] == [len(rows)]
    with pytest.raises(InvalidInput):
        client.history.list(where="colour = 1")
    acts = list(client.audit.iterate(act="submit", kind="query", since=hour_ago))
    assert {event.collection for event in acts} == {LIVE}
    assert client.audit.list(limit=1, outcome="done", via="http").events
