"""The way to hopline over its HTTP API: the same calls and the same errors as over the broker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from producer.concept_report import ConceptGraph, ConceptVersions
from producer.http.connection import Connection, key_header
from producer.http.documents import Handover, room_of, terms_of
from producer.http.feed import SseFeed
from workers.core.census import GraphCensus
from workers.core.concepts import ConceptVersion
from workers.core.errors import Gone
from workers.core.graph_schema import GraphSchema
from workers.core.ids import job_id as new_id
from workers.core.merging import Merge
from workers.core.model import Document
from workers.core.neighbourhood import Neighbourhood, Passage
from workers.core.work import Job, Json, Terms
from workers.ledger.records import DeadLetter, JobRecord, Wanted
from workers.search.found import Found
from workers.submit import check_collection
from workers.tools.tool import ToolResult

if TYPE_CHECKING:
    import httpx2

    from producer.http.files import Room
    from producer.report import Submitted
    from producer.texts import TextDocument

_PAGE = 100
_OWN = frozenset({"strategy", "session"})  # of a question, beside its parameters


class HttpLink:
    """A link over HTTP; see `producer.link` for what the calls mean.

    Beside their errors, every call may raise AccessDenied (the key is missing, opens nothing or does not
    allow it), TooManyJobs, DependencyAway (the API, or what it needs, is away) and NotTheApi.

    Args:
        url: of the API, without a slash at its end.
        api_key: None where it needs none.
        transport: carries the requests, where it is no socket.
        headers: sent with every request.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None,
        *,
        transport: httpx2.BaseTransport | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._connection = Connection(url, api_key, transport=transport, headers=headers)

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
        self._connection.close()

    # jobs are made --------------------------------------------------------------------------------

    def submit_question(
        self, question: str, collection: str, key: str | None, params: Json, terms: Terms
    ) -> str:
        """Submit a query."""
        given = {name: value for name, value in params.items() if value is not None}
        body = {
            "question": question.strip(),
            "collection": collection,
            **{name: given[name] for name in _OWN & set(given)},
            "parameters": {name: value for name, value in given.items() if name not in _OWN},
            **terms_of(terms),
        }
        return self._submit("/v1/queries", key, json=body)

    def submit_documents(
        self,
        paths: Sequence[str | Path],
        collection: str,
        key: str | None,
        profile: str | Path | None,
        terms: Terms,
    ) -> Submitted:
        """Submit what lies at some paths; it is uploaded, what are addresses the server reads."""
        return Handover(self._connection, collection, key, profile, terms).paths(paths, self._room)

    def submit_texts(
        self,
        texts: Sequence[TextDocument],
        collection: str,
        key: str | None,
        profile: str | Path | None,
        terms: Terms,
    ) -> Submitted:
        """Submit texts."""
        return Handover(self._connection, collection, key, profile, terms).texts(texts, self._room)

    def submit_concept(
        self, concept: str, collection: str, key: str | None, params: Json, terms: Terms
    ) -> str:
        """Submit the making of a concept's map."""
        given = {name: value for name, value in params.items() if value is not None}
        body = {
            "concept": concept,
            "collection": collection,
            "refresh": given.pop("refresh", False),
            "parameters": given,
            **terms_of(terms),
        }
        return self._submit("/api/kg/generate", key, json=body, params={"wait": 0})

    def submit_delete(self, document: Document) -> str:
        """Submit the removal of a document."""
        return self._submit(f"/v1/documents/{quoted(document.id)}", None, method="DELETE")

    def submit_reindex(self, collection: str) -> str:
        """Submit the building of a collection's vectors."""
        return self._submit(f"/v1/collections/{check_collection(collection)}/reindex", None)

    def submit_merge(self, collection: str, *, dry_run: bool) -> str:
        """Submit the merging of a collection's key elements."""
        return self._submit(
            f"/v1/collections/{check_collection(collection)}/merge", None, json={"dry_run": dry_run}
        )

    def submit_undo(self, merge: str) -> str:
        """Submit the undoing of a merge."""
        return self._submit(f"/v1/merges/{quoted(merge)}/undo", None)

    def _submit(self, path: str, key: str | None, *, method: str = "POST", **given: Any) -> str:
        """Return the id of the job that a request makes; with a key of its own it may be repeated."""
        headers = key_header(key or new_id())
        return str(self._connection.request(method, path, headers=headers, **given)["id"])

    # jobs -----------------------------------------------------------------------------------------

    def feed(self, job_id: str) -> SseFeed:
        """Return the job's events from the beginning."""
        return SseFeed(self._connection, _job(job_id))

    def job(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job."""
        return record_of(self._connection.get(_job(job_id)))

    def jobs(self, wanted: Wanted, limit: int) -> list[JobRecord]:
        """Return the newest of the jobs that are wanted."""
        found: list[JobRecord] = []
        told = {"state": wanted.state, "kind": wanted.kind, "collection": _only(wanted.collections)}
        cursor: str | None = None
        while len(found) < limit:
            most = min(_PAGE, limit - len(found))
            page = self._connection.get("/v1/jobs", limit=most, cursor=cursor, **told)
            found += map(record_of, page["jobs"])
            cursor = page["next"]
            if not cursor:
                break
        return found

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the items that were given up."""
        told = self._connection.get(f"{_job(job_id)}/dead-letters")["dead_letters"]
        return [DeadLetter.model_validate(one) for one in told]

    def cancel(self, job_id: str) -> JobRecord:
        """End a job now."""
        return record_of(self._connection.request("DELETE", _job(job_id)))

    def retry(self, job_id: str) -> JobRecord:
        """Do a job's dead letters again."""
        return record_of(self._connection.request("POST", f"{_job(job_id)}/retry", safe=False))

    # the graph ------------------------------------------------------------------------------------

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

    def census(self, collection: str) -> GraphCensus:
        """Return a collection's graph in numbers."""
        return GraphCensus.model_validate(
            self._connection.get(f"/v1/collections/{check_collection(collection)}")
        )

    def concept_map(self, concept: str, collection: str) -> ConceptGraph:
        """Return what is held of a concept's map."""
        body = {"concept": concept, "collection": collection}
        return ConceptGraph.model_validate(self._connection.request("POST", "/api/kg/query-db", json=body))

    def concept_versions(self, concept: str, collection: str, limit: int) -> list[ConceptVersion]:
        """Return the versions of a concept's map."""
        told = {"concept": concept, "collection": collection, "limit": limit}
        return list(ConceptVersions.model_validate(self._connection.get("/api/kg/versions", **told)).versions)

    def schema(self, *, internal: bool, refresh: bool) -> GraphSchema:
        """Return what the database is made of."""
        told = {"internal": internal or None, "refresh": refresh or None}
        return GraphSchema.model_validate(self._connection.get("/v1/schema", **told))

    def tools(self) -> list[Json]:
        """Return the tools that there are."""
        return list(self._connection.get("/v1/tools")["tools"])

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

    @cached_property
    def _room(self) -> Room:
        return room_of(self._connection.get("/v1/about"))


def quoted(part: str) -> str:
    """Return a part of a path that stays one part, whatever it holds.

    Raises:
        Gone: nothing can have this name: an address has another meaning for it.
    """
    if part.strip(".") == "":
        raise Gone(f"nothing is called {part!r}")
    return quote(part, safe="")


def record_of(view: Mapping[str, Any]) -> JobRecord:
    """Return a job's record from what the API tells of it; whose it is stays with the API."""
    own = {name: view[name] for name in Job.model_fields if view.get(name) is not None}
    told = {name: view[name] for name in JobRecord.model_fields if name in view}
    return JobRecord.model_validate({**told, "job": own})


def _job(job_id: str) -> str:
    return f"/v1/jobs/{quoted(job_id)}"


def _only(collections: frozenset[str] | None) -> str | None:
    return next(iter(collections)) if collections else None
