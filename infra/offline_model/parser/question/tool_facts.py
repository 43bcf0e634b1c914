"""Chooses, among the facts that tools found, those that answer the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from infra.offline_model.parser.graph.entities import entities
from infra.offline_model.parser.graph.graph_words import roots
from infra.offline_model.parser.question.shapes import is_about, is_connection, is_event, is_journey
from infra.offline_model.parser.question.synonyms import other_relatives
from infra.offline_model.parser.question.tool_results import matters
from workers.core.language.text import normalise, words

_OWN = frozenset(
    ("lookup_knowledge", "find_connection", "track_journey", "get_character_events", "text2cypher")
)
_WHOLE = frozenset(("find_connection", "track_journey", "get_character_events"))  # all of it is the answer
_TOOL = re.compile(r"^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$")
# As tools tell of relations, things and events: Keanu Reeves ACTED_IN The Matrix (Movie); The storm (loss): …
_RELATION = re.compile(
    r"(?<![\w(])[A-Z]{2,}(?:_[A-Z]+)* [^\W_].{0,200}? \([A-Z]\w*\)(?: \(|$)"
    r"|\([A-Z]\w*\) [A-Z]{2,}(?:_[A-Z]+)* "
)
_POLAR = re.compile(r"^\W*(?:did|does|do|is|are|was|were|has|have)\b", re.IGNORECASE)
_OF_ONE = re.compile(r"^\W*what (?:is|was|are|were) (?:the )?[a-z ]+ of\b", re.IGNORECASE)
_ABOUT = re.compile(r"^[^:?]{1,120} \([A-Za-z]+\): ")
_KIND = re.compile(r"\((?:[A-Z]\w*)\)")
_ROW, _EXACT, _WHOLLY, _NEAR, _KNOWN, _BARELY = 0.95, 0.9, 0.8, 0.65, 0.6, 0.2
_CHOSEN = 0.5  # what goes into an answer
_MOST = 20


def is_of_tool(text: str, source: str, questions: Sequence[str]) -> bool:
    """Return whether an entry of evidence was found by a tool, and not said by a document.

    Args:
        text: the fact.
        source: source of the fact; "" if unknown.
        questions: the questions; rows of a table are stated with theirs.
    """
    teller = source.split(",", maxsplit=1)[0].strip()
    if teller in _OWN:
        return True
    of_a_row = any(_row_of(text, question) for question in questions)
    if teller and not _TOOL.match(teller):
        return False
    return of_a_row or (not teller and bool(_RELATION.search(text) or _ABOUT.match(text)))


def tool_relevance(text: str, source: str, questions: Sequence[str]) -> float:
    """Return how much a tool's fact helps with any of the questions, 0..1."""
    return max((_helps(text, source, question) for question in questions if question), default=0.0)


def chosen_entries(entries: Sequence[Mapping[str, Any]], questions: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the entries that answer the questions, in their order: of each question those that fit best."""
    kept: set[int] = set()
    for question in questions[1:] or questions:  # the parts, where there are some
        scores = [
            _helps(str(entry.get("fact")), str(entry.get("source") or ""), question) for entry in entries
        ]
        best = max(scores, default=0.0)
        kept |= {nth for nth, score in enumerate(scores) if score >= max(best, _CHOSEN)}
    return [entry for nth, entry in enumerate(entries) if nth in kept][:_MOST]


def _helps(text: str, source: str, question: str) -> float:
    if _row_of(text, question):
        return _ROW
    if other_relatives(question, text):
        return _BARELY
    teller = source.split(",", maxsplit=1)[0].strip()
    names = [entity.name for entity in entities(question)]
    bare_text = _KIND.sub(" ", text)
    held = [name for name in names if normalise(name) in normalise(bare_text)]
    question_roots = matters(question)
    speaks = bool(question_roots & set(roots(bare_text)))
    every = bool(names) and len(held) == len(names)
    whole = teller in _WHOLE or (not teller and _is_whole(question) and (not names or bool(held)))
    worths = (
        (every and (speaks or not question_roots), _EXACT),
        (whole, _WHOLLY),
        (bool(held) and speaks and not _POLAR.match(question), _NEAR),
        (every and bool(_OF_ONE.match(question) and _ABOUT.match(text)), _NEAR),
        ((every and is_about(question)) or (not names and speaks), _KNOWN),
        (bool(held), _BARELY * 2),
    )
    return next((worth for fits, worth in worths if fits), _BARELY)


def _is_whole(question: str) -> bool:
    return is_connection(question) or is_journey(question) or is_event(question)


def _row_of(text: str, question: str) -> bool:
    """Return whether a fact is a row that was told with a question: How many films are there? films: 38."""
    prefix = question.strip()
    rest = text[len(prefix) :] if prefix and text.startswith(prefix) else ""
    return bool(words(rest)) and ":" in rest
