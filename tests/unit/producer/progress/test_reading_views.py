"""A reader at work and its answer, as people see them: every step, its decision, the notebook's growth."""

from __future__ import annotations

import io

from doubles.command_line import Run, run_hopline
from doubles.desk import ANSWER, Desk
from rich.console import Console

from producer.progress.query import QueryProgress
from producer.views.questions.live import query_view
from workers.core.events.jobs import ItemBegun
from workers.core.events.questions import PathEnded, PathMoved, PlanFinished, StartChosen, StartsChosen
from workers.core.jobs.work import Event, JobState, Json

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
        "plan: a place: where?",
        "path 1: starts at alda bridge",
        "path 2: starts at skerne",
        "path 1: check_facts alda bridge → read_chunk(c1) · notebook 1 (+1)",
        f"  why: {WHY}",
        f"  noted: {DESIGNED}",
        "path 2: check_facts skerne → stop_and_read_neighbor() · notebook 0",
        "path 1: read_chunk Alda Bridge → search_more() · notebook 1",
        "path 2: ended, nothing left to read",
    ]
    assert [line for line in lines if line in expected] == expected
    help_text = run_hopline("ask", "--help", width=200).stdout
    for strategy in ("graph: walks from node to node", "reader: plans, reads facts"):
        assert sum(strategy in line for line in help_text.splitlines()) == 1


def test_the_live_view_shows_each_paths_newest_steps() -> None:
    progress = QueryProgress()
    for event in EVENTS:
        progress.add(event)
    shown = io.StringIO()
    Console(file=shown, width=120).print(query_view(progress)())
    for part in (
        "reading facts · paths 2 · notes 1",
        "path 1 alda bridge",
        "2 read_chunk Alda Bridge → search_more() · notebook 1",
        f"why: {WHY}",
        "path 2 skerne · nothing left to read",
        f"noted: {DESIGNED}",
    ):
        assert part in shown.getvalue()


def test_an_answer_tells_how_it_was_read(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER | {"details": DETAILS})
    shown = run("ask", "Where?", "--strategy", "reader", "--explain").stdout
    for part in (
        "plan: a place: where?",
        "path 1 alda bridge · the answer is complete",
        "1 check_facts alda bridge → read_chunk(c1) · notebook 2 (+2)",
        "2 read_chunk Alda Bridge → termination() · notebook 3 (+1)",
        "why: The notes�[2J hold all.",
        f"noted: {DESIGNED}",
        "path 2 skerne · the model failed",
        "error: the endpoint is away",
        "Nothing contradicts.",
    ):
        assert part in shown
    assert shown.count("why: ") == 1
    assert "\x1b" not in shown
