"""Answers: EvidenceSummary, ReasonedAnswer with its analysis, and AnswerCheck (what is still open)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from infra.offline_model.parser.answer_draft import draft_answer
from infra.offline_model.parser.graph.entities import entities
from infra.offline_model.parser.graph.graph_words import GraphWords
from infra.offline_model.parser.question.parts import open_questions
from infra.offline_model.parser.question.question import read_question
from infra.offline_model.parser.question.tool_results import is_nothing, matters, names_found, similar_name
from infra.offline_model.parser.statements.statements import read_statement, relevance
from workers.core.language.text import normalise

_LONGEST = 4000
_SHOWN = 200  # characters of a statement


def reason(material: dict[str, Any]) -> dict[str, Any]:
    """Return {analysis, answerable, missing, sentences, conflicts} for notebooks and numbered evidence."""
    draft = draft_answer(material)
    return {"analysis": _analysis(material, draft)[:_LONGEST], **draft}


def _analysis(material: dict[str, Any], draft: dict[str, Any]) -> str:
    used = {n for sentence in draft["sentences"] for n in sentence["citations"]}
    lines = [_contribution(notebook, used) for notebook in material.get("notebooks") or []]
    facts = {
        int(entry.get("n") or 0): str(entry.get("fact") or "") for entry in material.get("evidence") or []
    }
    for group in draft["conflicts"]:
        sides = " and ".join(f"“{facts.get(n, '')[:_SHOWN]}”" for n in group)
        lines.append(f"These contradict each other: {sides}.")
    if draft["answerable"]:
        held = "a part of what is asked" if draft["missing"] else "what is asked"
        lines.append(
            f"Together they hold {held}: " + " ".join(sentence["text"] for sentence in draft["sentences"])
        )
    else:
        lines.append(f"Together they do not hold what is asked. {draft['missing']}")
    return "\n".join(lines)


def _contribution(notebook: dict[str, Any], used: set[int]) -> str:
    entries = notebook.get("entries") or []
    helping = [entry for entry in entries if used & {int(n) for n in entry.get("evidence") or []}]
    begun = f"Path {notebook.get('path')}, begun at {notebook.get('start')}"
    if not helping:
        return f"{begun}: of {len(entries)} entries none carries the answer."
    text = " ".join(str(entry.get("text") or "")[:_SHOWN] for entry in helping)
    return f"{begun}: {text}"


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


_NOTHING_KNOWN = GraphWords((), ())  # the check sees no schema: any agent noun may be a role
_OPEN = 10
_REASON = 400  # characters of the reason


def check_answers(material: dict[str, Any]) -> dict[str, Any]:
    """Return {complete, gave_up, missing, why} for {question, rounds_left, asked: [{question, found}]}."""
    question = str(material.get("question") or "")
    entries = [entry for entry in material.get("asked") or [] if isinstance(entry, dict)]
    missing = _missing(question, entries)
    if not missing:
        vain = [str(entry.get("question")) for entry in entries if is_nothing(str(entry.get("found") or ""))]
        why = "All that can be asked was asked." if not vain else f"Nothing more can be found on: {vain[0]}"
        gave_up = bool(vain) and len(vain) == len(entries)
        given_up = [question] if gave_up else []
        return {"complete": not gave_up, "gave_up": gave_up, "missing": given_up, "why": why[:_REASON]}
    return {
        "complete": False,
        "gave_up": False,
        "missing": missing[:_OPEN],
        "why": f"Still open: {missing[0]}"[:_REASON],
    }


def same_question(question: str, other: str) -> bool:
    """Return whether two questions are equivalent: who directed X, who is the director of X."""
    if normalise(question).rstrip("?") == normalise(other).rstrip("?"):
        return True
    named = [{normalise(entity.name) for entity in entities(text)} for text in (question, other)]
    return named[0] == named[1] and bool(matters(question)) and matters(question) == matters(other)


def _missing(question: str, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    def answered(text: str) -> list[str] | None:
        held = [entry for entry in entries if same_question(text, str(entry.get("question") or ""))]
        if not held:
            return None
        answers = (names_found(text, str(entry.get("found") or "")) for entry in held)
        return list(dict.fromkeys(name for names in answers for name in names))

    before = [str(entry.get("question") or "") for entry in entries]
    left = [part for part in open_questions(question, _NOTHING_KNOWN, answered) if answered(part) is None]
    wanted = left if entries and _was_split(question, before) else []
    again = [] if wanted else [alternative for entry in entries for alternative in _in_another_way(entry)]
    return [
        candidate
        for candidate in dict.fromkeys([*wanted, *again])
        if not any(same_question(candidate, text) for text in before)
    ]


def _was_split(question: str, before: Sequence[str]) -> bool:
    """Return whether parts of the question were asked, not the whole in other words."""
    return not any(normalise(question).rstrip("?") == normalise(text).rstrip("?") for text in before)


def _in_another_way(entry: Mapping[str, Any]) -> list[str]:
    """Return an alternative for a tool that found nothing: another name, or everything known."""
    question, result = str(entry.get("question") or ""), str(entry.get("found") or "")
    if not is_nothing(result):
        return []
    if similar := similar_name(result):
        mention, name = similar
        if mention.startswith(("the ", "The ")):  # a description: what has some words of it is another thing
            return []
        return [question.replace(mention, name)] if mention in question else []
    about = [entity.name for entity in entities(question)][:1]
    was_written = set(entry.get("arguments") or {}) == {"question"}  # no name was looked up
    return [f"What is known of {name}?" for name in about] if was_written else []
