"""`hopline chat`: one session, an answer per line, and no question that ends it; over a ledger in memory."""

import json
import shlex
from typing import Any

import pytest
from doubles.command_line import Run
from doubles.desk import Desk
from redis.exceptions import ConnectionError as RedisConnectionError

from hopline.models.jobs import JobState
from workers.ledger.sessions import Exchange, Remembered

ANSWER = {"text": "It was opened in 1890.", "reason": None, "citations": [], "walk": [], "details": {}}


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    return desk


@pytest.fixture
def chat(run: Run) -> Run:
    return lambda typed, *args: run("chat", *args, typed=typed)


def remember(desk: Desk, session: str, *collections: str, question: str = "Before?") -> None:
    exchange = Exchange(job_id=f"j-{question}", question=question, answer="Yes.")
    desk.sessions.add(Remembered(name=session, collections=collections), exchange)


def asked(desk: Desk) -> list[dict[str, Any]]:
    return [record.job.params for record in desk.ledger.records.values()]


def test_every_line_is_a_question_of_a_session_until_someone_says_exit(desk: Desk, chat: Run) -> None:
    result = chat("When was it opened?\n\n  \nBy whom?\nEXIT\nnever asked\n")
    assert result.exit_code == 0
    first, second = asked(desk)
    assert (first["question"], second["question"]) == ("When was it opened?", "By whom?")
    assert first["session"] == second["session"]
    assert f"--session {first['session']}" in result.stderr
    lines = chat("When [was] it?\nBy whom?\n").stdout.splitlines()
    asked_at = [lines.index(f"ask> {question}") for question in ("When [was] it?", "By whom?")]
    assert [lines[at + 1] for at in asked_at] == ["It was opened in 1890."] * 2
    assert lines[asked_at[1] - 1] == ""


def test_a_new_chat_is_a_new_session_and_an_old_one_goes_on(desk: Desk, chat: Run) -> None:
    for args in ((), (), ("--session", "mine")):
        assert chat("When?\n", *args).exit_code == 0
    first, second, third = (params["session"] for params in asked(desk))
    assert first != second
    assert third == "mine"


def test_what_is_set_holds_for_every_question_and_ends_with_the_command(desk: Desk, chat: Run) -> None:
    options = ["-c", "notes", "--strategy", "graph", "--timeout", "7.0", "--session", "s"]
    options += ["--where", 'author = "Ann"', "--document", "d1", "--document", "d2", "--as-of", "2025-01-01"]
    options += ["--tag", "team=law", "--as", "user:bo"]
    result = chat("One?\nTwo?\n", *options)
    assert result.exit_code == 0, result.stderr
    command = " ".join(result.stderr.split()).partition("Continue with: ")[2]
    assert shlex.split(command) == ["hopline", "chat", *options]
    where = {"field": "author", "op": "=", "value": "Ann"}
    wanted = {"strategy": "graph", "timeout": 7.0, "session": "s", "where": where, "as_of": "2025-01-01"}
    for params in asked(desk):
        assert wanted.items() <= params.items()
    jobs = [record.job for record in desk.ledger.records.values()]
    assert [(job.collection, job.principals, job.tags) for job in jobs] == [
        ("notes", ("user:bo",), {"team": "law"})
    ] * 2


def test_every_question_is_of_all_collections_that_are_named(desk: Desk, chat: Run) -> None:
    result = chat("One?\nTwo?\n", "-c", "notes", "-c", "bridges", "-c", "notes", "--session", "s")
    assert [record.job.collections for record in desk.ledger.records.values()] == [("notes", "bridges")] * 2
    assert "Session s over notes, bridges" in result.stderr
    assert "hopline chat -c notes -c bridges --session s" in " ".join(result.stderr.split())


def test_what_a_session_remembers_is_counted_as_far_as_its_questions_may_know_of_it(desk, chat):
    def remembers(*scope: str) -> bool:
        return "1 earlier questions remembered" in chat("", "--session", "s", *scope).stderr

    remember(desk, "s", "bridges")
    assert remembers("-c", "bridges")
    assert not remembers("-c", "bridges", "--as-of", "2020-12-31")
    assert not remembers("-c", "bridges", "--as", "user:ann")
    remember(desk, "s", "notes", "bridges")
    assert not remembers("-c", "notes")
    assert remembers("-c", "notes", "-c", "bridges")


@pytest.mark.parametrize(("wrong", "code", "told"), [
    (("-c", "nope"), 3, "There are: bridges, notes"),
    (("-c", "notes", "-c", "nope"), 3, "nope"),
    (("-c", "notes", "-c", "n o"), 2, "collection"),
    (("-c", "notes", "-c", "bridges", "--strategy", "tools"), 2, "strategy"),
    (("--strategy", "tools", "--as", "user:ann"), 2, "strategy"),
    (("--strategy", "luck"), 2, "strategy"),
    (("--timeout", "0"), 2, "timeout"),
    (("--session", "x" * 201), 2, "session"),
    (("--as", "ann"), 2, "principals"),
    (("--as-of", "someday"), 2, "as-of"),
    (("--where", "author ="), 2, "where"),
])  # fmt: skip
def test_a_wrong_option_ends_it_before_the_first_question(desk, chat, wrong, code, told):
    result = chat("When?\n", *wrong)
    assert result.exit_code == code
    assert told in " ".join(result.stderr.split())
    assert not asked(desk)


def test_json_is_one_line_per_answer_and_no_question_ends_the_lines(desk: Desk, chat: Run) -> None:
    result = chat(f"{'x' * 4001}\nWhen?\n", "--json")
    assert result.exit_code == 1
    failed, done = (json.loads(line) for line in result.stdout.splitlines())
    assert failed["status"] == "failed"
    assert "question" in failed["reason"]
    assert "error: question" in result.stderr
    assert [(done["status"], done["job_id"])] == [("done", job_id) for job_id in desk.ledger.records]
    desk.ledger.play["query"] = ([], JobState.ABSTAINED, {"reason": "nothing was found"})
    silent = chat("When?\n")
    assert silent.exit_code == 0, "a question that is not answered is no failure of the chat"
    assert "nothing was found" in silent.stdout


def test_ctrl_c_cancels_a_question_and_ends_it(desk, chat, monkeypatch):
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    desk.ledger.play.clear()
    monkeypatch.setattr("hopline.views.live.follow", interrupted)
    assert chat("When?\nAnd then?\n").exit_code == 130
    assert [record.state for record in desk.ledger.records.values()] == [JobState.CANCELLED]


def test_a_server_that_is_away_is_told_for_each_question(chat: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **_more: Any) -> str:
        raise RedisConnectionError("Error 111")

    monkeypatch.setattr("producer.local_application.greet_redis", away)
    monkeypatch.setattr("producer.service.backend.Backend.submit", away)
    result = chat("When?\nAnd then?\n")
    assert (result.exit_code, result.stderr.count("does not answer")) == (1, 2)


def test_a_line_with_a_slash_is_a_command_and_no_question(desk: Desk, chat: Run) -> None:
    remember(desk, "s", "default", question="Who built it?")
    remember(desk, "s", "notes", question="Who wrote it?")
    result = chat(
        "/help\n/explain\nWhen?\n/explain\n/history\n/nothing\n/exit\nnever asked\n", "--session", "s"
    )
    assert [params["question"] for params in asked(desk)] == ["When?"]
    told = " ".join(result.stderr.split())
    assert "/sessions list the sessions" in told
    assert "There is no answer yet." in told
    assert "There is no command /nothing; /help lists them." in told
    assert result.stdout.count("It was opened in 1890.") == 2
    assert result.stdout.count("How it got there") == 1
    assert "Who built it?\nYes." in result.stdout
    assert "Who wrote it?" not in result.stdout


def test_sessions_are_listed_and_go_on_by_name(desk: Desk, chat: Run) -> None:
    result = chat("One?\nTwo?\n/session other\nThree?\n", "--session", "first")
    assert [params["session"] for params in asked(desk)] == ["first", "first", "other"]
    assert "--session other" in result.stderr
    remember(desk, "first", "default")
    remember(desk, "other", "notes", "bridges")
    for listed in (chat("", "--sessions").stdout, chat("/sessions\n").stdout):
        rows = {line.split()[-1]: line for line in listed.splitlines()[1:]}
        assert "default" in rows["first"]
        assert "notes, bridges" in rows["other"]
