"""The result of a concept map job: nodes, links, and the reasoning behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.answers import NO_WORDS
from hopline.models.concepts import ConceptOutcome
from hopline.models.jobs import JobState

if TYPE_CHECKING:
    from workers.ledger.records import JobRecord

CONCEPT_KIND = "concept"


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
