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


# Of what follows, nothing is bounded: what does not fit the profile is dropped one by one, and never makes
# the whole reply wrong.


class StatedRelation(Frozen):
    """A relation that a fact states, between two names of the fact."""

    source: str
    type: str
    target: str


class StatedParticipant(Frozen):
    """Who takes part in an event, and how it ends for them."""

    name: str
    role: str = ""
    outcome: str = ""


class StatedEvent(Frozen):
    """The event that a fact tells."""

    type: str
    name: str
    participants: list[StatedParticipant] = []


class ProfiledFact(ExtractedFact):
    """One atomic fact, with what a profile asks for besides."""

    relations: list[StatedRelation] = []
    event: StatedEvent | None = None


class NamedEntity(Frozen):
    """Someone or something that a chunk names."""

    name: str
    type: str
    aliases: list[str] = []


class ProfiledFacts(Frozen):
    """All atomic facts of a chunk, and its entities. Input: {title, chapter, text, profile}."""

    facts: list[ProfiledFact] = Field(max_length=200)
    entities: list[NamedEntity] = []
