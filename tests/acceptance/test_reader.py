"""The reader strategy by real workers: which way its paths go, what it answers, and when it gives up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fleet.checks import (
    assert_citations_stored,
    assert_quotes_stand_in_files,
    assert_recorded_once,
    events_of,
    one_object,
)
from fleet.crew import Crew, wait_until
from fleet.readings import (
    DESIGNED_QUESTION,
    OPENED_QUESTION,
    UNKNOWN_QUESTION,
    write_design,
    write_opening,
    write_rumours,
)
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from workers.core.answers.answer import Answer

Write = Callable[[Path], Path]


@pytest.fixture(scope="module")
def bridge(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two documents that only together tell where the bridge's designer was born."""
    standing_crew.model.set()
    standing_crew.ingest(write_bridge(tmp_path_factory.mktemp("bridge")), "reader-bridge")
    return "reader-bridge"


def read(crew: Crew, question: str, collection: str, **params: Any) -> Answer:
    """Ask the reader, with one path, and check what must hold of every answer."""
    answer = crew.client.ask(question, collection, **({"strategy": "reader", "max_seeds": 1} | params))
    return checked(crew, collection, answer)


def checked(crew: Crew, collection: str, answer: Answer) -> Answer:
    if answer.status == "done":
        assert_quotes_stand_in_files(answer)
        assert_citations_stored(crew, collection, answer)
    return answer


def decisions(answer: Answer) -> list[str]:
    return [action["decision"] for action in answer.details["actions"]]


def noted(answer: Answer) -> str:
    return " ".join(entry["text"] for book in answer.details["notebooks"] for entry in book["entries"])


def titles(answer: Answer) -> set[str]:
    return {citation.document.title for citation in answer.citations}


@pytest.mark.parametrize(
    ("write", "question", "decision", "phrase"),
    [
        (write_opening, OPENED_QUESTION, "read_subsequent_chunk()", "1893"),
        (write_design, DESIGNED_QUESTION, "read_previous_chunk()", "Maren Holt"),
    ],
)
def test_an_answer_in_the_chunk_beside_is_found(
    crew: Crew, collection: str, tmp_path: Path, write: Write, question: str, decision: str, phrase: str
) -> None:
    crew.ingest(write(tmp_path), collection)
    answer = read(crew, question, collection)
    assert answer.status == "done", repr(answer.reason)
    assert phrase in answer.text
    assert decision in decisions(answer)
    assert phrase in noted(answer)
    assert answer.details["analysis"]
    assert len({citation.chunk_id for citation in answer.citations}) == len(answer.citations)
    assert_recorded_once(crew, answer.job_id)


def test_an_answer_at_a_neighbour_is_found(crew: Crew, bridge: str) -> None:
    answer = read(crew, BRIDGE_QUESTION, bridge)
    assert answer.status == "done", repr(answer.reason)
    assert "Vestby" in answer.text
    assert titles(answer) == {"Alda Bridge", "Maren Holt"}
    assert "read_neighbor_node(maren holt)" in decisions(answer)
    actions = answer.details["actions"]
    assert [action for action in actions if "(" in action["decision"] and not action.get("reason")] == []
    assert "The notes lead to maren holt." in [action.get("reason") for action in actions]
    assert [(step.name, step.depth) for step in answer.walk] == [("alda bridge", 0), ("maren holt", 1)]


def test_paths_side_by_side_find_the_same_answer(crew: Crew, bridge: str) -> None:
    # On a busy machine the first path would else be done before another has begun.
    crew.model.set(schemas={"FactNotes": {"hold": True}})
    job_id = crew.client.submit_question(BRIDGE_QUESTION, bridge, strategy="reader", max_seeds=5)
    wait_until(lambda: crew.model.requests().get("FactNotes", 0) > 1, "several paths read")
    crew.model.set()
    answer = checked(crew, bridge, crew.client.wait(job_id))
    assert answer.status == "done", repr(answer.reason)
    assert "Vestby" in answer.text
    assert len({action["path"] for action in answer.details["actions"]}) > 1
    assert_recorded_once(crew, answer.job_id)


def test_a_path_that_has_found_the_complete_answer_tells_the_others_to_finish(
    crew: Crew, collection: str, tmp_path: Path
) -> None:
    crew.ingest(write_rumours(tmp_path), collection)
    # Both paths have begun when the first has read its facts; whoever then reads on in a chunk is still
    # at it when the path that was shown the answer is done.
    crew.model.set(schemas={"FactNotes": {"latency": 2.0}, "ChunkNotes": {"latency": 6.0}})
    for _chance in range(3):  # for one moment the other path may be between two actions
        answer = read(crew, OPENED_QUESTION, collection, max_seeds=2)
        assert answer.status == "done", repr(answer.reason)
        assert "1893" in answer.text
        events = events_of(crew, answer.job_id)
        complete, *_also = [
            data["path"] for name, data in events if name == "path.ended" and data["why"] == "complete"
        ]
        [closed] = [data["why"] for name, data in events if name == "phase.closed"]
        assert closed == f"path {complete} has found the complete answer"
        after = events[[name for name, _ in events].index("phase.closed") :]
        begun = [data["item"] for name, data in after if name == "item.begun"]
        assert not [item for item in begun if item.startswith("path:")], "what was begun is finished, no more"
        finished = [
            data["item"] for name, data in after if name == "item.done" and data["item"][:5] == "path:"
        ]
        if finished:
            break
    assert finished, "others were still reading"
    assert_recorded_once(crew, answer.job_id)


def test_a_question_on_which_all_paths_give_up_is_not_answered(crew: Crew, bridge: str) -> None:
    answer = read(crew, UNKNOWN_QUESTION, bridge, max_seeds=5)
    assert answer.status == "abstained", answer
    assert "all paths gave up" in str(answer.reason)
    assert answer.text == ""
    assert answer.details["notebooks"] == []
    ended = [data["why"] for name, data in events_of(crew, answer.job_id) if name == "path.ended"]
    assert len(ended) == len(answer.details["starts"])
    assert set(ended) <= {"terminated", "exhausted", "calls"}


def test_every_step_is_told_while_it_reads_and_after(crew: Crew, bridge: str) -> None:
    words = ("--strategy", "reader", "--max-seeds", "1")
    done = crew.run("ask", BRIDGE_QUESTION, "-c", bridge, *words)
    assert done.returncode == 0, done.stderr
    assert "Vestby" in done.stdout
    assert "read_neighbor_node(maren holt)" in done.stdout
    live = done.stderr.splitlines()
    assert any("path 1" in line and "read_neighbor_node(maren holt)" in line for line in live), live
    assert any("notebook" in line for line in live)

    result = crew.run("ask", BRIDGE_QUESTION, "-c", bridge, *words, "--json")
    details = one_object(result.stdout)["details"]
    assert [action["action"] for action in details["actions"]] == list(range(1, len(details["actions"]) + 1))
    assert all(entry["facts"] for book in details["notebooks"] for entry in book["entries"])


@pytest.mark.parametrize(
    ("schema", "failure", "answered"),
    [
        ("RationalPlan", "invented", "Vestby"),
        ("RationalPlan", "refusal", "Vestby"),
        ("StartScores", "invented", "Vestby"),
        ("StartScores", "malformed", "Vestby"),
        ("FactNotes", "invented", "Vestby"),
        ("FactNotes", "refusal", ""),
        ("ChunkNotes", "invented", "Vestby"),
        ("ChunkNotes", "schema", ""),
        ("ReasonedAnswer", "invented", "Vestby"),
    ],
)
def test_a_bad_reply_is_never_believed(
    crew: Crew, bridge: str, schema: str, failure: str, answered: str
) -> None:
    # A wrong choice is answered with an error; what cannot be read is asked for again, and then given up.
    times = 1 if failure == "invented" else 2
    crew.model.set(schemas={schema: {"fail_next": [failure] * times}})
    answer = read(crew, BRIDGE_QUESTION, bridge)
    assert "green cheese" not in f"{answer.text} {answer.reason} {noted(answer)}"
    assert {step.name for step in answer.walk} <= {"alda bridge", "maren holt"}
    assert answered in answer.text, repr(answer)


def test_two_wrong_choices_in_a_row_end_a_path(crew: Crew, bridge: str) -> None:
    crew.model.set(schemas={"ChunkNotes": {"fail_next": ["invented"] * 2}})
    answer = read(crew, BRIDGE_QUESTION, bridge)
    assert answer.details["actions"][-1]["why"] == "wrong"
    assert answer.details["refused_choices"] == 2
