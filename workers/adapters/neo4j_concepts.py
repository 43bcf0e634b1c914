"""Concept maps in Neo4j."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from workers.adapters.neo4j_connection import Connection, Row, Run
from workers.core import ids
from workers.core.concept_changes import changes_of
from workers.core.concept_rows import to_map, to_relation
from workers.core.concepts import (
    ConceptChange,
    ConceptMap,
    ConceptRelation,
    ConceptVersion,
    MapDraft,
    concept_key,
)

_RETIRED = ("abnormal", "deleted")


class Neo4jConcepts:
    """`core.concepts.ConceptStore` over a real Neo4j.

    `(:MappedConcept {id, name, domain, definition, version, created, updated})` is a core from version 1 on.
    `-[:CONCEPT_RELATION {id, name, domain, definition, relation, strength, state, reason, version, created,
    updated}]->` leads from it to the others. `(:ConceptVersion {id, concept, version, job, made, changes})`
    keeps every change, each as JSON. Nothing of these is ever removed.

    Args:
        connection: to hopline's own database, at its newest version.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def concept_map(self, collection: str, name: str) -> ConceptMap | None:
        """Return a concept's map; None where nothing grew from it yet."""
        return _read(self._connection.run, collection, _id(collection, name))

    def links_among(self, collection: str, ids: Sequence[str]) -> list[ConceptRelation]:
        """Return the active relations between concepts, whichever map they belong to."""
        rows = self._connection.run("concept_links", collection=collection, ids=list(ids))
        found = [to_relation(row["relation"]) for row in rows]
        return [one for one in found if isinstance(one, ConceptRelation)]

    def save_map(self, draft: MapDraft, job: str) -> ConceptMap | None:
        """Write what a job made of a map, as one new version; return the map as it is then."""
        concept = draft.concept
        if not draft.related and self.concept_map(concept.collection, concept.name) is None:
            return None
        return self._connection.together("save_map", partial(_save, draft, job))

    def concept_versions(
        self, collection: str, name: str, *, limit: int = 100, before: int | None = None
    ) -> list[ConceptVersion]:
        """Return the newest versions of a concept's map, newest first; older ones than `before`, if told."""
        given = {"collection": collection, "id": _id(collection, name), "limit": limit, "before": before}
        rows = self._connection.run("concept_versions", **given)
        return [_version(row["version"]) for row in rows]


def _id(collection: str, name: str) -> str:
    return ids.concept_id(collection, concept_key(name))


def _read(run: Run, collection: str, concept: str) -> ConceptMap | None:
    rows = run("concept_map", collection=collection, id=concept)
    return to_map(rows[0]["concept"], rows[0]["relations"]) if rows else None


def _save(draft: MapDraft, job: str, run: Run) -> ConceptMap | None:
    concept = draft.concept
    names = {_id(concept.collection, one.name): one.name for one in draft.related} | {
        concept.id: concept.name
    }
    locked = [{"id": name, "name": names[name]} for name in sorted(names)]
    run("concept_lock", collection=concept.collection, concepts=locked)
    made = ids.concept_version_id(concept.id, job)
    if not run("concept_version_made", id=made):
        _apply(draft, job, made, run)
    return _read(run, concept.collection, concept.id)


def _apply(draft: MapDraft, job: str, made: str, run: Run) -> None:
    concept = draft.concept
    [row] = run("concept_map", collection=concept.collection, id=concept.id)
    held = {one["id"]: one for one in row["relations"] if "id" in one}
    changes = changes_of(draft, row["concept"] if row["concept"]["version"] else None, held)
    if not changes:
        return
    defined = any(one.change == "defined" for one in changes)
    run(
        "concept_apply",
        id=concept.id,
        version_id=made,
        job=job,
        core={"domain": concept.domain, "definition": concept.definition} if defined else {},
        changes=[one.model_dump_json() for one in changes],
        relations=[_written(one, concept.collection, held) for one in changes if one.change != "defined"],
    )


def _written(change: ConceptChange, collection: str, held: Mapping[str, Row]) -> dict[str, Any]:
    """Return what is set on a relation: all of an active one; of a retired one only that it is."""
    state = change.change if change.change in _RETIRED else "active"
    fields: dict[str, Any] = {"state": state, "reason": change.reason, "version": change.version}
    if state == "active":
        fields |= change.model_dump(include={"name", "domain", "definition", "relation", "strength"})
    known = held.get(change.id)
    target = known["target"] if known else _id(collection, change.name)
    return {"id": change.id, "target": target, "fields": fields}


def _version(row: Row) -> ConceptVersion:
    changes = tuple(ConceptChange.read_stored(orjson.loads(one)) for one in row["changes"])
    return ConceptVersion(version=row["version"], job=row["job"], made=row["made"], changes=changes)
