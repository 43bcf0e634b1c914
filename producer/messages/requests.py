"""The HTTP requests that messages stand for, so that both are checked, limited and done alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

from producer.messages.models import Kind, ResultMessage, SubmitMessage

Json = dict[str, Any]


class ApiRequest(NamedTuple):
    """A request to the API."""

    method: str
    path: str
    body: Json | None = None


def _with_body(path: str) -> Callable[[SubmitMessage], ApiRequest]:
    """Return what makes requests whose body names collection and priority, too."""

    def make(message: SubmitMessage) -> ApiRequest:
        return ApiRequest(
            "POST", path, message.params | {"collection": message.collection, "priority": message.priority}
        )

    return make


def _of_collection(action: str) -> Callable[[SubmitMessage], ApiRequest]:
    def make(message: SubmitMessage) -> ApiRequest:
        return ApiRequest("POST", f"/v1/collections/{quote(message.collection)}/{action}", message.params)

    return make


def _delete(message: SubmitMessage) -> ApiRequest:
    name = quote(str(message.params.get("document_id", "")), safe="")
    erase = "?erase=true" if message.params.get("erase") else ""
    return ApiRequest("DELETE", f"/v1/documents/{name}{erase}")


_MAKERS: dict[Kind, Callable[[SubmitMessage], ApiRequest]] = {
    "query": _with_body("/v1/queries"),
    "documents": _with_body("/v1/documents"),
    "concept": _with_body("/v1/concepts?wait=0"),
    "delete": _delete,
    "merge": _of_collection("merge"),
    "topics": _of_collection("topics"),
    "reindex": _of_collection("reindex"),
}


def submit_request(message: SubmitMessage) -> ApiRequest:
    """Return the request that submits the same job."""
    return _MAKERS[message.kind](message)


def result_request(message: ResultMessage) -> ApiRequest:
    """Return the request that shows the same job."""
    return ApiRequest("GET", f"/v1/jobs/{message.job_id}?wait={message.wait:g}")
