"""FactScore: how much a fact helps to answer."""

from __future__ import annotations

from typing import Any

from infra.offline_model.reader.question import read_question
from infra.offline_model.reader.statements import read_statement, relevance

_WORDS = 12


def score_fact(given: dict[str, Any]) -> dict[str, Any]:
    """Return {relevance, source_description} for {question, sub_questions, fact, sources}."""
    sources = given.get("sources") or []
    title = str(sources[0].get("title") or "") if sources else ""
    statement = read_statement(str(given.get("fact") or ""), title)
    questions = [str(given.get("question") or ""), *map(str, given.get("sub_questions") or [])]
    best = max(relevance(read_question(one), statement) for one in questions)
    return {"relevance": round(best, 3), "source_description": _described(title, sources)}


def _described(title: str, sources: list[dict[str, Any]]) -> str:
    quote = str(sources[0].get("quote") or "").split() if sources else []
    shown = " ".join(quote[:_WORDS]) + ("…" if len(quote) > _WORDS else "")
    return ": ".join(part for part in (title, shown) if part)[:500]
