"""hopline conversations: the list, an answer with what it cites, Markdown, and who may change what."""

import json
from pathlib import Path

import pytest
from doubles.audited import Ending, Places, furnished
from doubles.command_line import Run, run_hopline, work_on
from doubles.desk import ANSWER
from doubles.memory_redis import memory_redis, services_over

from hopline.models.jobs import JobState
from workers.core.jobs.work import Job
from workers.ledger.conversations import KeptAnswer, KeptQuestion
from workers.services import Services


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return furnished(services_over(memory_redis(), blob_url=str(tmp_path / "blobs")))


@pytest.fixture
def run(services: Services, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hopline` with these arguments over a Redis in memory."""
    work_on(monkeypatch, services, Ending(services))
    return run_hopline


@pytest.fixture
def talk(services: Services, tmp_path: Path) -> str:
    """Return the id of a conversation of an answered question and one whose job is gone."""
    name = Places(services, tmp_path).conversation()
    now = float(services.redis.time()[0])
    question = KeptQuestion(
        job_id="j0", question="When was it opened?", collections=("default",), asked=now - 9
    )
    job = Job(id="j0", kind="query", collection="default", params={"question": question.question})
    answer = KeptAnswer(job=job, state=JobState.DONE, created=now - 9, ended=now, outcome=ANSWER)
    services.conversations.answer(name, question, answer)
    return name


def test_conversations_are_listed_by_title_and_found_by_their_questions(run: Run, talk: str) -> None:
    assert talk in run("conversations", width=200).stdout
    (listed,) = json.loads(run("conversations", "--text", "OPENED", "--json").stdout)["conversations"]
    assert (listed["id"], listed["title"], listed["turns"]) == (talk, "When was it opened?", 2)
    assert json.loads(run("conversations", "--text", "closed", "--json").stdout)["conversations"] == []
    assert "No conversations" in run("conversations", "--text", "closed").stdout


def test_a_conversation_is_shown_with_its_answers_by_the_beginning_of_its_id(run: Run, talk: str) -> None:
    shown = run("conversations", "show", talk[:4]).stdout
    assert shown.index("When was it opened?") < shown.index("opened in 1890 [1]") < shown.index("Who?")
    assert "[1] The [red] Bridge" in shown
    assert json.loads(run("conversations", "show", talk, "--json").stdout)["turns"][0]["state"] == "done"
    assert run("conversations", "show", "f" * 32).exit_code == 3


def test_a_conversation_is_exported_as_markdown(run: Run, talk: str) -> None:
    run("conversations", "rename", talk, "The *bridge*")
    lines = [line for line in run("conversations", "export", talk).stdout.splitlines() if line]
    assert lines[:3] == ["# The *bridge*", "## When was it opened?", "The bridge was opened in 1890 [1]."]
    assert lines[3].startswith("- [1] The [red] Bridge (/texts/bridge.txt): “The bridge was")
    assert (lines[4], "ask again" in lines[5]) == ("## Who?", True)


def test_what_moves_a_cursor_in_a_question_or_a_title_reaches_no_terminal(
    run: Run, services: Services, talk: str
) -> None:
    services.conversations.change(talk, {"title": "Who\x1b]0;owned\x07?"})
    asked = float(services.redis.time()[0])
    question = KeptQuestion(job_id="j2", question="Where\x1b[2J?", collections=("default",), asked=asked)
    services.conversations.ask(talk, question)
    for verb in ("show", "export"):
        printed = run("conversations", verb, talk).stdout
        assert "[2J?" in printed
        assert not {"\x1b", "\x07"} & set(printed)


def test_a_conversation_is_shared_unshared_and_deleted(run: Run, services: Services, talk: str) -> None:
    for verb, shared in (("share", True), ("unshare", False)):
        assert run("conversations", verb, talk).exit_code == 0
        about = services.conversations.find(talk)
        assert about is not None
        assert about.shared is shared
    assert run("conversations", "delete", talk, "--yes").exit_code == 0
    assert services.conversations.find(talk) is None
