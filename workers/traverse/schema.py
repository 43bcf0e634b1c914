"""Request and reply schemas of plan and visit."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen


class Plan(Frozen):
    """What every plan begins with. Input: {question, history: [{question, answer}]}."""

    question: str = Field(min_length=1, max_length=4000)  # standing alone: references to history resolved


class SearchWords(Frozen):
    """Names and words to search for in another language."""

    language: str = Field(min_length=1, max_length=20)
    names: list[str] = Field(default=[], max_length=20)
    words: list[str] = Field(default=[], max_length=20)


class Translated(Frozen):
    """The part of a plan for documents in other languages than the question.

    Input, beside the plan's: {languages: [code]}.
    """

    translations: list[SearchWords] = Field(default=[], max_length=5)


class QuestionPlan(Plan):
    """What the question needs. Input: {question, history: [{question, answer}]}."""

    entities: list[str] = Field(default=[], max_length=20)
    sub_questions: list[str] = Field(default=[], max_length=10)


class TranslatedQuestionPlan(Translated, QuestionPlan):
    """A plan with what to search for in other languages."""


class ReadFact(Frozen):
    """A statement that helps to answer, with the ids it was read from."""

    text: str = Field(min_length=1, max_length=2000)
    source_ids: list[str] = Field(min_length=1, max_length=20)  # ids of facts, chunks, or "property:<name>"


class NodeNotes(Frozen):
    """What the model makes of one node.

    Input: {question, sub_questions, schema, depth, max_depth, visited: [name], node: {id, name, properties},
    facts: [{id, text}], chunks: [{id, text}], neighbours: [{id, name, relationship, shared, context}]}.
    A neighbour's relationship is there where it is typed; context is a fact's text, or its id among facts.
    """

    facts: list[ReadFact] = Field(default=[], max_length=60)
    next: list[str] = Field(default=[], max_length=60)  # ids of neighbours to visit, best first
    stop: bool = False  # nothing beyond this node can help
