"""The live view of a question: the answer as written, a reader's steps, and what is printed of both."""

import io
from collections.abc import Sequence
from datetime import datetime

import pytest
from doubles.command_line import Run, run_hopline
from doubles.desk import ANSWER, Desk
from rich.console import Console

from hopline.events.jobs import ItemBegun, ItemDeferred, ItemDone
from hopline.events.questions import (
    AnswerRestarted,
    AnswerSentence,
    PathEnded,
    PathMoved,
    PlanFinished,
    StartChosen,
    StartsChosen,
    VisitFinished,
)
from hopline.models.documents import Chunk, Document
from hopline.models.jobs import JobState, Json
from hopline.models.search import Found, FoundChunk
from hopline.progress.query import QueryProgress
from hopline.views.live import query_view
from hopline.words import counted
from workers.core.errors import DependencyRefuses
from workers.core.jobs.work import Event

WHY = "The facts break off at the architect."


def moved(path: int, action: int, step: str, at: str, decision: str, notebook: int, *noted: str) -> Event:
    where = {"path": path, "action": action, "step": step, "at": at, "decision": decision}
    more = {"reason": WHY if noted else "", "need": "", "calls": action, "refused": 0, "error": ""}
    return Event.of(PathMoved(**where, **more, noted=noted, notebook=notebook))


DESIGNED = "The Alda Bridge was designed by Maren Holt."
EVENTS = [
    Event.of(ItemBegun(item="rational_plan", step="traverse.rational_plan")),
    Event.of(
        PlanFinished(entities=(), sub_questions=(), asked="a place: where?", steps=(), key_information=())
    ),
    Event.of(
        StartsChosen(
            starts=(
                StartChosen(path=1, name="alda bridge", score=90.0),
                StartChosen(path=2, name="skerne", score=None),
            ),
            offered=2,
            refused=0,
        )
    ),
    Event.of(ItemBegun(item="path:1:1", step="traverse.check_facts")),
    moved(1, 1, "check_facts", "alda bridge", "read_chunk(c1)", 1, DESIGNED),
    moved(2, 1, "check_facts", "skerne", "stop_and_read_neighbor()", 0),
    moved(1, 2, "read_chunk", "Alda Bridge", "search_more()", 1),
    Event.of(PathEnded(path=2, action=1, why="exhausted", notebook=0, calls=1)),
]
DETAILS: Json = {
    "plan": {"asked": "a place: where?", "steps": ["Find out: who designed it?"], "key_information": []},
    "starts": [{"id": "k1", "name": "alda bridge", "score": 90.0}, {"id": "k2", "name": "skerne"}],
    "actions": [
        {"path": 1, "action": 1, "step": "check_facts", "at": "alda bridge", "decision": "read_chunk(c1)"}
        | {"noted": 2},
        {"path": 1, "action": 2, "step": "read_chunk", "at": "Alda Bridge", "decision": "termination()"}
        | {"noted": 1, "why": "complete", "reason": "The notes\x1b[2J hold all."},
        {"path": 2, "action": 1, "step": "check_facts", "at": "skerne", "decision": "none\x1b[2J", "noted": 0}
        | {"failed": "the endpoint is away", "why": "failed"},
    ],
    "notebooks": [{"path": 1, "start": "alda bridge", "entries": [{"text": DESIGNED, "facts": ["f1"]}]}],
    "analysis": "Path 1 names the designer.\nNothing contradicts.",
}


def test_every_step_is_a_line_with_its_decision_and_the_notebooks_growth(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (EVENTS, JobState.DONE, ANSWER)
    lines = run("ask", "Where?", "--strategy", "reader").stderr.splitlines()
    expected = [
        "plan: a place: where?", "path 1: starts at alda bridge", "path 2: starts at skerne",
        "path 1: check_facts alda bridge → read_chunk(c1) · notebook 1 (+1)", f"  why: {WHY}",
        f"  noted: {DESIGNED}", "path 2: check_facts skerne → stop_and_read_neighbor() · notebook 0",
        "path 1: read_chunk Alda Bridge → search_more() · notebook 1", "path 2: ended, nothing left to read",
    ]  # fmt: skip
    assert [line for line in lines if line in expected] == expected
    help_text = run_hopline("ask", "--help", width=200).stdout
    for strategy in ("graph: reads the graph node by node", "reader: plans, reads facts"):
        assert sum(strategy in line for line in help_text.splitlines()) == 1


def test_the_live_view_shows_each_paths_newest_steps() -> None:
    progress = QueryProgress()
    for event in EVENTS:
        progress.add(event)
    shown = io.StringIO()
    Console(file=shown, width=120).print(query_view(progress)())
    for part in (
        "reading facts · paths 2 · notes 1", "path 1 alda bridge",
        "2 read_chunk Alda Bridge → search_more() · notebook 1", f"why: {WHY}",
        "path 2 skerne · nothing left to read", f"noted: {DESIGNED}",
    ):  # fmt: skip
        assert part in shown.getvalue()


def test_an_answer_tells_how_it_was_read(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER | {"details": DETAILS})
    shown = run("ask", "Where?", "--strategy", "reader", "--explain").stdout
    for part in (
        "plan: a place: where?", "path 1 alda bridge · the answer is complete",
        "1 check_facts alda bridge → read_chunk(c1) · notebook 2 (+2)",
        "2 read_chunk Alda Bridge → termination() · notebook 3 (+1)", "why: The notes�[2J hold all.",
        f"noted: {DESIGNED}", "path 2 skerne · the model failed", "error: the endpoint is away",
        "Nothing contradicts.",
    ):  # fmt: skip
        assert part in shown
    assert shown.count("why: ") == 1
    assert "\x1b" not in shown


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


def test_sentences_and_what_is_waited_for_are_shown_until_they_are_taken_back() -> None:
    shown = drawn([VISITED, sentence(1, "She wrote [1]."), sentence(2, "She \x1b[31mmet him [2].")])
    written = "She wrote [1]. She \N{REPLACEMENT CHARACTER}[31mmet him [2]."
    assert shown.index("Ada 2 facts, at the start") < shown.index(written)
    again = drawn([VISITED, sentence(1, "She swam [1]."), RESTARTED, sentence(1, "She wrote [1].")])
    assert "She wrote [1]." in again
    assert "swam" not in again
    put_off = Event.of(ItemDeferred(item="visit:k1", step="traverse.visit", why="no model", until=1.7e9))
    progress = QueryProgress()
    told = f"no model; waiting until {datetime.fromtimestamp(1.7e9).astimezone():%H:%M:%S}"
    assert [progress.add(put_off), progress.add(put_off)] == [told, None]
    assert told in drawn([put_off])
    assert told not in drawn([put_off, Event.of(ItemDone(item="visit:k1", step="traverse.visit"))])


def test_without_a_terminal_the_answer_is_printed_once(desk: Desk, run: Run) -> None:
    events = [VISITED, sentence(1, ANSWER["text"]), RESTARTED, sentence(1, ANSWER["text"])]
    desk.ledger.play["query"] = (events, JobState.DONE, ANSWER)
    result = run("ask", "Who?")
    assert (result.stdout + result.stderr).count(ANSWER["text"]) == 1


CHUNK = Chunk(
    id="c1", index=0, text="Ada wrote it.", start=0, end=13, tokens=4, content_hash="", places='{"line":7}'
)
NOTES = Document(id="d1", collection="default", uri="u", title="Notes", content_hash="")


def test_a_question_without_an_answer_shows_the_nearest_passages(desk, run, monkeypatch):
    found = Found(question="Who?", chunks=(FoundChunk(chunk=CHUNK, document=NOTES, score=0.5),))
    monkeypatch.setattr("workers.search.search.search", lambda *_, **_more: found)
    absent = {"text": "", "reason": "no fact was found", "citations": [], "details": {"model": "offline"}}
    desk.ledger.play["query"] = ([], JobState.ABSTAINED, absent)
    result = run("ask", "Who?")
    assert result.exit_code == 3
    parts = ("No answer: no fact was found", "1. Notes, line 7", "“Ada wrote it.”", '`hopline search "Who?"')
    for part in parts:
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


def test_one_is_counted_as_one() -> None:
    assert [counted(number, "chunk") for number in (0, 1, 1234)] == ["0 chunks", "1 chunk", "1,234 chunks"]
