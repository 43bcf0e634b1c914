"""FactScore and FactScores: score how much facts help to answer."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.question.question import read_question
from infra.offline_model.parser.question.tool_facts import is_of_tool, tool_relevance
from infra.offline_model.parser.statements.statements import read_statement, relevance
from infra.offline_model.parser.survey import ANYTHING_HELPS, asks_about_anything

_WORDS = 12


def score_fact(material: dict[str, Any]) -> dict[str, Any]:
    """Return {relevance, source_description} for {question, sub_questions, fact, sources}."""
    sources = material.get("sources") or []
    title = str(sources[0].get("title") or "") if sources else ""
    fact = str(material.get("fact") or "")
    questions = [
        str(text) for text in (material.get("question") or "", *(material.get("sub_questions") or []))
    ]
    if is_of_tool(fact, title, questions):
        helps = tool_relevance(fact, title, questions)
        return {"relevance": helps, "source_description": _described(title, sources)}
    readings = (read_statement(fact), read_statement(fact, title))  # a name in the title counts half
    parts = [read_question(text) for text in questions]
    best = max(sum(relevance(part, statement) for statement in readings) / len(readings) for part in parts)
    if asks_about_anything(parts[0]):
        best = max(best, ANYTHING_HELPS)
    return {"relevance": round(best, 3), "source_description": _described(title, sources)}


def score_each(material: dict[str, Any]) -> dict[str, Any]:
    """Return {scores: [{n, relevance, source_description}]} for {question, sub_questions, facts}."""
    questions = {name: material.get(name) for name in ("question", "sub_questions")}
    facts = [fact for fact in material.get("facts") or [] if isinstance(fact, dict)]
    return {"scores": [{"n": fact.get("n"), **score_fact({**questions, **fact})} for fact in facts]}


def _described(title: str, sources: list[dict[str, Any]]) -> str:
    quote = str(sources[0].get("quote") or "").split() if sources else []
    shown = " ".join(quote[:_WORDS]) + ("…" if len(quote) > _WORDS else "")
    return ": ".join(part for part in (title, shown) if part)[:500]
