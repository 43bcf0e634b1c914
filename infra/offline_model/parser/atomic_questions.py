"""AtomicQuestions: makes a question self-contained, and splits off the parts that can be asked now."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from infra.offline_model.parser.graph.entities import entities
from infra.offline_model.parser.graph.graph_words import GraphWords, read_schema
from infra.offline_model.parser.question.parts import open_questions
from infra.offline_model.parser.question.shapes import is_courtesy, is_repeat
from infra.offline_model.parser.question.tool_results import names_found
from infra.offline_model.parser.question_plan import PERSON, THING, standing_alone
from workers.core.language.text import words

_MOST = 10
_MARKER = re.compile(r" ?\[\d+\]|\(\w+\)")
_ELLIPTIC = re.compile(r"^\W*(?:and|what about|how about|and for|and what about|or)\b", re.IGNORECASE)
_OF_THING = re.compile(r"^(?:in )?(?:which|what)\b", re.IGNORECASE)
_WHO = re.compile(r"^whom?\b", re.IGNORECASE)


def split_question(material: dict[str, Any]) -> dict[str, Any]:
    """Return {question, sub_questions} for {question, history, schema}."""
    question = str(material.get("question") or "?")
    graph = read_schema(str(material.get("schema") or ""))
    text = (
        question
        if is_courtesy(question) or is_repeat(question)
        else _alone(question, material.get("history") or [], graph)
    )
    parts = open_questions(text, graph, lambda _question: None)
    atomic = len(parts) == 1 and words(parts[0]) == words(text)
    return {"question": text, "sub_questions": [] if atomic else parts[:_MOST]}


def _alone(text: str, history: Sequence[Mapping[str, Any]], graph: GraphWords) -> str:
    """Return the question made self-contained with names from earlier ones."""
    if not history:
        return text
    last = history[-1]
    before = str(last.get("question") or "")
    reply = str(last.get("answer") or "")
    rows = _list_rows(reply, before)
    answer = "; ".join(names_found(before, rows)) if rows else _plain(reply, graph)
    held = entities(text)
    if held and _ELLIPTIC.match(text) and len(text.split()) <= len(held[0].name.split()) + 3:
        return _exchanged(before, held[0].name) or standing_alone(text, [dict(last)])
    for pattern, personal in ((PERSON, True), (THING, False)):
        match = pattern.search(text)
        meant = _meant(before, answer, personal=personal)
        if match and meant and not held:
            owned = f"{meant}'s" if match.group(1) else meant
            rest = re.sub(r"^(?:and|but|so)\s+", "", text[: match.start()], flags=re.IGNORECASE)
            return _opened(f"{rest}{owned}{text[match.end() :]}")
    needs = not held and not any(graph.knows(word) for word in re.findall(r"\w+", text))
    return standing_alone(text, [{"question": before, "answer": answer}]) if needs else text


def _opened(text: str) -> str:
    return text[:1].upper() + text[1:]


def _exchanged(before: str, name: str) -> str:
    """Return the question before with another name."""
    held = entities(before)
    return f"{before[: held[0].start]}{name}{before[held[0].end :]}" if len(held) == 1 else ""


def _plain(answer: str, graph: GraphWords) -> str:
    """Return an answer without relationship types and kinds: they look like names."""
    for kind in graph.types:
        answer = re.sub(rf"(?<!\w){re.escape(kind.name)}(?!\w)", ";", answer)
    return _MARKER.sub(";", answer)


def _list_rows(answer: str, question: str) -> str:
    """Return the rows of an answer as a list; in the answer, the question precedes each row."""
    rows = [_MARKER.sub("", row).strip(" .") for row in answer.split(question)[1:]] if question else []
    return "\n".join(f"- {row}" for row in rows if " · " in row)


def _meant(before: str, answer: str, *, personal: bool) -> str:
    """Return the name that a pronoun means: the last question's answer, or its subject."""
    question_names = [entity.name for entity in entities(before)]
    answer_names = [entity.name for entity in entities(answer) if entity.name not in question_names]
    sought = _WHO.match(before) if personal else _OF_THING.match(before)
    return next(iter([*answer_names, *question_names] if sought else [*question_names, *answer_names]), "")
