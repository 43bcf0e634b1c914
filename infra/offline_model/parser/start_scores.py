"""StartScores: scores the offered key elements as starts of a path."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.question.question import Question, mentions, name_words, read_question
from infra.offline_model.parser.statements.names import dates, numbers
from infra.offline_model.parser.statements.statements import read_statement, relevance
from workers.core.language.text import words

_WHOLE, _PART = 60.0, 30.0  # points for being a name of the question, for holding or being held by one
_CONTEXT = 40.0  # points at most for a fact that speaks of what is asked


def score_starts(material: dict[str, Any]) -> dict[str, Any]:
    """Return {scores: [{name, score}]}, 0 to 100, for {question, plan, candidates: [{name, context}]}."""
    plan = material.get("plan") or {}
    parts = [str(step) for step in plan.get("steps") or []]
    questions = [read_question(text) for text in (str(material.get("question") or ""), *parts)]
    candidates = material.get("candidates") or []
    return {
        "scores": [
            {"name": str(candidate.get("name") or ""), "score": _score(candidate, questions)}
            for candidate in candidates[:100]
        ]
    }


def _score(candidate: dict[str, Any], questions: list[Question]) -> float:
    name, context = str(candidate.get("name") or ""), str(candidate.get("context") or "")
    named = max(_named(name, question) for question in questions)
    statement = read_statement(context)
    context_relevance = max(relevance(question, statement) for question in questions) if context else 0.0
    score = named + _CONTEXT * context_relevance
    figure = name in dates(name) or name in numbers(name)
    return round(score / 4 if figure and not named else score, 1)  # a year joins what has nothing in common


def _named(name: str, question: Question) -> float:
    own = set(name_words(name))
    if not own:
        return 0.0
    if any(own == set(name_words(question_name)) for question_name in question.names):
        return _WHOLE
    question_words = frozenset(words(question.text))
    touches = (
        any(mentions(question_name, frozenset(own)) for question_name in question.names)
        or own <= question_words
    )
    return _PART if touches else 0.0
