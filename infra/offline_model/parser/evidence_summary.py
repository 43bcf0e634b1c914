"""EvidenceSummary: picks the statements that fit the question best, cut at a trailing comma."""

from __future__ import annotations

from typing import Any

from infra.offline_model.parser.question.question import read_question
from infra.offline_model.parser.statements.statements import read_statement, relevance

_MOST = 20
_LONG = 160  # characters


def summarise(material: dict[str, Any]) -> dict[str, Any]:
    """Return {sentences: [{text, citations}]} for {question, evidence: [{n, fact}]}."""
    question = read_question(str(material.get("question") or ""))
    ranked = []
    for entry in material.get("evidence") or []:
        text = str(entry.get("fact") or "")
        ranked.append((-relevance(question, read_statement(text)), int(entry.get("n") or 0), text))
    best = [entry for entry in sorted(ranked) if entry[0] < 0 and entry[2].strip()][:_MOST]
    return {"sentences": [{"text": _shortened(text), "citations": [n]} for _score, n, text in best]}


def _shortened(text: str) -> str:
    if len(text) <= _LONG:
        return text
    head = text[:_LONG]
    cut = max(head.rfind(", "), head.rfind("; "))
    return (head[:cut] if cut > _LONG // 2 else head.rsplit(" ", 1)[0]) + "."
