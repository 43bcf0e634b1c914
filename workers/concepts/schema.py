"""Request and reply schemas of the concept map steps."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import from_json

from hopline.models.base import Frozen
from workers.core.concepts.maps import Related, sentence_count

Verdict = Literal["valid", "invalid", "doubtful"]  # doubtful is invalid; the word lets a model say so
_LONGEST_REASON = 400  # what is longer than it may be, but no more than this, is cut and not asked for again
_OFFERED = 12


class ConceptVerdict(Frozen):
    """Is it a concept? Input: {concept}."""

    verdict: Verdict
    reason: str = Field(default="", max_length=_LONGEST_REASON)
    domain: str = Field(default="", max_length=60)  # the discipline that it belongs to
    definition: str = Field(default="", max_length=400)  # one sentence

    @field_validator("domain", "definition")
    @classmethod
    def _in_one_line(cls, text: str) -> str:
        return " ".join(text.split())

    @model_validator(mode="after")
    def _valid_is_defined(self) -> ConceptVerdict:
        if self.verdict == "valid" and not (self.domain and sentence_count(self.definition) == 1):
            raise ValueError("a valid concept needs a domain and a definition of one sentence")
        return self


class ConceptExpansion(Frozen):
    """New relations of a concept.

    Input: {concept, domain, definition, disciplines: [name], wanted, known: [name], refused: [name]}.
    """

    relations: list[Related] = Field(default=[], max_length=_OFFERED)


class RelationVerdict(Frozen):
    """Is a new relation right?

    Input: {concept, domain, definition, relation: {name, domain, definition, relation, strength}}.
    """

    verdict: Verdict
    reason: str = Field(default="", max_length=_LONGEST_REASON)


class RelationCheck(RelationVerdict):
    """Is a relation that was kept still right? Input as of RelationVerdict."""


def whole_relations(content: str) -> tuple[list[Related], int]:
    """Return the relations of a refused expansion that are whole, and how many are not.

    Of one that was cut at the token limit these are those before the cut; the relation it was cut in is none.
    """
    try:
        reply: Any = from_json(content, allow_partial=True)
    except ValueError:
        return [], 0
    listed = reply.get("relations") if isinstance(reply, dict) else None
    if not isinstance(listed, list):
        return [], 0
    read = [_related(entry) for entry in listed[:_OFFERED]]
    whole = [relation for relation in read if relation]
    return whole, len(read) - len(whole)


def _related(entry: object) -> Related | None:
    try:
        return Related.model_validate(entry)
    except ValidationError:
        return None
