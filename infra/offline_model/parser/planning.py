"""Plans and starts: RationalPlan, StartScores, and StrategyChoice, which prepares a question for tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from infra.offline_model.parser.atomic_questions import split_question
from infra.offline_model.parser.chinese.tool_shapes import chinese_uses
from infra.offline_model.parser.graph.graph_question import GraphQuestion
from infra.offline_model.parser.graph.graph_words import read_schema
from infra.offline_model.parser.graph.nested import nested
from infra.offline_model.parser.question.offered_tools import speaks_of_event
from infra.offline_model.parser.question.question import Kind, Question, mentions, name_words, read_question
from infra.offline_model.parser.question.shapes import (
    is_aggregate,
    is_connection,
    is_courtesy,
    is_detail,
    is_event,
    is_journey,
)
from infra.offline_model.parser.question_plan import plan_question
from infra.offline_model.parser.statements.names import dates, numbers
from infra.offline_model.parser.statements.statements import read_statement, relevance
from infra.offline_model.parser.survey import asks_about_the_whole
from infra.offline_model.parser.tool_choice import mentioned
from workers.core.language.text import words

_COUNTS = re.compile(r"\b(?:how many|number of|counts?)\b", re.IGNORECASE)
_LONG = 22  # words of a question that takes many steps


def choose_strategy(material: dict[str, Any]) -> dict[str, Any]:
    """Return {strategy, why, question, sub_questions} for {question, history, schema, tools, documents}."""
    text = str(material.get("question") or "")
    graph = read_schema(str(material.get("schema") or ""))
    prepared = split_question(material)
    parts = [GraphQuestion(part, graph) for part in prepared["sub_questions"]]
    strategy, why = _chosen(
        GraphQuestion(text, graph),
        parts,
        material.get("tools") or [],
        has_documents=bool(material.get("documents")),
    )
    if strategy != "tools":
        prepared = {"question": "", "sub_questions": []}
    return {"strategy": strategy, "why": why, **prepared}


def _chosen(
    question: GraphQuestion,
    parts: Sequence[GraphQuestion],
    tools: Sequence[Mapping[str, Any]],
    *,
    has_documents: bool,
) -> tuple[str, str]:
    survey = _survey(question.text)
    if not tools:
        return survey or ("graph", "There are no tools to ask the graph with.")
    if is_courtesy(question.text):
        return "tools", "Nothing is asked of the documents."
    if not has_documents:
        return "tools", "There are no documents: only the graph itself can tell."
    can_count = any(_COUNTS.search(str(tool.get("purpose"))) for tool in tools)
    whole_and_parts = [part for part in (question, *parts) if part.graph.labels and not is_detail(part.text)]
    reasons = (_of_the_graph(part, can_count=can_count) for part in whole_and_parts)
    if of_the_graph := next(filter(None, reasons), ""):
        return "tools", of_the_graph
    return survey or _of_documents(question)


def _survey(text: str) -> tuple[str, str] | None:
    return ("survey", "It asks what the documents say as a whole.") if asks_about_the_whole(text) else None


def _of_documents(question: GraphQuestion) -> tuple[str, str]:
    if _is_long(question):
        return "reader", "It takes several steps over documents."
    return "graph", "It asks what the documents say of few things."


def _of_the_graph(question: GraphQuestion, *, can_count: bool) -> str:
    """Return why the graph itself can answer; empty if it cannot."""
    text, names = question.text, [entity.name for entity in question.names]
    if any(shape.use != "search" for shape in chinese_uses(text, question.graph)):
        return "It asks what a graph with these relationships tells."
    events = any("event" in label.name.casefold() for label in question.graph.labels)
    along = next((relation.kind.name for relation in question.types if relation.word), "")
    ends = names if len(names) > 1 else mentioned(question)
    connected = bool(names) and is_connection(text) and len(ends) > 1
    shapes = (
        (connected, f"It asks how {' and '.join(ends[:2])} hang together."),
        (
            can_count and question.touches and is_aggregate(question.rest),
            f"It counts, compares or filters {_what(question)}.",
        ),
        (
            events and (is_event(text) or speaks_of_event(question)),
            "It asks for events, and the graph has events.",
        ),
        (names and is_journey(text), f"It asks how {''.join(names[:1])} fares over time."),
        (names and along and not _is_long(question), f"It asks along {along}, which the schema has."),
    )
    return next((why for fits, why in shapes if fits), "")


def _what(question: GraphQuestion) -> str:
    held = [
        *(kind.name for kind, _, _ in question.labels),
        *(relation.kind.name for relation in question.types),
    ]
    return next(iter([*held, *(name for _, name in question.properties)]), "things")


def _is_long(question: GraphQuestion) -> bool:
    description = nested(question.text, question.graph)
    deeper = nested(description.filled(question.text, "X"), question.graph) if description else None
    return bool(deeper) or len(question.text.split()) > _LONG


_SORTS: dict[Kind, str] = {
    "date": "a date",
    "number": "a number",
    "person": "a person",
    "place": "a place",
    "any": "what is asked for",
}


def rational_plan(material: dict[str, Any]) -> dict[str, Any]:
    """Return {question, asked, steps, key_information, entities, sub_questions} for {question, history}."""
    plan = plan_question(material)
    text, parts = str(plan["question"]), list(plan["sub_questions"])
    question = read_question(text)
    about = ", ".join(question.names)
    matters = [f"{matter} of {about}" if about else matter for matter in sorted(question.matters)]
    return {
        "question": text,
        "asked": f"{_SORTS[question.kind]}: {text}"[:600],
        "steps": [f"Find out: {part}" for part in parts or [text[:2000]]],
        "key_information": [*question.names, *(parts or matters)][:20],
        "entities": plan["entities"],
        "sub_questions": parts,
    }


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
