"""The demo's documents and questions fit one another, and its verdict is strict."""

from __future__ import annotations

from importlib.resources import files

import pytest

from producer.demo.questions import QUESTIONS
from producer.demo.story_run import StoryQuestion, story_questions
from workers.core.answer import Answer
from workers.ingest.chapters import chapters_of
from workers.tools.tool import ToolResult

TEXTS = {
    place.name: place.read_text(encoding="utf-8")
    for place in (files("producer.demo") / "documents").iterdir()
    if place.name.endswith((".md", ".txt"))
}


def test_there_are_a_dozen_short_texts() -> None:
    assert len(TEXTS) == 12
    assert all(120 <= len(text.split()) <= 250 for text in TEXTS.values())


def test_the_two_hop_question_needs_two_documents() -> None:
    first, second = TEXTS["clifton-suspension-bridge.md"], TEXTS["isambard-kingdom-brunel.md"]
    assert "designed by Isambard Kingdom Brunel" in first
    assert "Portsmouth" not in first
    assert "born in Portsmouth" in second
    assert "Clifton" not in second
    assert [name for name, text in TEXTS.items() if "Portsmouth" in text] == ["isambard-kingdom-brunel.md"]


@pytest.mark.parametrize("word", ["Carmen", "opera", "cost", "dollar", "price"])
def test_what_is_declined_is_in_no_document(word: str) -> None:
    assert not any(word.casefold() in text.casefold() for text in TEXTS.values())


def test_an_answer_where_none_should_be_is_a_mistake() -> None:
    declined = next(question for question in QUESTIONS if question.status == "abstained")
    assert declined.mistakes(Answer(job_id="j", status="abstained")) == []
    assert declined.mistakes(Answer(job_id="j", status="done", text="Bizet."))


def test_an_answer_without_its_word_or_citations_is_a_mistake() -> None:
    hop = next(question for question in QUESTIONS if question.documents == 2)
    (words, documents) = hop.mistakes(Answer(job_id="j", status="done", text="In London."))
    assert "'Portsmouth'" in words
    assert "cites 0 documents" in documents


def test_the_story_has_chapters_and_a_question_for_each_tool() -> None:
    chapters = sorted(
        place.read_text(encoding="utf-8")
        for place in (files("producer.demo") / "story" / "chapters").iterdir()
    )
    assert [chapters_of(text, "md").parts[0].chapter for text in chapters] == [1, 2, 3, 4, 5, 6, 7]
    assert 1000 <= sum(len(text.split()) for text in chapters) <= 1300  # two pages
    asked = {question.tool for question in story_questions()}
    assert asked == {
        "lookup_knowledge",
        "find_connection",
        "track_journey",
        "get_character_events",
        "search_memory",
    }


def test_a_result_without_what_must_be_found_is_a_mistake() -> None:
    question = StoryQuestion(question="Who?", tool="respond", found=("Ada", "Bern"))
    result = ToolResult(tool="respond", arguments={}, markdown="Ada lives in Thun.")
    assert question.mistakes(result) == ["“Who?” does not tell 'Bern'"]
