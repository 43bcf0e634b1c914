"""The reader strategy by real workers: which way its paths go, what it answers, and when it gives up."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fleet.checks import assert_citations_stored, assert_quotes_stand_in_files, assert_recorded_once
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, DESIGNED_QUESTION, OPENED_QUESTION, write_design, write_opening

from hopline.models.answers import Answer
from hopline.models.params import QueryBounds

Write = Callable[[Path], Path]


def read(crew: Crew, question: str, collection: str) -> Answer:
    """Ask the reader, with one path, and check what must hold of every answer."""
    answer = crew.client.ask(question, collection=collection, strategy="reader", max_seeds=1)
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


@pytest.mark.parametrize(("write", "question", "decision", "phrase"), [
    (write_opening, OPENED_QUESTION, "read_subsequent_chunk()", "1893"),
    pytest.param(
        *(write_design, DESIGNED_QUESTION, "read_previous_chunk()", "Maren Holt"), marks=pytest.mark.long
    ),
])  # fmt: skip
def test_an_answer_in_the_next_chunk_is_found(crew, collection, tmp_path, write, question, decision, phrase):
    crew.ingest(write(tmp_path), collection)
    answer = read(crew, question, collection)
    assert answer.status == "done", repr(answer.reason)
    assert phrase in answer.text
    assert decision in decisions(answer)
    assert phrase in noted(answer)
    assert answer.details["analysis"]
    assert len({citation.chunk_id for citation in answer.citations}) == len(answer.citations)
    assert_recorded_once(crew, answer.job_id)


def test_an_answer_at_a_neighbour_is_found(crew: Crew, bridges: str) -> None:
    answer = read(crew, BRIDGE_QUESTION, bridges)
    assert answer.status == "done", repr(answer.reason)
    assert "Vestby" in answer.text
    assert titles(answer) == {"Alda Bridge", "Maren Holt"}
    assert "read_neighbor_node(Maren Holt)" in decisions(answer)
    actions = answer.details["actions"]
    assert [action for action in actions if "(" in action["decision"] and not action.get("reason")] == []
    assert "The notes lead to maren holt." in [action.get("reason") for action in actions]
    assert [(step.name, step.depth) for step in answer.walk] == [("Alda Bridge", 0), ("Maren Holt", 1)]


@pytest.mark.long
def test_paths_side_by_side_find_the_same_answer(crew: Crew, bridges: str) -> None:
    # On a busy machine the first path would else be done before another has begun.
    crew.model.set(schemas={"FactNotes": {"hold": True}})
    bounds = QueryBounds(max_seeds=5)
    job = crew.client.queries.submit(
        BRIDGE_QUESTION, collection=bridges, strategy="reader", parameters=bounds
    )
    wait_until(lambda: crew.model.requests().get("FactNotes", 0) > 1, "several paths read")
    crew.model.set()
    answer = checked(crew, bridges, crew.answer(job.id))
    assert answer.status == "done", repr(answer.reason)
    assert "Vestby" in answer.text
    assert len({action["path"] for action in answer.details["actions"]}) > 1
    assert_recorded_once(crew, answer.job_id)
