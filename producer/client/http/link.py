"""The HTTP link of the client: the same calls and errors as over the broker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from producer.client.http.connection import Connection, key_header, quoted
from producer.client.http.documents import Handover, room_of, terms_of
from producer.client.http.feed import SseFeed
from producer.client.http.graph import HttpGraph
from workers.core.ids import job_id as new_id
from workers.core.jobs.params import check_collection
from workers.core.jobs.work import Job, Json, Terms
from workers.core.model import Document
from workers.ledger.records import DeadLetter, JobRecord, Wanted

if TYPE_CHECKING:
    import httpx2

    from producer.client.http.files import Room
    from producer.reports.ingest import Submitted
    from producer.service.texts import TextDocument
    from workers.core.jobs.params import ChunkSizes

_PAGE = 100
_OWN = frozenset({"strategy", "session"})  # of a question, beside its parameters


class HttpLink(HttpGraph):
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
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(Connection(url, api_key, transport=transport, headers=headers))

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
        sizes: ChunkSizes,
        terms: Terms,
    ) -> Submitted:
        """Submit the documents at some paths: files are uploaded, addresses are read by the server."""
        return Handover(self._connection, collection, key, profile, sizes, terms).paths(paths, self._room)

    def submit_texts(
        self,
        texts: Sequence[TextDocument],
        collection: str,
        key: str | None,
        profile: str | Path | None,
        sizes: ChunkSizes,
        terms: Terms,
    ) -> Submitted:
        """Submit texts."""
        return Handover(self._connection, collection, key, profile, sizes, terms).texts(texts, self._room)

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
        """Send a request that creates a job; return the job's id. Its key makes it safe to repeat."""
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
        named = wanted.collections  # the API takes one; of several, those that fit are picked here
        if named is not None and not named:
            return found
        collection = next(iter(named)) if named is not None and len(named) == 1 else None
        told = {"state": wanted.state, "kind": wanted.kind, "collection": collection}
        cursor: str | None = None
        while len(found) < limit:
            most = min(_PAGE, limit - len(found))
            page = self._connection.get("/v1/jobs", limit=most, cursor=cursor, **told)
            records = map(record_of, page["jobs"])
            found += [one for one in records if named is None or one.job.collection in named]
            cursor = page["next"]
            if not cursor:
                break
        return found

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the job's dead letters."""
        told = self._connection.get(f"{_job(job_id)}/dead-letters")["dead_letters"]
        return [DeadLetter.model_validate(one) for one in told]

    def cancel(self, job_id: str) -> JobRecord:
        """End a job now."""
        return record_of(self._connection.request("DELETE", _job(job_id)))

    def retry(self, job_id: str) -> JobRecord:
        """Do a job's dead letters again."""
        return record_of(self._connection.request("POST", f"{_job(job_id)}/retry", safe=False))

    @cached_property
    def _room(self) -> Room:
        return room_of(self._connection.get("/v1/about"))


def record_of(view: Mapping[str, Any]) -> JobRecord:
    """Build a job's record from the API's response, which does not name its owner."""
    own = {name: view[name] for name in Job.model_fields if view.get(name) is not None}
    told = {name: view[name] for name in JobRecord.model_fields if name in view}
    return JobRecord.model_validate({**told, "job": own})


def _job(job_id: str) -> str:
    return f"/v1/jobs/{quoted(job_id)}"
