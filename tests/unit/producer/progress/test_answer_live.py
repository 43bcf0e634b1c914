"""The answer in the live view: as it is written, taken back where it begins anew, and printed once."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import datetime

from doubles.desk import ANSWER, Desk
from rich.console import Console
from typer.testing import Result

from producer.progress.query import QueryProgress
from producer.views.questions.live import query_view
from workers.core.events.jobs import ItemDeferred, ItemDone
from workers.core.events.questions import AnswerRestarted, AnswerSentence, VisitFinished
from workers.core.jobs.work import Event, JobState

Run = Callable[..., Result]


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
