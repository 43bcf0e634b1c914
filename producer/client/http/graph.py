"""Reads over HTTP without a job: searches, documents, the graph, its tools, concept maps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from producer.client.http.connection import Connection, key_header, quoted
from producer.reports.concept import ConceptGraph, ConceptVersions
from workers.core.concepts.maps import ConceptVersion, RelationEdit, RelationEdited
from workers.core.graph.census import GraphCensus
from workers.core.graph.merges import Merge
from workers.core.graph.neighbourhood import Neighbourhood, Passage
from workers.core.graph.schema import GraphSchema
from workers.core.jobs.params import check_collection, parse_params
from workers.core.jobs.work import Json
from workers.core.model import Document
from workers.search.models import Found
from workers.tools.pack import PackState
from workers.tools.tool import ToolResult

_PAGE = 100


class HttpGraph:
    """The graph over HTTP; see `producer.client.link.GraphLink`.

    Args:
        connection: to the API.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def search(self, question: str, collection: str, limit: int) -> Found:
        """Return what a question leads to."""
        told = {"question": question.strip(), "collection": collection, "limit": limit}
        return Found.model_validate(self._connection.get("/v1/search", **told))

    def documents(self, collection: str | None) -> Iterator[Document]:
        """Yield documents ordered by id."""
        for one in self._pages("/v1/documents", "documents", collection=collection):
            yield Document.model_validate(one)

    def document(self, document_id: str) -> Document:
        """Return a document."""
        return Document.model_validate(self._connection.get(f"/v1/documents/{quoted(document_id)}"))

    def document_text(self, document_id: str, start: int | None, end: int | None) -> Passage:
        """Return a stretch of a document's text."""
        path = f"/v1/documents/{quoted(document_id)}/text"
        return Passage.model_validate(self._connection.get(path, start=start, end=end))

    def neighbourhood(
        self, collection: str, *, name: str | None, element: str | None, document: str | None, limit: int
    ) -> Neighbourhood:
        """Return the facts around a key element."""
        told = {"name": name, "element": element, "document": document, "limit": limit}
        path = "/v1/graph/neighbourhood"
        return Neighbourhood.model_validate(self._connection.get(path, collection=collection, **told))

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of documents."""
        told = self._connection.get("/v1/collections")["collections"]
        return {one["name"]: one["documents"] for one in told}

    def census(self, collection: str, *, lengths: bool) -> GraphCensus:
        """Return a collection's graph in numbers, with the length of facts if requested."""
        path = f"/v1/collections/{check_collection(collection)}"
        return GraphCensus.model_validate(self._connection.get(path, lengths=lengths))

    def concept_map(self, concept: str, collection: str) -> ConceptGraph:
        """Return a concept's stored map."""
        body = {"concept": concept, "collection": collection}
        return ConceptGraph.model_validate(self._connection.request("POST", "/api/kg/query-db", json=body))

    def concept_versions(
        self, concept: str, collection: str, limit: int, before: int | None
    ) -> list[ConceptVersion]:
        """Return the versions of a concept's map."""
        told = {"concept": concept, "collection": collection, "limit": limit, "before": before}
        return list(ConceptVersions.model_validate(self._connection.get("/api/kg/versions", **told)).versions)

    def edit_relation(self, collection: str, relation: str, given: Json, key: str | None) -> RelationEdited:
        """Edit a relation of a concept's map; the API key identifies the author."""
        parse_params(RelationEdit, given)  # a correction is sent among other fields
        # With a key of its own it may be sent again where a reply was lost.
        path, headers = f"/api/kg/relations/{quoted(relation)}", key_header(key or uuid4().hex)
        told = {"reason": given.get("reason", ""), "version": given.get("seen")}
        asked = {"collection": collection} | {name: one for name, one in told.items() if one is not None}
        match given["action"]:
            case "delete":
                answer = self._connection.request("DELETE", path, params=asked, headers=headers)
            case "undo":
                answer = self._connection.request("POST", f"{path}/undo", json=asked, headers=headers)
            case action:
                changed = {"state": "abnormal"} if action == "abnormal" else given.get("correction", {})
                answer = self._connection.request("PATCH", path, json=asked | changed, headers=headers)
        return RelationEdited.model_validate(answer)

    def schema(self, *, internal: bool, refresh: bool) -> GraphSchema:
        """Return the database's schema."""
        told = {"internal": internal or None, "refresh": refresh or None}
        return GraphSchema.model_validate(self._connection.get("/v1/schema", **told))

    def tools(self, collection: str | None) -> list[Json]:
        """Return the tools that there are."""
        return list(self._connection.get("/v1/tools", collection=collection)["tools"])

    def tool_packs(self, collection: str | None) -> list[PackState]:
        """Return which packs of tools are on over a collection's graph, and why."""
        packs = self._connection.get("/v1/tools/packs", collection=collection)["packs"]
        return [PackState.model_validate(pack) for pack in packs]

    def tool(self, name: str, collection: str, arguments: Json) -> ToolResult:
        """Run a tool."""
        body = {"collection": collection, "arguments": arguments}
        return ToolResult.model_validate(
            self._connection.request("POST", f"/v1/tools/{quoted(name)}", json=body)
        )

    def merges(self, collection: str | None) -> Iterator[Merge]:
        """Yield merges ordered by id; those of all collections, one collection after another."""
        for name in [collection] if collection else sorted(self.collections()):
            for one in self._pages(f"/v1/collections/{quoted(name)}/merges", "merges"):
                yield Merge.model_validate(one)

    def _pages(self, path: str, what: str, **params: Any) -> Iterator[Json]:
        cursor: str | None = None
        while True:
            page = self._connection.get(path, cursor=cursor, limit=_PAGE, **params)
            yield from page[what]
            cursor = page["next"]
            if not cursor:
                return
