"""QuestionPlan: finds entities and sub-questions, and resolves references to earlier questions."""

from __future__ import annotations

import re
from typing import Any

from infra.offline_model.parser.chinese.steps import is_chinese, names_between
from infra.offline_model.parser.question.question import Question, read_question
from infra.offline_model.parser.question.synonyms import KINDS, RELATIONS, STOP_WORDS, concept, concepts
from infra.offline_model.parser.statements.names import foreign_terms, names
from infra.offline_model.parser.sums import parts_of_sum
from workers.core.language.text import words

PERSON = re.compile(r"\b(?:he|she|him)\b|\b(his|her)\b", re.IGNORECASE)
THING = re.compile(
    r"\b(?:it|they|them|(?<!is )(?<!was )(?<!are )(?<!were )there|this|that one)\b"
    r"(?! (?:is|was|are|were) \w+ (?:that|who))|\b(its|their)\b",
    re.IGNORECASE,
)
_AFTER = (
    "born|die|died|live|lived|buried|located|study|studied|marry|married|"
    "have|win|won|work|worked|opened|founded"
)
_BRIDGE = re.compile(
    r"\bthe (?P<role>[\w-]+(?: [\w-]+)?) (?P<link>of|who|that|which|whose) "
    rf"(?P<rest>.*?)(?=$|[?,]| (?:{_AFTER})\b)"
)
_MOST = 20


def plan_question(material: dict[str, Any]) -> dict[str, Any]:
    """Return {question, entities, sub_questions} for {question, history}."""
    text = standing_alone(str(material.get("question") or "?"), material.get("history") or [])
    question = read_question(text)
    parts = parts_of_sum(text) or _parts(question)
    return {"question": text, "entities": _entities(question)[:_MOST], "sub_questions": parts}


def _entities(question: Question) -> list[str]:
    """Return names, dates and quoted phrases, then nouns that are not relations: radium, not discoverer."""
    rest = question.text
    for name in question.names:
        rest = rest.replace(name, " ")
    if question.dense:
        between = names_between(question.text) if is_chinese(question.text) else []
        return list(dict.fromkeys((*question.names, *between, *foreign_terms(question.text))))
    nouns = [word for word in words(rest) if word not in STOP_WORDS and word not in KINDS]
    things = [word for word in nouns if concept(word) not in RELATIONS]
    entities = [*question.names, *(things if question.names else [*_phrases(rest, things), *things])]
    return list(dict.fromkeys(entities or nouns))


def _phrases(text: str, things: list[str]) -> list[str]:
    """Return runs of neighbouring nouns: tone poem."""
    runs = re.findall(r"\b\w+(?: \w+)+\b", text.casefold())
    joined = [" ".join(run) for part in runs for run in _runs(part.split(), set(things))]
    return [phrase for phrase in joined if " " in phrase]


def _runs(row: list[str], things: set[str]) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for word in row:
        if word in things:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _parts(question: Question) -> list[str]:
    """Split "… of the composer of Finlandia …" into who that is and the question about them."""
    match = _BRIDGE.search(question.text.rstrip("?"))
    if not match:
        return []
    role, inner = match.group("role"), match.group("rest").strip()
    outside = f"{question.text[: match.start()]} that {role} {question.text[match.end() :]}"
    left = read_question(outside).matters - concepts(role)
    named = read_question(inner).names or read_question(inner).matters
    if not inner or not named or not left:
        return []
    first = f"Who or what is the {role} {match.group('link')} {inner}?"
    return [first, " ".join(outside.split()).replace(" ?", "?").rstrip("?") + "?"]


def standing_alone(text: str, history: list[dict[str, Any]]) -> str:
    """Return a question that needs nothing of the conversation before it."""
    question = read_question(text)
    if not history:
        return text
    last = history[-1]
    before, answer = str(last.get("question") or ""), str(last.get("answer") or "")
    for pattern, person in ((PERSON, True), (THING, False)):
        match = pattern.search(text)
        meant = _meant(before, answer, person=person)
        if match and meant and not question.names:
            owned = f"{meant}'s" if match.group(1) else meant
            return f"{text[: match.start()]}{owned}{text[match.end() :]}"
    if question.names or question.matters:
        return text if question.matters else f"{before.rstrip('?')}, but for {', '.join(question.names)}?"
    return f"{before.rstrip('?')}: {text}"  # nothing but a question word


def _meant(before: str, answer: str, *, person: bool) -> str:
    """Return the name that a pronoun means: that in the last answer, or else in the question."""
    question = read_question(before)
    answer_names = [name for name in names(answer) if name not in question.names]
    ranked = (
        [*answer_names, *question.names]
        if question.kind == "person" and person
        else [*question.names, *answer_names]
    )
    return next(iter(ranked), "")
