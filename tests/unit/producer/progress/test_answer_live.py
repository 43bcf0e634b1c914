"""The answer in the live view: as it is written, taken back where it begins anew, and printed once."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime

import pytest
from doubles.command_line import Run
from doubles.desk import ANSWER, Desk
from rich.console import Console

from producer.progress.counts import counted
from producer.progress.query import QueryProgress
from producer.views.questions.live import query_view
from workers.core.errors import DependencyRefuses
from workers.core.events.jobs import ItemDeferred, ItemDone
from workers.core.events.questions import AnswerRestarted, AnswerSentence, VisitFinished
from workers.core.jobs.work import Event, JobState
from workers.core.records import Chunk, Document
from workers.search.models import Found, FoundChunk


def sentence(n: int, text: str) -> Event:
    return Event.of(AnswerSentence(n=n, text=text, citations=()))


RESTARTED = Event.of(AnswerRestarted())
VISITED = Event.of(VisitFinished(node_id="k1", node="Ada", parent=None, depth=0, facts=2))


def drawn(events: Sequence[Event]) -> str:
    progress = QueryProgress()
    lines = [progress.add(event) for event in events]
    assert not any(lines[place] for place, event in enumerate(events) if event.name.startswith("answer."))
    shown = io.StringIO()
    Console(file=shown, width=100).print(query_view(progress)())
    return shown.getvalue()


def test_sentences_are_shown_under_the_walk_as_they_come_until_they_are_taken_back() -> None:
    shown = drawn([VISITED, sentence(1, "She wrote [1]."), sentence(2, "She \x1b[31mmet him [2].")])
    written = "She wrote [1]. She \N{REPLACEMENT CHARACTER}[31mmet him [2]."
    assert shown.index("Ada depth 0") < shown.index(written)
    again = drawn([VISITED, sentence(1, "She swam [1]."), RESTARTED, sentence(1, "She wrote [1].")])
    assert "She wrote [1]." in again
    assert "swam" not in again


def test_without_a_terminal_the_answer_is_printed_once(desk: Desk, run: Run) -> None:
    events = [VISITED, sentence(1, ANSWER["text"]), RESTARTED, sentence(1, ANSWER["text"])]
    desk.ledger.play["query"] = (events, JobState.DONE, ANSWER)
    result = run("ask", "Who?")
    assert (result.stdout + result.stderr).count(ANSWER["text"]) == 1


def test_what_is_waited_for_is_said_once_with_its_time_and_until_something_is_done() -> None:
    put_off = Event.of(ItemDeferred(item="visit:k1", step="traverse.visit", why="no model", until=1.7e9))
    progress = QueryProgress()
    told = f"no model; waiting until {datetime.fromtimestamp(1.7e9).astimezone():%H:%M:%S}"
    assert [progress.add(put_off), progress.add(put_off)] == [told, None]
    assert told in drawn([put_off])
    assert told not in drawn([put_off, Event.of(ItemDone(item="visit:k1", step="traverse.visit"))])


CHUNK = Chunk(id="c1", index=0, text="Ada wrote it.", start=0, end=13, tokens=4, content_hash="")
NOTES = Document(id="d1", collection="default", uri="u", title="Notes", content_hash="")


def test_a_question_without_an_answer_shows_the_nearest_passages(desk, run, monkeypatch):
    found = Found(question="Who?", chunks=(FoundChunk(chunk=CHUNK, document=NOTES, score=0.5),))
    monkeypatch.setattr("workers.search.search.search", lambda *_, **_more: found)
    absent = {"text": "", "reason": "no fact was found", "citations": [], "details": {"model": "offline"}}
    desk.ledger.play["query"] = ([], JobState.ABSTAINED, absent)
    result = run("ask", "Who?")
    assert result.exit_code == 3
    for part in ("No answer: no fact was found", "1. Notes", "“Ada wrote it.”", '`hopline search "Who?"'):
        assert part in result.stdout, result.output
    assert "stand-in" not in result.stdout, "nothing was answered"
    assert "Nearest" not in run("ask", "Who?", "--json").stdout


@pytest.mark.parametrize(("model", "times"), [("offline", 1), ("gpt-4.1", 0)])
def test_an_answer_of_the_stand_in_says_so(desk: Desk, run: Run, model: str, times: int) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER | {"details": {"model": model}})
    assert run("ask", "Who?").stdout.count("Answered by the built-in stand-in") == times


def test_who_asks_hears_first_that_the_model_refuses_calls(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    assert "The model did not answer" not in run("ask", "Who?").stderr
    desk.breakers.met(DependencyRefuses("check HOPLINE_MODEL_KEY", dependency="model"), ("model",))
    told = "The model did not answer when it was asked last: check HOPLINE_MODEL_KEY"
    assert told in run("ask", "Who?").stderr


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0 chunks"), (1, "1 chunk"), ("2", "2 chunks"), (["a"], "1 chunk"), (None, "0 chunks")],
)
def test_one_is_counted_as_one(value: object, words: str) -> None:
    assert counted(value, "chunk") == words
