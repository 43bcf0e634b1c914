"""Jobs over HTTP: their state, events and end, the request that creates one, and pauses and weights."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from hopline.models.jobs import NOBODY_BEGAN, DeadLetter, JobFilter, JobsActed, Json, Verb
from hopline.models.pauses import WorkKind, WorkPause, WorkPauseList
from hopline.models.weights import Tenant, Weight, WeightList
from hopline.operation import quoted
from producer.client.http.connection import HttpPart, key_header, read_answer
from producer.client.http.feed import SseFeed
from producer.service.job_acts.replays import Change
from workers.core.ids import job_id as new_id
from workers.core.jobs.work import Job, Terms
from workers.ledger.records import JobRecord, Wanted

if TYPE_CHECKING:
    from producer.client.http.connection import Connection

_PAGE = 100
_PAUSES = "/v1/pauses"
_WEIGHTS = "/v1/weights"


class HttpJobs(HttpPart):
    """Jobs over HTTP; see `producer.client.link.JobsLink`."""

    def feed(self, job_id: str) -> SseFeed:
        """Return the job's events from the beginning."""
        return SseFeed(self._connection, _path(job_id))

    def get(self, job_id: str) -> JobRecord:
        """Return what is recorded of a job."""
        return record_of(self._connection.get(_path(job_id)))

    def newest(self, wanted: Wanted, limit: int) -> list[JobRecord]:
        """Return the newest of the jobs that are wanted."""
        records: list[JobRecord] = []
        named = wanted.collections  # the API takes one; of several, those that fit are picked here
        if named is not None and not named:
            return records
        collection = next(iter(named)) if named and len(named) == 1 else None
        fields = {
            "state": wanted.state,
            "kind": wanted.kind,
            "collection": collection,
            "tag": [f"{name}={value}" for name, value in wanted.tags.items()] or None,
            "step": wanted.step,
            "error": wanted.error,
            "since": _moment(wanted.since),
            "until": _moment(wanted.until),
        }
        cursor: str | None = None
        while len(records) < limit:
            most = min(_PAGE, limit - len(records))
            page = self._connection.get("/v1/jobs", limit=most, cursor=cursor, **fields)
            listed = map(record_of, page["jobs"])
            records += [record for record in listed if named is None or record.job.collection in named]
            cursor = page["next"]
            if not cursor:
                break
        return records

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        """Return the job's dead letters."""
        letters = self._connection.get(f"{_path(job_id)}/dead-letters")["dead_letters"]
        return [read_answer(DeadLetter, letter) for letter in letters]

    def cancel(self, job_id: str) -> JobRecord:
        """Cancel a job."""
        return record_of(self._connection.request("DELETE", _path(job_id)))

    def retry(self, job_id: str) -> JobRecord:
        """Retry a job's dead letters."""
        return record_of(self._connection.request("POST", f"{_path(job_id)}/retry", safe=False))

    def replay(self, job_id: str, change: Change, terms: Terms) -> JobRecord:  # noqa: ARG002 - the key's
        """Submit a question's job again; the same change is the same job, so it is safe to repeat."""
        path = f"{_path(job_id)}/replay"
        return record_of(self._connection.request("POST", path, json=_change(change)))

    def act(
        self,
        verb: Verb,
        meant: JobFilter,
        *,
        dry_run: bool,
        change: Change,
        terms: Terms,  # noqa: ARG002 - the API knows them by the key
    ) -> JobsActed:
        """Cancel, retry or replay the newest of the jobs that a filter means."""
        named = TypeAdapter(JobFilter).dump_python(meant, mode="json")
        body = {"verb": verb, "filter": named, "dry_run": dry_run, **_change(change)}
        sent = self._connection.request("POST", "/v1/jobs/act", safe=verb != "retry", json=body)
        return read_answer(JobsActed, sent)

    def waits_for(self, job_id: str) -> str:  # noqa: ARG002 - the API does not tell places in queues
        """Return what a job waits for that no worker has begun: no more than that it waits."""
        return NOBODY_BEGAN


class HttpWorkPauses(HttpPart):
    """Pauses across jobs over HTTP; see `producer.client.link.WorkPausesLink`."""

    def all(self) -> tuple[WorkPause, ...]:
        """Return all pauses, oldest first."""
        return read_answer(WorkPauseList, self._connection.get(_PAUSES)).pauses

    def pause(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Pause; return all pauses."""
        answer = self._connection.request("POST", _PAUSES, json={"kind": kind, "name": name})
        return read_answer(WorkPauseList, answer).pauses

    def resume(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Resume; return the pauses that are left."""
        answer = self._connection.request("DELETE", _PAUSES, params={"kind": kind, "name": name})
        return read_answer(WorkPauseList, answer).pauses


class HttpWeights(HttpPart):
    """Weights over HTTP; see `producer.client.link.WeightsLink`."""

    def all(self) -> tuple[Weight, ...]:
        """Return all weights, by kind and name."""
        return read_answer(WeightList, self._connection.get(_WEIGHTS)).weights

    def set(self, kind: Tenant, name: str, weight: float | None) -> tuple[Weight, ...]:
        """Set a weight, or take it away; return all weights."""
        body = {"kind": kind, "name": name, "weight": weight}
        return read_answer(WeightList, self._connection.request("PUT", _WEIGHTS, json=body)).weights


def submit(
    connection: Connection,
    path: str,
    key: str | None,
    *,
    method: str = "POST",
    headers: Mapping[str, str | bytes] | None = None,
    **body: Any,
) -> JobRecord:
    """Send a request that creates a job; its key makes it safe to repeat."""
    sent = {**key_header(key or new_id()), **(headers or {})}
    return record_of(connection.request(method, path, headers=sent, **body))


def record_of(view: Mapping[str, Any]) -> JobRecord:
    """Build a job's record from the API's response, which does not name its owner."""
    own = {name: view[name] for name in Job.model_fields if view.get(name) is not None}
    fields = {name: view[name] for name in JobRecord.model_fields if name in view}
    return read_answer(JobRecord, {**fields, "job": own})


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def _change(change: Change) -> Json:
    return change.model_dump(mode="json", exclude_defaults=True)


def _path(job_id: str) -> str:
    return f"/v1/jobs/{quoted(job_id)}"
