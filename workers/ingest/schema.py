"""Request and reply schemas of extraction, and of pairs of names."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen, VisibleText


class ExtractedFact(Frozen):
    """One atomic fact as the model words it."""

    text: VisibleText = Field(min_length=1, max_length=2000)
    key_elements: list[VisibleText] = Field(default=[], max_length=40)


class ExtractedFacts(Frozen):
    """All atomic facts of a chunk. Input: {title, text}."""

    facts: list[ExtractedFact] = Field(max_length=200)


class TranscribedPage(Frozen):
    """The lines of a page, from its picture. Input: {page}."""

    lines: list[VisibleText] = Field(max_length=1000)


# Of what follows, nothing is bounded: what does not fit the profile is dropped one by one, and never makes
# the whole reply wrong.


class StatedRelation(Frozen):
    """A relation that a fact states, between two names of the fact."""

    source: VisibleText
    type: VisibleText
    target: VisibleText


class StatedParticipant(Frozen):
    """Who takes part in an event, and how it ends for them."""

    name: VisibleText
    role: VisibleText = ""
    outcome: VisibleText = ""


class StatedEvent(Frozen):
    """The event that a fact tells."""

    type: VisibleText
    name: VisibleText
    participants: list[StatedParticipant] = []


class ProfiledFact(ExtractedFact):
    """One atomic fact, with what a profile asks for besides."""

    relations: list[StatedRelation] = []
    event: StatedEvent | None = None


class NamedEntity(Frozen):
    """Someone or something that a chunk names."""

    name: VisibleText
    type: VisibleText
    aliases: list[VisibleText] = []


class ProfiledFacts(Frozen):
    """All atomic facts of a chunk, and its entities. Input: {title, chapter, text, profile}."""

    facts: list[ProfiledFact] = Field(max_length=200)
    entities: list[NamedEntity] = []


class SameThing(Frozen):
    """Whether the two names of a pair name one thing."""

    n: int  # the pair's number
    why: VisibleText = Field(default="", max_length=2000)
    same: bool


class SameThings(Frozen):
    """Whether the names of each pair name one thing.

    Input: {pairs: [{n, one: {name, facts: [{fact, title}]}, other: {…}}]}.
    """

    things: list[SameThing] = Field(max_length=100)
