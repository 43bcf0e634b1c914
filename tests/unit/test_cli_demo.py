"""The demo's documents and questions fit one another, and its verdict is strict."""

from __future__ import annotations

from importlib.resources import files

import pytest

from producer.demo.questions import QUESTIONS
from workers.core.answer import Answer

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
