"""Recognises the offered tools by their arguments and descriptions, whatever their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from infra.offline_model.parser.graph.graph_question import GraphQuestion
from infra.offline_model.parser.graph.graph_words import Kind, root, roots
from infra.offline_model.parser.question.synonyms import STOP_WORDS
from workers.core.language.text import words

Use = Literal["connect", "journey", "events", "look_up", "respond", "search", "write", "declared"]
_BY_ARGUMENTS: tuple[tuple[frozenset[str], Use], ...] = (
    (frozenset(("entity1", "entity2")), "connect"),
    (frozenset(("entity", "target")), "journey"),
    (frozenset(("event_type",)), "events"),
    (frozenset(("entity", "relation")), "look_up"),
    (frozenset(("answer",)), "respond"),
)
_OF_TEXTS = re.compile(r"\b(?:documents?|passages?|texts?)\b", re.IGNORECASE)
# What people say of an event, beside the name of its type.
_EVENTS = {
    "loss": "los(?:e|es|t|ing|ses)",
    "acquisition": "gain(?:s|ed)?|acquir(?:e|es|ed)|obtain(?:s|ed)?|receiv(?:e|es|ed)",
    "conflict": "fights?|fought|battles?|struggles?|conflicts",
    "encounter": "meets?|met|encounter(?:s|ed)",
    "revelation": "reveal(?:s|ed)?|learn(?:s|ed|t)?|discover(?:s|ed)?|revelations",
    "sacrifice": "sacrific(?:es|ed)|g(?:i|a)ves? up",
    "transformation": "transform(?:s|ed|ations)?|turn(?:s|ed)? into",
    "milestone": "milestones",
}


@dataclass(frozen=True)
class Offered:
    """A tool of the request."""

    name: str
    purpose: str
    arguments: Mapping[str, Any]
    required: tuple[str, ...]

    @property
    def use(self) -> Use:
        """What it is for."""
        taken = set(self.arguments)
        for wanted, use in _BY_ARGUMENTS:
            if wanted <= taken:
                return use
        if "question" in taken:
            return "search" if _OF_TEXTS.search(self.purpose) else "write"
        return "declared"


def offered(tools: Iterable[Mapping[str, Any]]) -> list[Offered]:
    """Read the entries of `tools` of a chat request."""
    offers = []
    for tool in tools:
        function = tool.get("function") or {}
        taken = function.get("parameters") or {}
        arguments = taken.get("properties") or {}
        required = tuple(taken.get("required") or ())
        offers.append(
            Offered(str(function.get("name")), str(function.get("description") or ""), arguments, required)
        )
    return offers


def speaks_of_event(question: GraphQuestion) -> bool:
    """Return whether a question asks what somebody lost, gained, learned."""
    return any(_speaks_of(kind, question) for kind in _EVENTS)


def event_type(tool: Offered, question: GraphQuestion) -> str:
    """Return the type of event in a question; empty if it names none."""
    allowed = tool.arguments.get("event_type", {}).get("enum") or []
    return next((kind for kind in allowed if _speaks_of(kind, question)), "")


def _speaks_of(kind: str, question: GraphQuestion) -> bool:
    forms = f"{re.escape(kind)}|{_EVENTS[kind]}" if kind in _EVENTS else re.escape(kind)
    return bool(re.search(rf"\b(?:{forms})\b", question.rest, re.IGNORECASE))


def declared_call(tools: Iterable[Offered], question: GraphQuestion) -> dict[str, Any] | None:
    """Return the call of a declared tool whose description and argument fit the question."""
    for tool in tools:
        if tool.use == "declared" and len(tool.required) == 1 and len(question.names) == 1:
            argument = tool.required[0]
            about = f"{argument} {tool.arguments[argument].get('description', '')}"
            if _takes(about, question) and _covers(tool.purpose, question):
                return {"tool": tool.name, "arguments": {argument: question.names[0].name}}
    return None


def _takes(about: str, question: GraphQuestion) -> bool:
    """Return whether an argument is a name of the kind that the question names: a title of a movie."""
    kind, verb = name_kind(question)
    if kind is None:
        return False
    for word in words(about):
        label, meant = question.graph.label(word), question.graph.type(word)
        if label and label.name == kind.name:
            return True
        if (
            meant
            and verb
            and meant.name == verb.name
            and any(kind.name == source for source, _ in verb.joins)
        ):
            return True
    return False


def name_kind(question: GraphQuestion) -> tuple[Kind | None, Kind | None]:
    """Return the label that the question's name must have, and the relationship that implies it."""
    thing = question.wanted[0]
    if question.types and question.types[0].word:
        verb = question.types[0].kind
        for source, target in verb.joins:
            if thing and thing.name in (source, target):
                return question.graph.named(target if thing.name == source else source), verb
        return None, None
    return thing, None


def _covers(purpose: str, question: GraphQuestion) -> bool:
    """Return whether a description speaks of all that the question asks about."""
    purpose_roots = set(roots(purpose))
    schema_roots = {root(word) for word, _, _ in question.spoken if question.graph.knows(word)}
    question_roots = {root(word) for word, _, _ in question.spoken if word.casefold() not in STOP_WORDS}
    return bool(schema_roots) and schema_roots <= purpose_roots and bool(question_roots & purpose_roots)
