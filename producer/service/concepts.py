"""Concept maps: submit a job for one, read it, edit a relation by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from uuid import uuid4

from hopline.errors import InvalidInput, NotFound, unknown_name
from hopline.models.concepts import LAST_VERSION, MOST_VERSIONS, ConceptGraph, RelationFound
from producer.service.backend import Part
from workers.core.concepts.maps import Correction, RelationEdit, concept_key, relation_between
from workers.core.jobs.params import ConceptParams, check_collection, parse_params

if TYPE_CHECKING:
    from hopline.models.concepts import ConceptVersion, RelationEdited
    from hopline.models.jobs import Json
    from workers.core.jobs.records import JobRecord
    from workers.core.jobs.work import Terms

_KIND = "concept"  # of its job


class Concepts(Part):
    """The concept maps of collections."""

    def submit(
        self, concept: str, collection: str, key: str | None, params: Json, terms: Terms | None = None
    ) -> JobRecord:
        """Submit a job that makes a concept's map; return its record.

        Args:
            concept: name of the concept.
            collection: collection of its map.
            key: idempotency key.
            params: further fields of ConceptParams; None for the default.
            terms: caller, priority and notifications.

        Raises:
            InvalidInput: a parameter is invalid; nothing was written.
        """
        set_params = {name: value for name, value in params.items() if value is not None}
        checked = parse_params(ConceptParams, {**set_params, "concept": concept})
        return self._backend.submit(_KIND, collection, checked, key=key, terms=terms)

    def map(self, concept: str, collection: str) -> ConceptGraph:
        """Return a concept's stored map, strongest relations first; no model is called.

        Raises:
            InvalidInput: the concept's or the collection's name is not valid.
        """
        from workers.concepts.graph import graph_of

        name, where = _checked(concept, collection)
        held = self._services.concepts.concept_map(where, name)
        if held is None:
            return ConceptGraph(concept=name)
        graph = graph_of(held, self._services.concepts, most=None)
        return ConceptGraph(concept=held.concept.name, version=held.version, **dict(graph))

    def versions(
        self, concept: str, collection: str, limit: int, before: int | None = None
    ) -> list[ConceptVersion]:
        """Return the versions of a concept's map, newest first; with `before`, only older ones than that.

        Raises:
            InvalidInput: the concept, collection or version is not valid.
        """
        name, where = _checked(concept, collection)
        if before is not None and not 1 <= before <= LAST_VERSION:
            raise InvalidInput("cursor", before, f"a version, from 1 to {LAST_VERSION}")
        most = max(1, min(limit, MOST_VERSIONS))
        return self._services.concepts.concept_versions(where, name, limit=most, before=before)

    def relation(self, concept: str, other: str, collection: str) -> RelationFound:
        """Return the relation from a concept's map to another concept, even if it was removed.

        Raises:
            InvalidInput: a name is not valid, or the map has no such relation.
            NotFound: there is no map.
        """
        (name, where), wanted = _checked(concept, collection), concept_key(_checked(other, collection)[0])
        held = self._services.concepts.concept_map(where, name)
        if held is None:
            raise NotFound(
                f"no map of {name} is stored in collection {where}: `hopline concepts create` makes one"
            )
        names = [relation.name for relation in held.relations] + [broken.name for broken in held.broken]
        names += held.retired
        for known in names:
            if concept_key(known) == wanted:
                found = relation_between(where, name, known)
                return RelationFound(id=found, concept=held.concept.name, other=known)
        raise unknown_name("relation", other, names)

    def edit(
        self, collection: str, relation: str, fields: Json, key: str | None = None, caller: str = ""
    ) -> RelationEdited:
        """Edit one relation of a map, as a new version; see `AsyncConcepts.change_relation`.

        Args:
            collection: collection of the map.
            relation: id of the relation.
            fields: fields of RelationEdit.
            key: idempotency key of this edit; without one, each call is a separate edit.
            caller: id of the API key.

        Raises:
            InvalidInput: names the field, its value and what is allowed.
            Outdated: the relation has a newer version than the one the person saw.
            NotFound: there is no such relation.
        """
        where, edit = check_collection(collection), parse_params(RelationEdit, fields)
        if edit.action != "undo" and not edit.reason.strip():
            raise InvalidInput("reason", edit.reason, "a reason: it is stored with the version")
        if edit.action == "correct" and edit.correction == Correction():
            allowed = ", ".join(Correction.model_fields)
            raise InvalidInput("correction", {}, f"at least one of: {allowed}")
        name = json.dumps(["by hand", caller, key or uuid4().hex, relation, edit.model_dump(mode="json")])
        with self._audit.act("edit", "relation", relation, where):
            return self._services.concepts.edit_relation(where, relation, edit, name)


def _checked(concept: str, collection: str) -> tuple[str, str]:
    return parse_params(ConceptParams, {"concept": concept}).concept, check_collection(collection)
