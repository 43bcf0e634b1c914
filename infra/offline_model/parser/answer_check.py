"""AnswerCheck: decides whether every part of a question is answered, and what to ask next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from infra.offline_model.parser.graph.entities import entities
from infra.offline_model.parser.graph.graph_words import GraphWords
from infra.offline_model.parser.question.parts import open_questions
from infra.offline_model.parser.question.tool_results import is_nothing, matters, names_found, similar_name
from workers.core.language.text import normalise

_NOTHING_KNOWN = GraphWords((), ())  # the check sees no schema: any agent noun may be a role
_MOST = 10
_SHOWN = 400  # characters of the reason


def check_answers(given: dict[str, Any]) -> dict[str, Any]:
    """Return {complete, gave_up, missing, why} for {question, rounds_left, asked: [{question, found}]}."""
    question = str(given.get("question") or "")
    asked = [one for one in given.get("asked") or [] if isinstance(one, dict)]
    missing = _missing(question, asked)
    if not missing:
        vain = [str(one.get("question")) for one in asked if is_nothing(str(one.get("found") or ""))]
        why = "All that can be asked was asked." if not vain else f"Nothing more can be found on: {vain[0]}"
        gave_up = bool(vain) and len(vain) == len(asked)
        given_up = [question] if gave_up else []
        return {"complete": not gave_up, "gave_up": gave_up, "missing": given_up, "why": why[:_SHOWN]}
    return {
        "complete": False,
        "gave_up": False,
        "missing": missing[:_MOST],
        "why": f"Still open: {missing[0]}"[:_SHOWN],
    }


def same_question(one: str, other: str) -> bool:
    """Tell whether two questions ask the same of the same: who directed X, who is the director of X."""
    if normalise(one).rstrip("?") == normalise(other).rstrip("?"):
        return True
    named = [{normalise(entity.name) for entity in entities(text)} for text in (one, other)]
    return named[0] == named[1] and bool(matters(one)) and matters(one) == matters(other)


def _missing(question: str, asked: Sequence[Mapping[str, Any]]) -> list[str]:
    def answered(text: str) -> list[str] | None:
        held = [one for one in asked if same_question(text, str(one.get("question") or ""))]
        if not held:
            return None
        told = (names_found(text, str(one.get("found") or "")) for one in held)
        return list(dict.fromkeys(name for names in told for name in names))

    before = [str(one.get("question") or "") for one in asked]
    left = [one for one in open_questions(question, _NOTHING_KNOWN, answered) if answered(one) is None]
    wanted = left if asked and _was_split(question, before) else []
    again = [] if wanted else [one for entry in asked for one in _in_another_way(entry)]
    return [
        one
        for one in dict.fromkeys([*wanted, *again])
        if not any(same_question(one, said) for said in before)
    ]


def _was_split(question: str, before: Sequence[str]) -> bool:
    """Tell whether parts were asked, and not the whole question in other words."""
    return not any(normalise(question).rstrip("?") == normalise(one).rstrip("?") for one in before)


def _in_another_way(entry: Mapping[str, Any]) -> list[str]:
    """Return what may find something where a tool found nothing: another name, or all that is known."""
    question, found = str(entry.get("question") or ""), str(entry.get("found") or "")
    if not is_nothing(found):
        return []
    if similar := similar_name(found):
        said, name = similar
        if said.startswith(("the ", "The ")):  # a description: what has some words of it is another thing
            return []
        return [question.replace(said, name)] if said in question else []
    about = [one.name for one in entities(question)][:1]
    was_written = set(entry.get("arguments") or {}) == {"question"}  # no name was looked up
    return [f"What is known of {name}?" for name in about] if was_written else []
