"""Concept maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field

from hopline.models.answers import NO_WORDS
from hopline.models.base import Frozen, OfKind, Page
from hopline.models.jobs import Json, ToldState
from hopline.models.times import OptionalUtc, Utc

if TYPE_CHECKING:
    from hopline.models.results import Job

MOST_REASON = 400  # characters of why a person changes a relation
MOST_VERSIONS = 200  # that are listed at once
LAST_VERSION = 2**31 - 1  # no map has more


class ConceptNode(Frozen):
    """A concept of a map."""

    id: str
    name: str
    domain: str  # its discipline, in the map's language
    definition: str
    core: bool


class ConceptLink(Frozen):
    """The relation between two concepts."""

    id: str = ""  # of the relation, for edits; "" in outcomes of older versions
    source: str  # id of a node
    target: str
    relation: str
    strength: int = Field(ge=1, le=5)
    version: int = Field(default=1, ge=1)  # of this relation
    created: OptionalUtc = None  # by the graph's clock; None where it is not kept
    updated: OptionalUtc = None  # when it was last changed
    by: str = ""  # who changed it last by hand; "" where a job did


Change = Literal["defined", "added", "changed", "restored", "abnormal", "deleted"]


class ConceptChange(Frozen):
    """A change of one relation, or of the core's definition, in a version of a map."""

    change: Change
    id: str
    name: str
    version: int = 1  # of the relation
    reason: str = ""
    domain: str = ""
    definition: str = ""
    relation: str = ""
    strength: int | None = None


class ConceptVersion(Frozen):
    """One version of a map, with everything that changed in it."""

    version: int
    job: str = ""  # that made it; "" where a person did
    by: str = ""  # who made it by hand
    made: Utc
    changes: tuple[ConceptChange, ...]


class RelationFound(Frozen):
    """A relation of a map, by the names of its two concepts."""

    id: str
    concept: str  # the core
    other: str


class RelationEdited(Frozen):
    """The result of an edit."""

    concept: str  # the core's name
    version: int  # of the map, after it
    change: ConceptChange | None = None  # None where the relation was like that already


class ConceptGraph(Frozen):
    """A stored map; version 0 and no nodes if there is none."""

    concept: str
    version: int = 0
    nodes: tuple[ConceptNode, ...] = ()  # the core first, then the strongest
    links: tuple[ConceptLink, ...] = ()


class ReasonedStep(Frozen):
    """The finding of one step and its reason, in words of the map's language."""

    step: str  # validate_concept, read, check, expand, validate, save, graph
    text: str


class DroppedRelation(Frozen):
    """A relation that is not in the map, or whose place there is uncertain."""

    step: str  # check, expand, validate
    name: str
    reason: str
    round: int | None = None


class ConceptOutcome(ConceptGraph, OfKind):
    """A concept map job's result: at most five nodes, and the reasoning of each step."""

    kind: Literal["concept"] = "concept"
    job_id: str
    state: ToldState
    reason: str | None = None  # why it is not done: the concept is invalid, too few relations are valid
    reasoning: tuple[ReasonedStep, ...] = ()
    dropped: tuple[DroppedRelation, ...] = ()

    @classmethod
    def of(cls, job: Job, stored: Json | None = None) -> Self:
        """Return the result of a concept map's job; without an outcome it gives the reason.

        Args:
            job: the map's job.
            stored: an outcome as the job's flow stored it; by default the job's own.
        """
        if stored is None and isinstance(job.outcome, cls):
            return job.outcome
        told = {"concept": str(job.params.get("concept", "")), **(stored or {})}
        told |= {"kind": job.kind, "job_id": job.id, "state": job.state}
        told["reason"] = told.get("reason") or NO_WORDS.get(job.state)
        return cls.read_stored(told)


class ConceptVersions(Page):
    """The versions of a map, newest first."""

    concept: str
    versions: tuple[ConceptVersion, ...]
