"""What extraction asks of the model."""

from __future__ import annotations

from pydantic import Field

from workers.core.model import Frozen


class ExtractedFact(Frozen):
    """One atomic fact as the model words it."""

    text: str = Field(min_length=1, max_length=2000)
    key_elements: list[str] = Field(default=[], max_length=40)


class ExtractedFacts(Frozen):
    """All atomic facts of a chunk. Input: {title, text}."""

    facts: list[ExtractedFact] = Field(max_length=200)
