"""Merges of key elements."""

from __future__ import annotations

from typing import Literal

from hopline.models.base import Frozen, Page
from hopline.models.documents import KeyElement
from hopline.models.times import OptionalUtc, Utc

MOST_ASKED = 10_000  # model calls of one merging

# stated and short form: by what live documents state of names, made and taken back as they come and go.
# model: a language model was asked. All others: by the names themselves.
Rule = Literal[
    "qualified",
    "placed",
    "titled",
    "company",
    "acronym",
    "surname",
    "initials",
    "spelling",
    "typo",
    "stated",
    "short form",
    "model",
]


class Proposal(Frozen):
    """A proposal to merge one element into another, with the reason."""

    source: str  # id; it becomes a redirect
    source_name: str
    target: str  # id
    target_name: str
    rule: Rule
    evidence: str  # in plain words


class Merge(Proposal):
    """A merge, and whether it was undone; an undone merge is not made again."""

    id: str
    collection: str
    job: str
    made: Utc  # by the graph's clock
    undone: OptionalUtc = None


class ResolvedName(Frozen):
    """The element that a document means by an ambiguous name."""

    element: str  # id of the key element that its facts lead to as well
    name: str
    document: str  # id
    uri: str


class NameCandidates(Frozen):
    """An ambiguous name: it may mean several elements, or something else as well."""

    collection: str
    element: KeyElement  # the name's own
    candidates: tuple[KeyElement, ...]  # whom it may mean, by name
    resolved_in: tuple[ResolvedName, ...] = ()  # documents that tell whom they mean: their facts lead there


class MergePage(Page):
    """Merges, ordered by id."""

    merges: list[Merge]


class NameCandidatesPage(Page):
    """Ambiguous names, ordered by the ids of their key elements."""

    names: list[NameCandidates]
