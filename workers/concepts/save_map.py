"""Last step of a concept map: saves valid relations, marks invalid ones, and returns the graph."""

from __future__ import annotations

from workers.concepts.graph import graph_of
from workers.core.concepts.maps import Change, Concept, ConceptMap, MapDraft, Related, Retired, concept_key
from workers.core.ids import concept_id
from workers.core.jobs.work import Event, Job, Json, Outcome
from workers.core.ports import Ports

_CHANGES: tuple[Change, ...] = ("defined", "added", "changed", "restored", "deleted", "abnormal")


def save_map(given: Json, ports: Ports) -> Outcome:
    """Return {version, saved, changes: {change: n}, relations: n, nodes, links}; version 0: no map.

    Done twice it makes one version; where nothing changes it makes none.

    Args:
        given: {concept, domain, definition, related: [relation], deleted: [{id, reason}], abnormal: [{id,
            reason}], unchecked: [id], before: version}.
        ports: the store is written once.
    """
    held = ports.concepts.save_map(_draft(given, ports.job.collection), _saver(ports.job))
    if held is None:
        return Outcome(
            result={"version": 0, "saved": False, "changes": {}, "relations": 0, "nodes": [], "links": []}
        )
    changes = _changes(held, ports)
    result = {
        "version": held.version,
        "saved": bool(changes),
        "changes": changes,
        "relations": len(held.relations),
        **graph_of(held, ports.concepts, unchecked=given["unchecked"]),
    }
    events = (Event(name="concept.saved", data={"version": held.version}),) if changes else ()
    return Outcome(result=result, events=events)


def _draft(given: Json, collection: str) -> MapDraft:
    name = given["concept"]
    return MapDraft(
        concept=Concept(
            id=concept_id(collection, concept_key(name)),
            collection=collection,
            name=name,
            domain=given["domain"],
            definition=given["definition"],
        ),
        related=tuple(Related.read_stored(one) for one in given["related"]),
        deleted=tuple(Retired.read_stored(one) for one in given["deleted"]),
        abnormal=tuple(Retired.read_stored(one) for one in given["abnormal"]),
    )


def _saver(job: Job) -> str:
    """Return who saves: a job's retry may bring more, its item done twice brings the same."""
    return job.id if job.epoch == 1 else f"{job.id}#{job.epoch}"


def _changes(held: ConceptMap, ports: Ports) -> dict[str, int]:
    """Count this job's changes by kind, those made before a crash included."""
    versions = ports.concepts.concept_versions(held.concept.collection, held.concept.name, limit=20)
    mine = [change.change for one in versions if one.job == _saver(ports.job) for change in one.changes]
    return {change: mine.count(change) for change in _CHANGES if change in mine}
