"""A life, read with a profile of its own: defeats, cities in order, and what the text does not say."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from fleet.crew import Crew

from producer.demo.story_run import StoryQuestion

LIFE = Path(__file__).resolve().parents[1] / "data" / "biography"
COLLECTION = "test-a-biography"
QUESTIONS = [
    StoryQuestion.model_validate(question)
    for question in tomllib.loads((LIFE / "questions.toml").read_text("utf-8"))["questions"]
]


@pytest.fixture(scope="module")
def crew(standing_crew: Crew) -> Crew:
    standing_crew.model.set()
    report = standing_crew.client.ingest(
        [LIFE / "clara-voss.md"], COLLECTION, profile=LIFE / "profile.toml", timeout=180
    )
    assert [document.status for document in report.documents] == ["done"]
    return standing_crew


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.question)
def test_a_question_about_the_life_is_answered(crew: Crew, question: StoryQuestion) -> None:
    result = crew.client.tool(question.tool, COLLECTION, **question.arguments)
    assert question.mistakes(result) == []
    rest = result.markdown
    for phrase in question.found:  # cities and defeats come in the order of the life
        assert phrase in rest
        rest = rest.partition(phrase)[2]


def test_victories_are_no_defeats(crew: Crew) -> None:
    markdown = crew.client.tool("get_character_events", COLLECTION, event_type="victory").markdown
    assert "1 major event was found." in markdown
    assert "Calder" not in markdown
    assert "Edda Marsh" not in markdown


def test_what_the_text_does_not_say_is_declined(crew: Crew) -> None:
    answer = crew.client.ask("Whom did Clara Voss marry?", COLLECTION, timeout=180)
    assert answer.status == "abstained"
    assert not answer.citations
