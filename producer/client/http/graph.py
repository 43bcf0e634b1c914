"""The graph and its tools over HTTP: read at once, or changed as a whole by a job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hopline.models.census import GraphCensus
from hopline.models.graph import Neighbourhood
from hopline.models.graph_schema import GraphSchema
from hopline.models.jobs import Json
from hopline.models.merges import Merge, NameCandidates
from hopline.models.schemas import MetadataSchema
from hopline.models.tools import PackState, ToolResult
from hopline.models.topics import TopicList
from hopline.operation import quoted
from producer.client.http.connection import HttpPart, read_answer
from producer.client.http.jobs import submit
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from producer.client.http.connection import Connection
    from workers.ledger.records import JobRecord

_PAGE = 100


class HttpGraph(HttpPart):
    """The graph over HTTP; see `producer.client.link.GraphLink`."""

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of documents."""
        rows = self._connection.get("/v1/collections")["collections"]
        return {row["name"]: row["documents"] for row in rows}

    def census(self, collection: str, *, lengths: bool) -> GraphCensus:
        """Return a collection's graph in numbers, with the length of facts if requested."""
        return read_answer(GraphCensus, self._connection.get(_path(collection), lengths=lengths))

    def neighbourhood(
        self, collection: str, *, name: str | None, element: str | None, document: str | None, limit: int
    ) -> Neighbourhood:
        """Return the facts around a key element."""
        params = {"name": name, "element": element, "document": document, "limit": limit}
        path = "/v1/graph/neighbourhood"
        return read_answer(Neighbourhood, self._connection.get(path, collection=collection, **params))

    def schema(self, collection: str | None, *, internal: bool, refresh: bool) -> GraphSchema:
        """Return the schema of the tools' database, or of the graph that tools ask over a collection."""
        params = {"collection": collection, "internal": internal or None, "refresh": refresh or None}
        return read_answer(GraphSchema, self._connection.get("/v1/schema", **params))

    def merges(self, collection: str | None) -> Iterator[Merge]:
        """Yield merges ordered by id; those of all collections, one collection after another."""
        for name in [collection] if collection else sorted(self.collections()):
            path = f"/v1/collections/{quoted(name)}/merges"
            for view in pages(self._connection, path, "merges"):
                yield read_answer(Merge, view)

    def name_candidates(self, collection: str | None) -> Iterator[NameCandidates]:
        """Yield names that may mean several; those of all collections, one collection after another."""
        for name in [collection] if collection else sorted(self.collections()):
            path = f"/v1/collections/{quoted(name)}/name-candidates"
            for view in pages(self._connection, path, "names"):
                yield read_answer(NameCandidates, view)

    def submit_merge(self, collection: str, *, dry_run: bool, ask: int) -> JobRecord:
        """Submit the merging of a collection's key elements, with so many model calls at most."""
        # A server of before knows no bound.
        body = {"dry_run": dry_run, **({"ask": ask} if ask else {})}
        return submit(self._connection, f"{_path(collection)}/merge", None, json=body)

    def submit_undo(self, merge: str) -> JobRecord:
        """Submit the undoing of a merge."""
        return submit(self._connection, f"/v1/merges/{quoted(merge)}/undo", None)

    def submit_reindex(self, collection: str) -> JobRecord:
        """Submit the building of a collection's vectors."""
        return submit(self._connection, f"{_path(collection)}/reindex", None)

    def topics(self, collection: str, level: int, *, parent: str | None, limit: int) -> TopicList:
        """Return the largest topics of a level, or within one."""
        path = f"{_path(collection)}/topics"
        return read_answer(TopicList, self._connection.get(path, level=level, parent=parent, limit=limit))

    def submit_topics(self, collection: str, *, anew: bool) -> JobRecord:
        """Submit the building of a collection's topics."""
        return submit(self._connection, f"{_path(collection)}/topics", None, json={"anew": anew})


class HttpSchemas(HttpPart):
    """Metadata schemas over HTTP; see `producer.client.link.SchemasLink`."""

    def get(self, collection: str) -> MetadataSchema:
        """Return a collection's schema; an empty one if it has none."""
        return read_answer(MetadataSchema, self._connection.get(f"{_path(collection)}/schema"))

    def put(self, collection: str, schema: MetadataSchema, *, anyway: bool) -> int:
        """Set a collection's schema; return how many of its documents do not fit."""
        path, body = f"{_path(collection)}/schema", schema.model_dump(mode="json", exclude_defaults=True)
        params = {"anyway": True} if anyway else {}
        return int(self._connection.request("PUT", path, json=body, params=params)["misfits"])

    def clear(self, collection: str) -> None:
        """Let a collection have no schema."""
        self._connection.request("DELETE", f"{_path(collection)}/schema")


class HttpTools(HttpPart):
    """Tools over HTTP; see `producer.client.link.ToolsLink`."""

    def all(self, collection: str | None) -> list[Json]:
        """Return the tools that there are."""
        return list(self._connection.get("/v1/tools", collection=collection)["tools"])

    def packs(self, collection: str | None) -> list[PackState]:
        """Return which packs of tools are on over a collection's graph, and why."""
        packs = self._connection.get("/v1/tools/packs", collection=collection)["packs"]
        return [read_answer(PackState, pack) for pack in packs]

    def run(self, name: str, collection: str, arguments: Json) -> ToolResult:
        """Run a tool."""
        body = {"collection": collection, "arguments": arguments}
        return read_answer(
            ToolResult, self._connection.request("POST", f"/v1/tools/{quoted(name)}", json=body)
        )


def pages(connection: Connection, path: str, what: str, **params: Any) -> Iterator[Json]:
    """Yield what a list of the API holds, one page after another."""
    cursor: str | None = None
    while True:
        page = connection.get(path, cursor=cursor, limit=_PAGE, **params)
        yield from page[what]
        cursor = page["next"]
        if not cursor:
            return


def _path(collection: str) -> str:
    return f"/v1/collections/{check_collection(collection)}"
