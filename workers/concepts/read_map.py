"""Step: reads a concept's stored map from the graph."""

from __future__ import annotations

from hopline.events.concepts import RelationsRead
from workers.concepts.records import ConceptInput, MapResult
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports


def read_map(concept: ConceptInput, ports: Ports) -> Outcome:
    """Read what is kept of a concept's map.

    Args:
        concept: whose map.
        ports: the store is read once.
    """
    held = ports.concepts.concept_map(ports.job.collection, concept.concept)
    result = MapResult(
        version=held.version if held else 0,
        relations=held.relations if held else (),
        retired=held.retired if held else (),
        banned=held.banned if held else (),
        broken=held.broken if held else (),
    )
    event = RelationsRead(n=len(result.relations), broken=len(result.broken), version=result.version)
    return Outcome(result=result, events=(event,))
