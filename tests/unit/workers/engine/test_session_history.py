"""What a session's earlier answers are to a question whose key sees less by now."""

import time
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from doubles.desk import SentMessages as Sent
from doubles.memory_redis import memory_redis, services_over

from hopline.errors import DependencyAway, Permanent
from hopline.models.jobs import JobState, Json
from workers.adapters.neo4j.scoped.keeper import LiveText
from workers.core.answers.kept import KeptConversation
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Job
from workers.core.ports import Ports
from workers.core.redis_keys import conversation_answers_key
from workers.core.scope import Scope
from workers.engine.outbox import work_off
from workers.engine.session_history import history, remember, session_of, without_history
from workers.engine.submit import submit_job
from workers.ledger.sessions import Exchange, Remembered
from workers.services import Services

ASKED = "Where was she born?"
TALK = "0" * 31 + "1"
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


class _Live:
    """The graph's live documents: a name for the text of each, since the beginning of time."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.away = False

    def live_texts(self, ids: Iterable[str]) -> dict[str, LiveText]:
        if self.away:
            raise DependencyAway("Neo4j cannot be reached", dependency="neo4j")
        return {each: LiveText(self.texts[each], 0.0) for each in ids if each in self.texts}

    def among(self, _collections: Sequence[str], ids: Iterable[str], _scope: Scope) -> frozenset[str]:
        return frozenset(ids) & self.texts.keys()


def _conversing(live: _Live) -> tuple[Services, Callable[..., Job]]:
    services = services_over(memory_redis())
    services.__dict__["scopes"] = live
    services.conversations.begin(KeptConversation(id=TALK, owner="local", created=0.0))

    def submit(**params: object) -> Job:
        asked = {"question": ASKED, "conversation": TALK, "strategy": "graph", **params}
        return submit_job(services, Sent(), "query", "c", asked).job

    return services, submit


def _cites(document: str, text: str = "In London [1].") -> Json:
    return {"text": text, "citations": [{"n": 1, "document": {"id": document}}], "rests_on": [document]}


def _text_of(services: Services, job: Job) -> str | None:
    kept = services.conversations.answers(TALK).get(job.id)
    return None if kept is None else kept.outcome["text"]


def test_a_question_of_a_conversation_knows_of_what_is_kept_of_those_before() -> None:
    live = _Live(d1="1 a", d2="1 b")
    services, submit = _conversing(live)
    first, second, failed = submit(), submit(), submit()
    services.ledger.end(first.id, None, JobState.DONE, _cites("d1"))
    services.ledger.end(second.id, None, JobState.DONE, _cites("d2", "x" * 3000))
    services.ledger.end(failed.id, None, JobState.FAILED, {"error": "the model was away"})
    for job in (first, second, failed):
        work_off(services, job.id)
    told = services.ledger.input_of(submit().id, "plan")["history"]
    assert [turn["answer"][:14] for turn in told] == ["In London [1].", "x" * 14]
    assert len(told[1]["answer"]) == 2000
    assert services.conversations.answers(TALK)[first.id].texts == {"d1": "1 a"}
    services.conversations.take_out("c", "d1")
    assert len(services.ledger.input_of(submit().id, "plan")["history"]) == 1
    assert services.sessions.remembered(None) == []
    elsewhere = submit_job(services, Sent(), "query", "other", {"question": "?", "conversation": TALK}).job
    assert services.ledger.input_of(elsewhere.id, "plan").get("history", []) == []


def test_a_question_reads_no_answer_of_its_conversation_that_it_is_not_told() -> None:
    services, submit = _conversing(_Live())
    jobs = [submit(question=f"{number}?") for number in range(12)]
    for job in jobs:
        services.ledger.end(job.id, None, JobState.DONE, {"text": "Yes.", "citations": [], "rests_on": []})
        work_off(services, job.id)
    services.redis.hset(conversation_answers_key(TALK), jobs[0].id, "no answer at all")
    told = services.ledger.input_of(submit().id, "plan")["history"]
    assert [turn["question"] for turn in told] == [f"{number}?" for number in range(2, 12)]


def test_an_answer_whose_document_is_deleted_as_it_ends_is_kept_without_its_quotes() -> None:
    live = _Live()
    services, submit = _conversing(live)
    job = submit()
    services.ledger.end(job.id, None, JobState.DONE, _cites("d1"))
    work_off(services, job.id)
    assert _text_of(services, job) == ""
    live.texts["d1"] = "1 a"
    past = submit(known_at="2026-01-01")  # which quotes what was live then
    live.texts.clear()
    services.ledger.end(past.id, None, JobState.DONE, _cites("d1"))
    work_off(services, past.id)
    assert _text_of(services, past) == "In London [1]."


def test_an_answer_that_ends_while_the_graph_is_away_is_kept_when_it_is_back() -> None:
    live = _Live(d1="1 a")
    services, submit = _conversing(live)
    job = submit()
    services.ledger.end(job.id, None, JobState.DONE, _cites("d1"))
    live.away = True
    work_off(services, job.id)
    assert _text_of(services, job) is None
    assert "session" in services.ledger.outbox(job.id)
    live.away = False
    work_off(services, job.id)
    assert _text_of(services, job) == "In London [1]."
    assert services.ledger.outbox(job.id) == {}


def test_which_text_an_answer_rests_on_is_not_known_of_a_document_that_changed_meanwhile() -> None:
    live = _Live(d1="2 b")
    services, submit = _conversing(live)
    job = submit()
    live.live_texts = lambda ids: {each: LiveText("2 b", time.time() + 60) for each in ids}  # type: ignore[method-assign]
    services.ledger.end(job.id, None, JobState.DONE, _cites("d1"))
    work_off(services, job.id)
    assert services.conversations.answers(TALK)[job.id].texts == {"d1": ""}
