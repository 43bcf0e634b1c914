"""`hopline chat`: one session, an answer per line, and no question that ends it; over a ledger in memory."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from doubles.desk import Desk, SentMessages
from typer.testing import CliRunner, Result

from producer.cli import app
from producer.client.hopline import Hopline
from workers.core.errors import DependencyAway
from workers.core.jobs.work import JobState
from workers.ledger.sessions import Exchange

Run = Callable[..., Result]
ANSWER = {"text": "It was opened in 1890.", "reason": None, "citations": [], "walk": [], "details": {}}


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    return desk


@pytest.fixture
def run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("producer.commands.client.greet_redis", lambda _url: None)
    monkeypatch.setattr("producer.commands.client.quiet_logs", lambda _settings: None)
    monkeypatch.setattr(
        "producer.client.hopline.Hopline", lambda _settings: Hopline(services=desk, publisher=SentMessages())
    )
    return lambda typed, *args: CliRunner().invoke(app, ["chat", *args], input=typed)


def asked(desk: Desk) -> list[dict[str, Any]]:
    return [record.job.params for record in desk.ledger.records.values()]


def test_every_line_is_a_question_of_one_session_until_someone_says_exit(desk: Desk, run: Run) -> None:
    result = run("When was it opened?\n\n  \nBy whom?\nEXIT\nnever asked\n")
    assert result.exit_code == 0
    first, second = asked(desk)
    assert (first["question"], second["question"]) == ("When was it opened?", "By whom?")
    assert first["session"] == second["session"]
    assert result.stdout.count("opened in 1890") == 2
    assert f"--session {first['session']}" in result.stderr


def test_a_chat_over_a_collection_that_is_not_there_ends_before_a_question(desk: Desk, run: Run) -> None:
    result = run("When?\n", "-c", "nope")
    assert result.exit_code == 3
    assert "There are: bridges, notes" in " ".join(result.stderr.split())
    assert desk.ledger.records == {}


def test_a_new_chat_is_a_new_session_and_an_old_one_goes_on(desk: Desk, run: Run) -> None:
    for args in ((), (), ("--session", "mine")):
        assert run("When?\n", *args).exit_code == 0
    first, second, third = (params["session"] for params in asked(desk))
    assert first != second
    assert third == "mine"


def test_what_is_set_holds_for_every_question(desk: Desk, run: Run) -> None:
    run("One?\nTwo?\n", "-c", "notes", "--strategy", "reader", "--timeout", "7")
    assert {(params["strategy"], params["timeout"]) for params in asked(desk)} == {("reader", 7.0)}
    assert {record.job.collection for record in desk.ledger.records.values()} == {"notes"}


def test_a_chat_ends_with_the_command_that_asks_in_the_same_way(run: Run) -> None:
    options = ["-c", "notes", "--strategy", "graph", "--timeout", "7.0", "--session", "s"]
    options += ["--where", 'author = "Ann"', "--document", "d1", "--document", "d2", "--as-of", "2025-01-01"]
    options += ["--tag", "team=law", "--as", "user:bo"]
    result = run("", *options)
    assert result.exit_code == 0, result.stderr
    command = " ".join(result.stderr.split()).partition("Go on with: ")[2]
    assert shlex.split(command) == ["hopline", "chat", *options]


def test_every_question_is_of_all_collections_that_are_named(desk: Desk, run: Run) -> None:
    result = run("One?\nTwo?\n", "-c", "notes", "-c", "bridges", "-c", "notes", "--session", "s")
    assert result.exit_code == 0, result.stderr
    assert [record.job.collections for record in desk.ledger.records.values()] == [("notes", "bridges")] * 2
    assert "Session s over notes, bridges" in result.stderr
    assert "hopline chat -c notes -c bridges --session s" in " ".join(result.stderr.split())


def test_what_a_session_over_several_collections_remembers_is_counted(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {("bridges", "s over bridges,notes"): [Exchange(job_id="j0", question="Before?", answer="Yes.")]}
    monkeypatch.setattr(desk, "exchanges", lambda *home: kept.get(home, []))
    assert "remembered" not in run("", "-c", "notes", "--session", "s").stderr
    text = run("", "-c", "notes", "-c", "bridges", "--session", "s").stderr
    assert "1 earlier questions remembered" in text


@pytest.mark.parametrize(
    ("wrong", "code"),
    [(("-c", "nope"), 3), (("-c", "n o"), 2), (("-c", "bridges", "--strategy", "tools"), 2)],
)
def test_a_collection_of_several_that_cannot_be_asked_ends_it(
    desk: Desk, run: Run, wrong: tuple[str, ...], code: int
) -> None:
    assert run("One?\n", "-c", "notes", *wrong).exit_code == code
    assert not asked(desk)


def test_what_it_is_about_and_for_whom_holds_for_every_question(desk: Desk, run: Run) -> None:
    result = run("One?\nTwo?\n", "--as-of", "2020-12-31", "--where", 'author = "Ann"', "--as", "user:ann")
    assert result.exit_code == 0, result.stderr
    assert {(params["as_of"], str(params["where"])) for params in asked(desk)} == {
        ("2020-12-31", "{'field': 'author', 'op': '=', 'value': 'Ann'}")
    }
    assert {record.job.principals for record in desk.ledger.records.values()} == {("user:ann",)}
    before = len(desk.ledger.records)
    assert run("One?\n", "--as", "ann").exit_code == 2
    assert run("One?\n", "--as-of", "someday").exit_code == 2
    assert run("One?\n", "--where", "author =").exit_code == 2
    for scope in (("--as-of", "2020-12-31"), ("--as", "user:ann")):
        assert run("One?\n", "--strategy", "tools", *scope).exit_code == 2
    assert len(desk.ledger.records) == before


def test_a_chat_within_a_scope_counts_only_what_its_questions_may_know_of(run: Run) -> None:
    assert "1 earlier questions remembered" in run("", "--session", "s").stderr
    for scope in (("--as-of", "2020-12-31"), ("--as", "user:ann")):
        assert "remembered" not in run("", "--session", "s", *scope).stderr


def test_among_lines_every_answer_stands_below_its_question(run: Run) -> None:
    lines = run("When [was] it?\nBy whom?\n").stdout.splitlines()
    asked_at = [lines.index(f"ask> {question}") for question in ("When [was] it?", "By whom?")]
    assert [lines[at + 1] for at in asked_at] == ["It was opened in 1890."] * 2
    assert lines[asked_at[1] - 1] == ""


def test_json_is_one_line_per_answer_and_nothing_else(desk: Desk, run: Run) -> None:
    result = run("One?\nTwo?\n", "--json")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["status"] for answer in answers] == ["done", "done"]
    assert [answer["job_id"] for answer in answers] == list(desk.ledger.records)


def test_a_question_that_cannot_be_asked_ends_neither_the_chat_nor_the_lines(run: Run) -> None:
    result = run(f"{'x' * 4001}\nWhen?\n", "--json")
    assert result.exit_code == 1
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["status"] for answer in answers] == ["failed", "done"]
    assert "question" in answers[0]["reason"]
    assert "error: question" in result.stderr


def test_a_question_that_is_not_answered_is_no_failure_of_the_chat(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.ABSTAINED, {"reason": "nothing was found"})
    result = run("When?\n")
    assert result.exit_code == 0
    assert "nothing was found" in result.stdout


@pytest.mark.parametrize("wrong", [("--strategy", "luck"), ("--timeout", "0"), ("--session", "x" * 201)])
def test_a_wrong_option_ends_it_before_the_first_question(desk: Desk, run: Run, wrong) -> None:
    result = run("When?\n", *wrong)
    assert result.exit_code == 2
    assert wrong[0].removeprefix("--") in result.stderr
    assert not asked(desk)


def test_ctrl_c_among_lines_cancels_the_question_and_ends_it(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    desk.ledger.play.clear()
    monkeypatch.setattr("producer.views.questions.live.follow", interrupted)
    result = run("When?\nAnd then?\n")
    assert result.exit_code == 130
    assert [record.state for record in desk.ledger.records.values()] == [JobState.CANCELLED]


def test_a_server_that_is_away_for_a_question_is_told(run: Run, monkeypatch) -> None:
    tried = []

    def submit(*_: Any) -> str:
        tried.append(1)
        raise DependencyAway("Redis is away")

    monkeypatch.setattr("producer.service.questions.Questions.submit", submit)
    result = run("When?\nAnd then?\n")
    assert result.exit_code == 1
    assert result.stderr.count("Redis is away") == len(tried) == 2
