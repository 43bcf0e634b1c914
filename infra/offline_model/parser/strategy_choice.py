"""StrategyChoice: chooses a strategy for a question, and prepares it for tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from infra.offline_model.parser.atomic_questions import split_question
from infra.offline_model.parser.graph.graph_question import GraphQuestion
from infra.offline_model.parser.graph.graph_words import read_schema
from infra.offline_model.parser.graph.nested import nested
from infra.offline_model.parser.question.offered_tools import speaks_of_event
from infra.offline_model.parser.question.shapes import (
    is_aggregate,
    is_connection,
    is_courtesy,
    is_detail,
    is_event,
    is_journey,
)
from infra.offline_model.parser.survey import asks_about_the_whole
from infra.offline_model.parser.tool_choice import mentioned

_COUNTS = re.compile(r"\b(?:how many|number of|counts?)\b", re.IGNORECASE)
_LONG = 22  # words of a question that takes many steps


def choose_strategy(given: dict[str, Any]) -> dict[str, Any]:
    """Return {strategy, why, question, sub_questions} for {question, history, schema, tools, documents}."""
    text = str(given.get("question") or "")
    graph = read_schema(str(given.get("schema") or ""))
    prepared = split_question(given)
    parts = [GraphQuestion(part, graph) for part in prepared["sub_questions"]]
    strategy, why = _chosen(
        GraphQuestion(text, graph),
        parts,
        given.get("tools") or [],
        has_documents=bool(given.get("documents")),
    )
    if strategy != "tools":
        prepared = {"question": "", "sub_questions": []}
    return {"strategy": strategy, "why": why, **prepared}


def _chosen(
    asked: GraphQuestion,
    parts: Sequence[GraphQuestion],
    tools: Sequence[Mapping[str, Any]],
    *,
    has_documents: bool,
) -> tuple[str, str]:
    survey = _survey(asked.text)
    if not tools:
        return survey or ("graph", "There are no tools to ask the graph with.")
    if is_courtesy(asked.text):
        return "tools", "Nothing is asked of the documents."
    if not has_documents:
        return "tools", "There are no documents: only the graph itself can tell."
    can_count = any(_COUNTS.search(str(one.get("purpose"))) for one in tools)
    whole_and_parts = [one for one in (asked, *parts) if one.graph.labels and not is_detail(one.text)]
    reasons = (_of_the_graph(one, can_count=can_count) for one in whole_and_parts)
    if of_the_graph := next(filter(None, reasons), ""):
        return "tools", of_the_graph
    return survey or _of_documents(asked)


def _survey(text: str) -> tuple[str, str] | None:
    return ("survey", "It asks what the documents say as a whole.") if asks_about_the_whole(text) else None


def _of_documents(asked: GraphQuestion) -> tuple[str, str]:
    if _is_long(asked):
        return "reader", "It takes several steps over documents."
    return "graph", "It asks what the documents say of few things."


def _of_the_graph(asked: GraphQuestion, *, can_count: bool) -> str:
    """Return why the graph itself can tell; empty where it cannot."""
    text, names = asked.text, [one.name for one in asked.names]
    events = any("event" in one.name.casefold() for one in asked.graph.labels)
    along = next((one.kind.name for one in asked.types if one.word), "")
    ends = names if len(names) > 1 else mentioned(asked)
    connected = bool(names) and is_connection(text) and len(ends) > 1
    shapes = (
        (connected, f"It asks how {' and '.join(ends[:2])} hang together."),
        (
            can_count and asked.touches and is_aggregate(asked.rest),
            f"It counts, compares or filters {_what(asked)}.",
        ),
        (
            events and (is_event(text) or speaks_of_event(asked)),
            "It asks for events, and the graph has events.",
        ),
        (names and is_journey(text), f"It asks how {''.join(names[:1])} fares over time."),
        (names and along and not _is_long(asked), f"It asks along {along}, which the schema has."),
    )
    return next((why for fits, why in shapes if fits), "")


def _what(asked: GraphQuestion) -> str:
    held = [*(kind.name for kind, _, _ in asked.labels), *(one.kind.name for one in asked.types)]
    return next(iter([*held, *(name for _, name in asked.properties)]), "things")


def _is_long(asked: GraphQuestion) -> bool:
    found = nested(asked.text, asked.graph)
    deeper = nested(found.filled(asked.text, "X"), asked.graph) if found else None
    return bool(deeper) or len(asked.text.split()) > _LONG
