"""Concept maps over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from hopline.models.concepts import ConceptGraph, ConceptVersion, ConceptVersions, RelationEdited
from hopline.operation import quoted
from producer.client.http.connection import HttpPart, key_header, read_answer
from producer.client.http.documents import terms_of
from producer.client.http.jobs import submit
from workers.core.concepts.maps import RelationEdit
from workers.core.jobs.params import parse_params

if TYPE_CHECKING:
    from hopline.models.jobs import Json
    from workers.core.jobs.work import Terms
    from workers.ledger.records import JobRecord


class HttpConcepts(HttpPart):
    """Concept maps over HTTP; see `producer.client.link.ConceptsLink`."""

    def submit(self, concept: str, collection: str, key: str | None, params: Json, terms: Terms) -> JobRecord:
        """Submit the making of a concept's map."""
        fields = {name: value for name, value in params.items() if value is not None}
        body = {
            "concept": concept,
            "collection": collection,
            "refresh": fields.pop("refresh", False),
            "parameters": fields,
            **terms_of(terms),
        }
        return submit(self._connection, "/api/kg/generate", key, json=body, params={"wait": 0})

    def map(self, concept: str, collection: str) -> ConceptGraph:
        """Return a concept's stored map."""
        body = {"concept": concept, "collection": collection}
        return read_answer(ConceptGraph, self._connection.request("POST", "/api/kg/query-db", json=body))

    def versions(self, concept: str, collection: str, limit: int, before: int | None) -> list[ConceptVersion]:
        """Return the versions of a concept's map."""
        params = {"concept": concept, "collection": collection, "limit": limit, "before": before}
        page = self._connection.get("/api/kg/versions", **params)
        return list(read_answer(ConceptVersions, page).versions)

    def edit(self, collection: str, relation: str, fields: Json, key: str | None) -> RelationEdited:
        """Edit a relation of a concept's map; the API key identifies the author."""
        parse_params(RelationEdit, fields)  # a correction is sent among other fields
        # With a key of its own it may be sent again where a reply was lost.
        path, headers = f"/api/kg/relations/{quoted(relation)}", key_header(key or uuid4().hex)
        common = {"reason": fields.get("reason", ""), "version": fields.get("seen")}
        body = {"collection": collection} | {
            name: value for name, value in common.items() if value is not None
        }
        match fields["action"]:
            case "delete":
                answer = self._connection.request("DELETE", path, params=body, headers=headers)
            case "undo":
                answer = self._connection.request("POST", f"{path}/undo", json=body, headers=headers)
            case action:
                changed = {"state": "abnormal"} if action == "abnormal" else fields.get("correction", {})
                answer = self._connection.request("PATCH", path, json=body | changed, headers=headers)
        return read_answer(RelationEdited, answer)
