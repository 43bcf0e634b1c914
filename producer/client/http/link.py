"""The way to hopline over its HTTP API: the same calls and the same errors as over the service."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from hopline.models.documents import Document
from hopline.models.graph import Passage
from hopline.models.metadata import metadata_json
from hopline.models.search import Found
from hopline.operation import quoted
from producer.client.http.batches import HttpBatches, HttpEstimates, HttpSources, HttpSyncs
from producer.client.http.concepts import HttpConcepts
from producer.client.http.connection import Connection, HttpPart, acting_header, read_answer
from producer.client.http.documents import Handover, room_of, terms_of
from producer.client.http.graph import HttpGraph, HttpSchemas, HttpTools, pages
from producer.client.http.history import HttpHistory
from producer.client.http.jobs import HttpJobs, HttpWeights, HttpWorkPauses, submit
from producer.client.http.schedules import HttpSchedules
from workers.core.jobs.params import SearchParams, check_collections, parse_params, split_collections
from workers.core.metadata.filter_text import filter_json
from workers.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    import httpx2

    from hopline.models.documents import TextDocument
    from hopline.models.ingest_reports import Submitted
    from hopline.models.jobs import Json
    from producer.client.http.files import Room
    from producer.service.documents import Intake
    from workers.core.jobs.work import Terms
    from workers.core.metadata.changes import MetadataChange
    from workers.core.metadata.filter import Filter
    from workers.ledger.records import JobRecord

_OWN = frozenset({"strategy", "session", *Scope.model_fields})  # of a question, beside its parameters


class HttpLink:
    """A link over HTTP; see `producer.client.link` for what the calls mean.

    Beside their errors, every call may raise AccessDenied (the key is missing, opens nothing or does not
    allow it), TooManyJobs, DependencyAway (the API, or what it needs, is away) and NotTheApi.

    Args:
        url: of the API, without a slash at its end.
        api_key: None if it needs none.
        transport: carries the requests, where it is no socket.
        headers: sent with every request.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None,
        *,
        transport: httpx2.BaseTransport | None = None,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> None:
        self._connection = Connection(url, api_key, transport=transport, headers=headers)
        self.questions = HttpQuestions(self._connection)
        self.documents = HttpDocuments(self._connection)
        self.jobs = HttpJobs(self._connection)
        self.work_pauses = HttpWorkPauses(self._connection)
        self.weights = HttpWeights(self._connection)
        self.history = HttpHistory(self._connection)
        self.batches = HttpBatches(self._connection)
        self.estimates = HttpEstimates(self._connection)
        self.sources = HttpSources(self._connection)
        self.syncs = HttpSyncs(self._connection)
        self.schedules = HttpSchedules(self._connection)
        self.graph = HttpGraph(self._connection)
        self.schemas = HttpSchemas(self._connection)
        self.concepts = HttpConcepts(self._connection)
        self.tools = HttpTools(self._connection)

    def close(self) -> None:
        """Close every connection; the next call opens them again."""
        self._connection.close()


class HttpQuestions(HttpPart):
    """Questions over HTTP; see `producer.client.link.QuestionsLink`."""

    def submit(
        self, question: str, collection: str | Sequence[str], key: str | None, params: Json, terms: Terms
    ) -> JobRecord:
        """Submit a query."""
        own, several = split_collections(collection)
        fields = {name: _plain(value) for name, value in params.items() if value is not None}
        body = {
            "question": question.strip(),
            "collection": several.get("collections", own),
            **{name: fields[name] for name in _OWN & set(fields)},
            "parameters": {name: value for name, value in fields.items() if name not in _OWN},
            **terms_of(terms),
        }
        headers = acting_header(terms.principals)
        return submit(self._connection, "/v1/queries", key, headers=headers, json=body)

    def search(
        self,
        question: str,
        collection: str | Sequence[str],
        limit: int,
        scope: Json | None = None,
        principals: Sequence[str] | None = None,
    ) -> Found:
        """Return what a question leads to."""
        collections, fields = check_collections(collection), {"question": question.strip(), "limit": limit}
        parse_params(SearchParams, {**fields, **(scope or {})})  # an empty list makes no parameter
        params: Json = {**fields, "collection": collections}
        for name, value in (scope or {}).items():
            params[name] = _compact(value) if isinstance(value, dict) else _plain(value)
        headers = acting_header(principals)
        return read_answer(
            Found, self._connection.request("GET", "/v1/search", params=params, headers=headers)
        )


class HttpDocuments(HttpPart):
    """Documents over HTTP; see `producer.client.link.DocumentsLink`."""

    def submit(
        self,
        paths: Sequence[str | Path],
        collection: str,
        intake: Intake,
    ) -> Submitted:
        """Submit the documents at some paths: files are uploaded, addresses are read by the server."""
        return Handover(self._connection, collection, intake).paths(paths, self._room)

    def submit_texts(
        self,
        texts: Sequence[TextDocument],
        collection: str,
        intake: Intake,
    ) -> Submitted:
        """Submit texts."""
        return Handover(self._connection, collection, intake).texts(texts, self._room)

    def all(self, collection: str | None, where: Filter | None = None, text: str = "") -> Iterator[Document]:
        """Yield documents ordered by id."""
        described = text or (None if where is None else _compact(filter_json(where)))
        for view in pages(
            self._connection, "/v1/documents", "documents", collection=collection, where=described
        ):
            yield read_answer(Document, view)

    def get(self, document_id: str) -> Document:
        """Return a document."""
        return read_answer(Document, self._connection.get(_path(document_id)))

    def text(self, document_id: str, start: int | None, end: int | None) -> Passage:
        """Return a stretch of a document's text."""
        return read_answer(Passage, self._connection.get(f"{_path(document_id)}/text", start=start, end=end))

    def text_at(
        self, document_id: str, start: int | None, end: int | None, known_at: datetime | str
    ) -> Passage:
        """Return the same of the version that was live at a time."""
        params = {"start": start, "end": end, "known_at": _plain(known_at)}
        return read_answer(Passage, self._connection.get(f"{_path(document_id)}/text", **params))

    def change_metadata_of(
        self, ids: Sequence[str], collection: str | None, where: Filter | None, change: MetadataChange
    ) -> int:
        """Change fields of documents."""
        body: Json = {"set": json.loads(metadata_json(change.values)), "unset": list(change.unset)}
        if ids:
            body["documents"] = list(ids)
        else:
            body |= {"collection": collection, "where": filter_json(where) if where else None}
        return int(self._connection.request("PATCH", "/v1/documents", json=body)["changed"])

    def submit_delete(self, document_id: str, *, erase: bool = False) -> JobRecord:
        """Submit the removal of a document."""
        path = f"{_path(document_id)}?erase=true" if erase else _path(document_id)
        return submit(self._connection, path, None, method="DELETE")

    @cached_property
    def _room(self) -> Room:
        return room_of(self._connection.get("/v1/about"))


def _compact(where: Json) -> str:
    return json.dumps(where, ensure_ascii=False, separators=(",", ":"))


def _path(document_id: str) -> str:
    return f"/v1/documents/{quoted(document_id)}"


def _plain(value: Any) -> Any:
    """Return a parameter as JSON has it: dates as texts, tuples as lists."""
    return to_jsonable_python(value)
