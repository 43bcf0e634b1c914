"""The result of a concept map job: nodes, links, and the reasoning behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.base import Frozen
from producer.reports.outcomes import NO_WORDS
from workers.core.concepts.graph import ConceptLink, ConceptNode
from workers.core.concepts.maps import ConceptVersion
from workers.core.jobs.work import JobState

if TYPE_CHECKING:
    from workers.ledger.records import JobRecord

CONCEPT_KIND = "concept"


class ConceptGraph(Frozen):
    """A map as the graph holds it; version 0 and no nodes where there is none."""

    concept: str
    version: int = 0
    nodes: tuple[ConceptNode, ...] = ()  # the core first, then the strongest
    links: tuple[ConceptLink, ...] = ()


class ReasonedStep(Frozen):
    """What one step found, and why, in words of the map's language."""

    step: str  # validate_concept, read, check, expand, validate, save, graph
    text: str


class DroppedRelation(Frozen):
    """A relation that is not in the map, or not for certain."""

    step: str  # check, expand, validate
    name: str
    reason: str
    round: int | None = None


class ConceptOutcome(ConceptGraph):
    """A concept map job's result: at most five nodes, and the reasoning of each step."""

    job_id: str
    state: JobState
    reason: str | None = None  # why it is not done: the concept is invalid, too few relations are valid
    reasoning: tuple[ReasonedStep, ...] = ()
    dropped: tuple[DroppedRelation, ...] = ()


class ConceptVersions(Frozen):
    """The versions of a map, newest first."""

    concept: str
    versions: tuple[ConceptVersion, ...]
    next: int | None = None  # what to ask for as `before` to read on; none at the end


def concept_outcome_of(record: JobRecord) -> ConceptOutcome:
    """Return a concept map job's result; without an outcome (running, cancelled) it says why."""
    fields = {
        name: value for name, value in (record.outcome or {}).items() if name in ConceptOutcome.model_fields
    }
    state = JobState(record.state)
    fields |= {"job_id": record.job.id, "state": state}
    fields.setdefault("concept", str(record.job.params.get("concept", "")))
    if not fields.get("reason"):
        fields["reason"] = NO_WORDS.get(state)
    return ConceptOutcome.read_stored(fields)
