"""Last step of a concept map: saves valid relations, marks invalid ones, and returns the graph."""

from __future__ import annotations

from hopline.events.concepts import ConceptSaved
from hopline.models.concepts import Change
from workers.concepts.graph import graph_of
from workers.concepts.records import SaveInput, SaveResult
from workers.core.concepts.maps import Concept, ConceptMap, MapDraft, concept_key
from workers.core.ids import concept_id
from workers.core.jobs.work import Job, Outcome
from workers.core.ports import Ports

_CHANGES: tuple[Change, ...] = ("defined", "added", "changed", "restored", "deleted", "abnormal")


def save_map(draft: SaveInput, ports: Ports) -> Outcome:
    """Save a map.

    Done twice it makes one version; where nothing changes it makes none.

    Args:
        draft: what becomes of it.
        ports: the store is written once.
    """
    held = ports.concepts.save_map(_draft(draft, ports.job.collection), _saver(ports.job))
    if held is None:
        nothing = SaveResult(version=0, saved=False, changes={}, relations=0, nodes=(), links=())
        return Outcome(result=nothing)
    changes = _changes(held, ports)
    graph = graph_of(held, ports.concepts, unchecked=draft.unchecked)
    result = SaveResult(
        version=held.version,
        saved=bool(changes),
        changes=changes,
        relations=len(held.relations),
        nodes=graph.nodes,
        links=graph.links,
    )
    return Outcome(result=result, events=(ConceptSaved(version=held.version),) if changes else ())


def _draft(draft: SaveInput, collection: str) -> MapDraft:
    return MapDraft(
        concept=Concept(
            id=concept_id(collection, concept_key(draft.concept)),
            collection=collection,
            name=draft.concept,
            domain=draft.domain,
            definition=draft.definition,
        ),
        related=draft.related,
        deleted=draft.deleted,
        abnormal=draft.abnormal,
    )


def _saver(job: Job) -> str:
    """Return who saves: a job's retry may bring more, its item done twice brings the same."""
    return job.id if job.epoch == 1 else f"{job.id}#{job.epoch}"


def _changes(held: ConceptMap, ports: Ports) -> dict[str, int]:
    """Count this job's changes by kind, those made before a crash included."""
    versions = ports.concepts.concept_versions(held.concept.collection, held.concept.name, limit=20)
    mine = [
        change.change
        for version in versions
        if version.job == _saver(ports.job)
        for change in version.changes
    ]
    return {change: mine.count(change) for change in _CHANGES if change in mine}
