"""Concept maps in Neo4j."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from hopline.errors import NotFound
from hopline.models.concepts import ConceptChange, ConceptVersion, RelationEdited
from workers.adapters.neo4j.connection import Connection, Row, Run
from workers.core import ids
from workers.core.concepts.changes import RETIRED, change_of, changes_of, left_to
from workers.core.concepts.maps import ConceptMap, ConceptRelation, MapDraft, RelationEdit, concept_key
from workers.core.concepts.rows import to_map, to_relation

_PAST = 2  # changes of a relation that undoing looks at


class Neo4jConcepts:
    """`core.concepts.maps.ConceptStore` over a real Neo4j.

    `(:MappedConcept {id, name, domain, definition, version, created, updated})` is a core from version 1 on.
    `-[:CONCEPT_RELATION {id, name, domain, definition, relation, strength, state, reason, by, version,
    created, updated}]->` leads from it to the others. `(:ConceptVersion {id, concept, version, job, by, made,
    changes})` keeps every change, each as JSON. Nothing of these is ever removed.

    Args:
        connection: connection to hopline's own database, at its newest version.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def concept_map(self, collection: str, name: str) -> ConceptMap | None:
        """Return a concept's map; None if it has none yet."""
        return _read(self._connection.run, collection, _id(collection, name))

    def links_among(self, collection: str, ids: Sequence[str]) -> list[ConceptRelation]:
        """Return the active relations between the given concepts, whichever map they belong to."""
        rows = self._connection.run("concept_links", collection=collection, ids=list(ids))
        relations = [to_relation(row["relation"]) for row in rows]
        return [relation for relation in relations if isinstance(relation, ConceptRelation)]

    def save_map(self, draft: MapDraft, job: str) -> ConceptMap | None:
        """Save a job's changes to a map as one new version; return the new map."""
        concept = draft.concept
        if not draft.related and self.concept_map(concept.collection, concept.name) is None:
            return None
        return self._connection.together("save_map", partial(_save, draft, job))

    def edit_relation(self, collection: str, relation: str, edit: RelationEdit, name: str) -> RelationEdited:
        """Save a person's edit of a relation as one new version of its map."""
        return self._connection.together("edit_relation", partial(_edit, collection, relation, edit, name))

    def concept_versions(
        self, collection: str, name: str, *, limit: int = 100, before: int | None = None
    ) -> list[ConceptVersion]:
        """Return versions of a concept's map, newest first, optionally only those before `before`."""
        page = {"collection": collection, "id": _id(collection, name), "limit": limit, "before": before}
        rows = self._connection.run("concept_versions", **page)
        return [_version(row["version"]) for row in rows]


def _id(collection: str, name: str) -> str:
    return ids.concept_id(collection, concept_key(name))


def _read(run: Run, collection: str, concept: str) -> ConceptMap | None:
    rows = run("concept_map", collection=collection, id=concept)
    return to_map(rows[0]["concept"], rows[0]["relations"]) if rows else None


def _save(draft: MapDraft, job: str, run: Run) -> ConceptMap | None:
    concept = draft.concept
    names = {_id(concept.collection, related.name): related.name for related in draft.related} | {
        concept.id: concept.name
    }
    _lock(run, concept.collection, names)
    made = ids.concept_version_id(concept.id, job)
    if not run("concept_version_made", id=made):
        core, held = _kept(run, concept.collection, concept.id)
        changes = changes_of(draft, core if core["version"] else None, held)
        written = [
            _written(change, concept.collection, held) for change in changes if change.change != "defined"
        ]
        defined = {"domain": concept.domain, "definition": concept.definition}
        if changes:
            fields = defined if len(written) < len(changes) else {}
            _apply(run, made, changes, written, id=concept.id, job=job, by="", core=fields)
    return _read(run, concept.collection, concept.id)


def _edit(collection: str, relation: str, edit: RelationEdit, name: str, run: Run) -> RelationEdited:
    cores = run("concept_of_relation", collection=collection, relation=relation)
    if not cores:
        raise NotFound(f"collection {collection} has no concept map with the relation {relation}")
    concept: Row = cores[0]["core"]
    _lock(run, collection, {concept["id"]: concept["name"]})
    made = ids.concept_version_id(concept["id"], name)
    for version in run("concept_version_made", id=made):
        [kept] = _changes(version["changes"])
        return RelationEdited(concept=concept["name"], version=version["version"], change=kept)
    core, held = _kept(run, collection, concept["id"])
    versions = run("concept_relation_changes", concept=core["id"], relation=relation, limit=_PAST)
    past = [change for each in versions for change in _changes(each["changes"]) if change.id == relation]
    change = change_of(edit, held[relation], past)
    if change is None:
        return RelationEdited(concept=core["name"], version=core["version"])
    written = _written(change, collection, held, left_to(edit, [version["by"] for version in versions]))
    number = _apply(run, made, [change], [written], id=core["id"], job="", by=edit.by, core={})
    return RelationEdited(concept=core["name"], version=number, change=change)


def _kept(run: Run, collection: str, concept: str) -> tuple[Row, dict[str, Row]]:
    """Return a concept and all relations of its map, by id."""
    [row] = run("concept_map", collection=collection, id=concept)
    return row["concept"], {relation["id"]: relation for relation in row["relations"] if "id" in relation}


def _apply(
    run: Run, made: str, changes: Sequence[ConceptChange], relations: Sequence[Row], **version: Any
) -> int:
    """Write a version of a locked map: the changes, and its current relations; return its number."""
    kept = [change.model_dump_json() for change in changes]
    [row] = run("concept_apply", version_id=made, changes=kept, relations=relations, **version)
    return int(row["version"])


def _lock(run: Run, collection: str, names: Mapping[str, str]) -> None:
    locked = [{"id": concept, "name": names[concept]} for concept in sorted(names)]
    run("concept_lock", collection=collection, concepts=locked)


def _written(change: ConceptChange, collection: str, held: Mapping[str, Row], by: str = "") -> dict[str, Any]:
    """Return the properties to set on a relation: all of an active one, only the state of a retired one."""
    state = change.change if change.change in RETIRED else "active"
    fields: dict[str, Any] = {"state": state, "reason": change.reason, "by": by, "version": change.version}
    if state == "active":
        fields |= change.model_dump(include={"name", "domain", "definition", "relation", "strength"})
    known = held.get(change.id)
    target = known["target"] if known else _id(collection, change.name)
    return {"id": change.id, "target": target, "fields": fields}


def _version(row: Row) -> ConceptVersion:
    return ConceptVersion(
        version=row["version"],
        job=row["job"],
        by=row.get("by") or "",
        made=row["made"],
        changes=_changes(row["changes"]),
    )


def _changes(kept: Sequence[str]) -> tuple[ConceptChange, ...]:
    return tuple(ConceptChange.read_stored(orjson.loads(text)) for text in kept)
