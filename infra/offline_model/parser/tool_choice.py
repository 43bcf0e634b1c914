"""ToolChoice: chooses the tools to call, with their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from infra.offline_model.parser.chinese.tool_shapes import chinese_uses
from infra.offline_model.parser.graph.graph_question import GraphQuestion
from infra.offline_model.parser.graph.graph_words import read_schema, roots
from infra.offline_model.parser.question.offered_tools import Offered, Use, declared_call, event_type, offered
from infra.offline_model.parser.question.shapes import (
    is_about,
    is_aggregate,
    is_connection,
    is_courtesy,
    is_detail,
    is_event,
    is_journey,
    is_repeat,
    is_thanks,
)
from infra.offline_model.parser.question.synonyms import KINDS, STOP_WORDS

_WITH = re.compile(r"\b(?:with|alongside)\s+$", re.IGNORECASE)
_DESCRIBED = re.compile(
    r"\bthe (?!path|shortest|connection|link|relation)[a-z]+"
    r"(?: (?!and|connect|relat|link|to|with|know|have|is)[a-z]+)?"
)
_WHOM = re.compile(r"\b(?:does|did|do|happen(?:s|ed) to) (?P<who>the [a-z]+)\b", re.IGNORECASE)
_LABELS = 6  # that a reply names
Call = dict[str, Any] | None


def choose_tools(material: dict[str, Any]) -> dict[str, Any]:
    """Return {calls: [{tool, arguments}]}.

    Args:
        material: {question, whole, history, answers, schema, tools: [descriptions of the OpenAI form]}.
    """
    question = GraphQuestion(
        str(material.get("question") or ""), read_schema(str(material.get("schema") or ""))
    )
    route = _Route(question, offered(material.get("tools") or []), material)
    return {"calls": [call for call in (route.call(),) if call]}


def mentioned(question: GraphQuestion) -> list[str]:
    """Return names and descriptions in order: Ilse, the bell founder."""
    mentions = [(entity.start, entity.name) for entity in question.names]
    mentions += [(match.start(), match.group()) for match in _DESCRIBED.finditer(question.rest)]
    return [name for _, name in sorted(mentions)]


class _Route:
    """One question and the tools that may answer it.

    Args:
        question: the question.
        tools: the tools on offer.
        material: the conversation.
    """

    def __init__(self, question: GraphQuestion, tools: Sequence[Offered], material: dict[str, Any]) -> None:
        self._question = question
        self._tools = tools
        self._material = material
        self._names = [
            entity.name for entity in (*question.names, *((question.played,) if question.played else ()))
        ]

    def call(self) -> Call:
        """Return the first call whose shape of question fits."""
        return next((call for call in self._fitting() if call), None)

    def _fitting(self) -> Iterator[Call]:
        text = self._question.text
        if is_courtesy(text):
            yield self._respond(self._courtesy())
        if is_repeat(text) and self._material.get("history"):
            yield self._respond(str(self._material["history"][-1].get("answer") or ""))
        for shape in chinese_uses(text, self._question.graph):
            yield self._with(shape.use, **shape.arguments)
        ends = self._names if len(self._names) > 1 else mentioned(self._question)
        if is_connection(text) and len(ends) > 1:
            yield self._with("connect", entity1=ends[0], entity2=ends[1])
        if is_detail(text):
            yield self._with("search", question=text)
        yield self._events()
        if self._names and is_journey(text) and not self._question.types:
            more = {"target": self._names[1]} if len(self._names) > 1 else {}
            yield self._with("journey", entity=self._names[0], **more)
        if self._is_of_many():
            yield self._with("write", question=text)
        yield declared_call(self._tools, self._question)
        yield self._look_up()
        yield from self._left()

    def _left(self) -> Iterator[Call]:
        """Yield fallback calls for a question without a known form."""
        text = self._question.text
        if self._question.touches:
            yield self._with("write", question=text)
        yield self._with("search", question=text)
        yield self._respond(self._decline())
        yield self._with("write", question=text)
        if self._names:
            yield self._with("look_up", entity=self._names[0])
        first = next(((tool, name) for tool in self._tools for name in tool.required), None)
        yield {"tool": first[0].name, "arguments": {first[1]: text}} if first else None

    def _events(self) -> Call:
        tool = self._tool("events")
        if tool is None or not any("event" in roots(label.name) for label in self._question.graph.labels):
            return None
        kind = event_type(tool, self._question)
        if not kind and not is_event(self._question.text):
            return None
        described = _WHOM.search(self._question.rest)
        names = self._names or ([described.group("who")] if described else [])
        entity = {"entity": names[0]} if names else {}
        return self._with("events", **entity, **({"event_type": kind} if kind else {}))

    def _is_of_many(self) -> bool:
        """Return whether it counts, compares, or goes over more than one relationship."""
        question = self._question
        if not question.touches:
            return False
        verbs = [relation for relation in question.types if not relation.agent]
        beside = any(_WITH.search(question.rest[: entity.start]) for entity in question.names) and bool(
            question.types
        )
        many = is_aggregate(question.rest) or bool(question.conditions or question.texts or question.extreme)
        return (
            many or beside or len(verbs) > 1 or (bool(question.types or question.labels) and not self._names)
        )

    def _look_up(self) -> Call:
        """Return a look-up of the named node, if the question asks for its direct data."""
        question = self._question
        if not self._names:
            return self._look_up_unnamed()
        if not (question.touches or is_about(question.text) or not self._matters()):
            return None
        verb = next((relation.kind.name for relation in question.types), "")
        name = question.names[0].name if question.names else self._names[0]
        return self._with("look_up", entity=name, **({"relation": verb} if verb else {}))

    def _look_up_unnamed(self) -> Call:
        """Return the look-up of a name in lower case: who is keanu reeves?"""
        match = re.match(
            r"^\W*who (?:is|was) (?!the\b|a\b|an\b)(?P<name>[^?.]{3,60})", self._question.text, re.IGNORECASE
        )
        return self._with("look_up", entity=match.group("name").strip()) if match else None

    def _matters(self) -> list[str]:
        """Return the question's content words."""
        small = (word.casefold() for word, _, _ in self._question.spoken)
        return [word for word in small if word not in STOP_WORDS and word not in KINDS]

    def _courtesy(self) -> str:
        if is_thanks(self._question.text):
            return "You are welcome."
        return f"Hello! {self._about()} Please ask."

    def _decline(self) -> str:
        return f"Sorry, that is outside of what can be answered here. {self._about()}"

    def _about(self) -> str:
        labels = [label.name for label in self._question.graph.labels][:_LABELS]
        subject = f"{', '.join(labels[:-1])} and {labels[-1]}" if len(labels) > 1 else "".join(labels)
        return f"This graph is about {subject}." if subject else "This graph is about what was put into it."

    def _respond(self, answer: str) -> Call:
        return self._with("respond", answer=answer) if answer else None

    def _tool(self, use: Use) -> Offered | None:
        return next((tool for tool in self._tools if tool.use == use), None)

    def _with(self, use: Use, **arguments: str) -> Call:
        tool = self._tool(use)
        return {"tool": tool.name, "arguments": arguments} if tool else None
