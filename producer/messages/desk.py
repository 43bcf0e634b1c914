"""Processes messages: each becomes a request to the in-process API, with its signing key's rights."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote

import httpx2
import orjson
import structlog
from anyio.from_thread import start_blocking_portal
from pydantic import ValidationError

from hopline.errors import InvalidInput
from hopline.models.problems import FieldError
from hopline.transport import ACT_AS_HEADER
from producer.api.app import create_app
from producer.api.problems import field_error
from producer.inside import HOST, Inside
from producer.messages.models import Kind, Refusal, ResultMessage, Submission, SubmitMessage
from producer.service.keys import SignedText
from workers.core.json_objects import parse_json
from workers.settings import Settings

if TYPE_CHECKING:
    from producer.service.service import Service

log = structlog.get_logger()
_M = TypeVar("_M", SubmitMessage, ResultMessage)
_UNAVAILABLE = 503
_INVALID = "urn:hopline:problem:invalid-input"
_PATIENCE = (
    45.0  # seconds that a message waits for a server, or for room: less than until it is given to another
)
_PAUSE = 2.0
_KEY = 200  # characters of an idempotency key
Json = dict[str, Any]
_SKEW = 300.0  # seconds by which a sender's clock may be ahead
_SIGNED = ("hopline_key_id", "hopline_time", "hopline_signature")


class Desk:
    """The tasks hopline.submit and hopline.result.

    They raise no errors, because senders do not know hopline's classes.

    Args:
        transport: carries requests to the API.
        longest: seconds that a message's signature is valid.
        patience: seconds that a message waits while no work is accepted, before it is refused.
    """

    def __init__(self, transport: httpx2.BaseTransport, longest: float, patience: float = _PATIENCE) -> None:
        self._longest = longest
        self._client = httpx2.Client(base_url=f"http://{HOST}", transport=transport)
        self._patience = patience
        self._stopped = threading.Event()

    def submit(self, kwargs: Mapping[str, Any], headers: Mapping[str, Any], task_id: str) -> dict[str, Any]:
        """Submit a job; return a Submission as JSON.

        Args:
            kwargs: a SubmitMessage.
            headers: key and signature, as documented in KeyHeaders.
            task_id: id of the message; a message delivered twice makes one job.
        """
        opened = self._open("hopline.submit", SubmitMessage, kwargs, headers, task_id)
        if isinstance(opened, Refusal):
            return _refused(opened)
        message, signed = opened
        own = {"Idempotency-Key": message.key or _key_of(task_id)}
        reply = self._send(
            submit_request(message), headers, own, {"reply_to": message.reply_to, "signed": signed}
        )
        if isinstance(reply, Refusal):
            return _refused(reply)
        view = reply.get("batch", reply)  # of documents
        submission = Submission(job_id=view["id"], state=view["state"])
        return submission.model_dump(mode="json", exclude_none=True)

    def result(self, kwargs: Mapping[str, Any], headers: Mapping[str, Any], task_id: str) -> dict[str, Any]:
        """Return a JobMessage as JSON.

        Args:
            kwargs: a ResultMessage.
            headers: key and signature, as documented in KeyHeaders.
            task_id: id of the message.
        """
        opened = self._open("hopline.result", ResultMessage, kwargs, headers, task_id)
        if isinstance(opened, Refusal):
            return _refused(opened)
        message, signed = opened
        reply = self._send(result_request(message), headers, {}, {"signed": signed})
        return _refused(reply) if isinstance(reply, Refusal) else {"job": reply}

    def close(self) -> None:
        """End the waits of messages in progress."""
        self._stopped.set()

    def _open(
        self,
        task: str,
        model: type[_M],
        kwargs: Mapping[str, Any],
        headers: Mapping[str, Any],
        task_id: str,
    ) -> tuple[_M, SignedText | None] | Refusal:
        """Return a message and its signature, or the reason for refusing it."""
        try:
            fields, signed = open_message(task, kwargs, headers, task_id, self._longest)
            return model.model_validate(fields), signed
        except Unsigned as error:
            return Refusal(status=401, type="urn:hopline:problem:unauthorized", detail=str(error))
        except InvalidInput as error:
            return Refusal(status=422, type=_INVALID, detail=str(error))
        except ValidationError as error:
            return _invalid(error)

    def _send(
        self,
        request: ApiRequest,
        headers: Mapping[str, Any],
        own: Mapping[str, str],
        state: Mapping[str, object],
    ) -> dict[str, Any] | Refusal:
        """Return the body of the API's reply, retrying for a while if it accepts no work."""
        until = time.monotonic() + self._patience
        while True:
            reply = self._send_once(request, {**_shown(headers), **own}, state)
            if not isinstance(reply, Refusal) or reply.status != _UNAVAILABLE:
                return reply
            pause = float(reply.retry_after or _PAUSE)
            if time.monotonic() + pause > until or self._stopped.wait(pause):
                return reply

    def _send_once(
        self, request: ApiRequest, headers: Mapping[str, str], state: Mapping[str, object]
    ) -> dict[str, Any] | Refusal:
        try:
            response = self._client.request(
                request.method,
                request.path,
                json=request.body,
                headers={
                    name.encode(): value.encode("utf-8", "backslashreplace")
                    for name, value in headers.items()
                },
                extensions={"state": dict(state)},
            )
            body: dict[str, Any] = response.json()
        except (httpx2.HTTPError, ValueError) as error:
            log.warning("message.unanswered", path=request.path, error=str(error))
            return Refusal(
                status=_UNAVAILABLE, type="urn:hopline:problem:unavailable", detail="no answer in time"
            )
        if response.is_success:
            return body
        after = response.headers.get("retry-after")
        return Refusal(
            status=response.status_code,
            type=body["type"],
            detail=body["detail"],
            errors=tuple(FieldError.model_validate(each) for each in body["errors"]),
            retry_after=int(after) if after else None,
        )


def _shown(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return the request header with the principals that a message acts for.

    A value that is not a string is sent as JSON, so that the API refuses and audits it like any other wrong
    value; leaving it out would give the message more rights than the sender meant.
    """
    acting = headers.get("hopline_act_as")
    return {} if acting is None else {ACT_AS_HEADER: text_of(acting)}


def _key_of(task_id: str) -> str:
    """Return the idempotency key of a message without one."""
    digest = hashlib.sha256(task_id.encode("utf-8", "backslashreplace")).hexdigest()
    return f"message:{digest[:40]}"


def _invalid(error: ValidationError) -> Refusal:
    errors = tuple(map(field_error, error.errors()))
    return Refusal(status=422, type=_INVALID, detail=errors[0].sentence, errors=errors[:20])


def _refused(refusal: Refusal) -> dict[str, Any]:
    return {"refused": refusal.model_dump(mode="json")}


@contextmanager
def open_desk(service: Service) -> Iterator[Desk]:
    """Run the API in a thread of this process, without a socket; yield the processor of messages.

    If there has never been an API key, everyone who reaches the broker may do everything.
    """
    app = create_app(service, loopback=True, mcp=False)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(app.router.lifespan_context(app)),
    ):
        inside = Inside(app, portal.call(asyncio.get_running_loop), {"via": "queue"})
        desk = Desk(inside, longest_age(service.services.settings))
        try:
            yield desk
        finally:
            desk.close()


class ApiRequest(NamedTuple):
    """A request to the API."""

    method: str
    path: str
    body: Json | None = None


def _with_body(path: str) -> Callable[[SubmitMessage], ApiRequest]:
    """Return a function for requests whose body also has collection and priority."""

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


class Unsigned(Exception):
    """A message's signature is incomplete, expired or malformed; the error's text says what to do."""


def longest_age(settings: Settings) -> float:
    """Return the seconds that a signature is valid, which is never longer than its job is kept."""
    return min(settings.message_age, settings.result_days * 86_400 - _SKEW)


def open_message(
    task: str, kwargs: Mapping[str, Any], headers: Mapping[str, Any], task_id: str, longest: float
) -> tuple[Mapping[str, Any], SignedText | None]:
    """Return a message's fields, and the signed text to be verified; None if it is not signed.

    Args:
        task: name of the task.
        kwargs: the fields; in a signed message only `signed`, their JSON text.
        headers: key and signature, as documented in KeyHeaders.
        task_id: id of the message.
        longest: seconds for which a signature is valid.

    Raises:
        Unsigned: it carries a plain key, or its signature cannot be valid.
        InvalidInput: the signed text is not a JSON object, or repeats a field.
    """
    if headers.get("hopline_key") is not None:
        raise Unsigned(
            "hopline_key is not accepted, because Redis would store the key: revoke that key, and sign "
            "messages with another (docs/messages.md#keys)"
        )
    shown = [headers.get(name) for name in _SIGNED]
    if all(value is None for value in shown):
        return kwargs, None
    key_id, at, signature = shown
    text = kwargs.get("signed")
    if not isinstance(key_id, str) or not isinstance(signature, str) or not isinstance(text, str):
        raise Unsigned(f"a signed message needs the headers {', '.join(_SIGNED)}, and its JSON as `signed`")
    if isinstance(at, bool) or not isinstance(at, int):
        raise Unsigned("hopline_time must be a whole number of seconds since 1970")
    age = time.time() - at
    if not -_SKEW <= age <= longest:
        raise Unsigned(
            f"signed {age:.0f} seconds ago; the limit is {longest:.0f} (HOPLINE_MESSAGE_AGE, and five "
            "minutes less than HOPLINE_RESULT_DAYS): sign it again, and check both machines' clocks"
        )
    acting = headers.get("hopline_act_as")
    head = [task, task_id, str(at), "" if acting is None else text_of(acting)]
    return _fields(text), SignedText(key_id=key_id, text="\n".join([*head, text]), signature=signature)


def text_of(value: Any) -> str:
    """Return a header's value: a text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _fields(text: str) -> Mapping[str, Any]:
    try:
        fields = parse_json(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput("signed", text[:100], "the JSON text of an object") from error
    if not isinstance(fields, dict):
        raise InvalidInput("signed", text[:100], "the JSON text of an object")
    return fields
