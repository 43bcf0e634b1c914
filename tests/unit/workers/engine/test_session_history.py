"""What a session's earlier answers are to a question whose key sees less by now."""

from types import SimpleNamespace
from typing import cast

import pytest
from doubles.desk import SentMessages as Sent
from doubles.memory_redis import memory_redis, services_over

from hopline.errors import Permanent
from hopline.models.jobs import JobState, Json
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Job
from workers.core.ports import Ports
from workers.engine.outbox import work_off
from workers.engine.session_history import history, remember, session_of, without_history
from workers.engine.submit import submit_job
from workers.ledger.sessions import Exchange, Remembered

ASKED = "Where was she born?"
TURN = {"question": "Who wrote it?", "answer": "Ada did [1]."}
JOB = Job(id="j", kind="query", collection="c", caller="key", params={"question": ASKED, "session": "s"})


def given(job: Job, step_input: Json, principals: tuple[str, ...] | None = ("user:ann",)) -> Json:
    allowed = job.model_copy(update={"principals": principals})
    return without_history(job, cast("Ports", SimpleNamespace(job=allowed)), step_input)


def test_a_question_that_reads_as_it_was_submitted_knows_its_session() -> None:
    step_input = {"question": ASKED, "history": [TURN]}
    assert given(JOB, step_input, None) == step_input
    alone = JOB.model_copy(update={"params": {"question": ASKED}})
    assert given(alone, {"question": "Where was Ada born?"}) == {"question": "Where was Ada born?"}


def test_a_question_that_reads_less_forgets_its_session_and_nothing_made_of_it_is_worked_on() -> None:
    assert given(JOB, {"question": ASKED, "history": [TURN]}) == {"question": ASKED, "history": []}
    assert given(JOB, {"question": ASKED, "node_id": "k"}) == {"question": ASKED, "node_id": "k"}
    with pytest.raises(Permanent, match="earlier answers"):
        given(JOB, {"question": "Where was Ada born?", "node_id": "k"})


def test_a_session_is_one_of_a_key_and_of_exactly_its_principals_and_collections() -> None:
    def name(*principals: str) -> str | None:
        return session_of(JOB.model_copy(update={"principals": principals or None}))

    assert name() == "key/s"
    assert name("user:ann", "group:legal") == name("group:legal", "user:ann", "user:ann")
    assert len({name(), name("user:ann"), name("user:bo"), name("user:ann", "user:bo")}) == 4

    def named(*collections: str) -> str | None:
        params = {"session": "s", **({"collections": collections} if collections else {})}
        return session_of(JOB.model_copy(update={"params": params, "principals": None}))

    assert len({named(), named("a", "b"), named("a", "c")}) == 3
    assert named("a", "b") == named("b", "a")


def test_a_session_goes_on_in_whatever_order_its_collections_are_named() -> None:
    def over(*collections: str) -> Job:
        params = {"question": ASKED, "session": "s", "collections": collections}
        return JOB.model_copy(update={"collection": collections[0], "params": params})

    services = services_over(memory_redis())
    first, again = over("b", "a"), over("a", "b")
    ended = SimpleNamespace(job=first, state=JobState.DONE, outcome={"text": "In London."})
    remember(services, cast("JobRecord", ended))
    assert history(services, again, session_of(again) or "") == [{"question": ASKED, "answer": "In London."}]


def test_a_replay_is_told_what_its_job_was_and_is_not_remembered() -> None:
    services = services_over(memory_redis())
    turns = [Exchange(job_id=f"j{n}", question=f"{n}?", answer="Yes.") for n in range(3)]

    def submit(**params: object) -> Job:
        job_params = {"question": ASKED, "session": "s", "strategy": "graph", **params}
        return submit_job(services, Sent(), "query", "c", job_params).job

    def told(job: Job) -> list[str]:
        kept = services.ledger.input_of(job.id, "plan").get("history", [])
        return [turn["question"] for turn in kept]

    services.sessions.add(Remembered(name="s", collections=("c",)), turns[0])
    job = submit()
    for turn in turns[1:]:
        services.sessions.add(Remembered(name="s", collections=("c",)), turn)
    replay = submit(replay_of=job.id)
    assert (told(job), told(replay), told(submit())) == (["0?"], ["0?"], ["0?", "1?", "2?"])
    assert told(submit(replay_of=job.id, session="another")) == []
    services.ledger.end(replay.id, None, JobState.DONE, {"text": "In Paris [1]."})
    work_off(services, replay.id)
    assert [turn.job_id for turn in services.sessions.exchanges("c", "s")] == ["j0", "j1", "j2"]
