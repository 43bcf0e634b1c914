"""HTTP client of one OpenAI-compatible endpoint; failures are classed by what a worker does with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any, cast

import httpx2  # the HTTP library of the openai client
import openai
import orjson

from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.complaints import Complaint, read_complaint, wait_asked
from workers.adapters.openai.dialect import is_of_form, is_of_length
from workers.adapters.openai.hooks import azure_headers, bound_body, start_clock
from workers.adapters.openai.replies import broken_off
from workers.adapters.openai.stream import Pieces, StreamFault, events_of
from workers.adapters.proxies import heeds_proxies
from workers.core.errors import (
    Deferred,
    DependencyAway,
    DependencyRefuses,
    HoplineError,
    ModelRefused,
    Permanent,
    Transient,
)
from workers.core.models.permits import Came

CONNECT_SECONDS = 5.0
_CONNECTIONS = httpx2.Limits(max_connections=256, max_keepalive_connections=256, keepalive_expiry=30.0)
_UNPAID, _TOO_LARGE = 402, 413
_TOO_MANY, _SERVER_ERROR, _OUT_OF_SERVICE = 429, 500, (503, 529)
# A gateway gave up what stands behind it, which may have answered: bad gateway, time-outs, Cloudflare's own.
_LOST_BEHIND = frozenset((502, 504, *range(520, 528)))
_FILTERED, _TOO_LONG, _NO_QUOTA = "content_filter", "context_length_exceeded", "insufficient_quota"  # codes
_TOO_LONG_IN_WORDS = "maximum context length"
_JSON, _EVENTS = "application/json", "text/event-stream"
_DENIED, _UNKNOWN, _UNFIT, _NOT_IMPLEMENTED = (401, 403), (404, 405), (400, 422), 501
_ERRORS = frozenset(map(str, range(400, 600)))  # statuses
# Said of a path, with whatever status: no model's API is at this address.
_NO_PATH = re.compile(
    r"unexpected endpoint|(?:route|path|page|url|endpoint)\W.{0,200}not found|cannot post|404 page not found|"
    r"not found: (?:post )?/|unsupported (?:path|endpoint)|invalid url",
    re.IGNORECASE | re.DOTALL,
)
_CONTENTS = frozenset(("choices", "data", "embeddings"))  # of a reply one is there
_OUT_OF_CREDIT_SECONDS = 60.0
_NAME = "model"  # of its breaker; an embedder's is named where its calls are made


class RequestRefused(Permanent):
    """The endpoint took the request for malformed; perhaps it knows another form of it.

    Attributes:
        complaint: its words.
        too_long: prompt and reply together are; a shorter reply alone may help.
    """

    def __init__(self, message: str, complaint: str, *, too_long: bool = False) -> None:
        super().__init__(message)
        self.complaint = complaint
        self.too_long = too_long


class ServerFailed(Transient):
    """The endpoint failed of itself (500 and above), perhaps at this form of request alone."""


class CallFailed(Exception):
    """One HTTP call failed.

    Attributes:
        error: what the worker is told if this was the last try.
        free: the endpoint answered, or was not reached, before any generation: it certainly took nothing.
        again: an immediate second try may help.
        came: what the rate limiter is told of the call.
        content: of the reply, as far as it had come.
    """

    def __init__(self, error: HoplineError, *, free: bool, again: bool, came: Came = "failed") -> None:
        super().__init__(str(error))
        self.error = error
        self.free = free
        self.again = again
        self.came = came
        self.content = ""


class Endpoint:
    """Posts JSON through the openai client; thread-safe, connections are kept and shared."""

    def __init__(self, where: ModelEndpoint) -> None:
        self.url = self._url = where.shown
        self._where = where
        sent = [start_clock, azure_headers(where.base)] if where.azure else [start_clock]
        hooks: dict[str, list[Any]] = {"request": sent, "response": [bound_body]}
        self._client = openai.OpenAI(
            base_url=where.base,
            api_key=where.key or "none",
            default_query=where.query,
            default_headers=where.headers if where.azure else None,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(
                limits=_CONNECTIONS,
                event_hooks=hooks,
                trust_env=heeds_proxies(where.url),
            ),
        )

    def path(self, path: str, model: str) -> str:
        """Return the path of an operation for a model at this endpoint."""
        return self._where.path(path, model)

    def post(self, path: str, body: bytes, seconds: float) -> dict[str, Any]:
        """Return the JSON object of the reply, which must be there, whole, after that many seconds.

        The body goes and comes as bytes: building the client's typed objects would double its CPU time
        (measured: 1.3 ms for a typed chat call, 0.6 ms for this).

        Raises:
            CallFailed: with the class of the failure.
        """
        with self._failing():
            response = self._sent(path, body, seconds)
        if response.headers.get("content-type", "").startswith(_EVENTS):  # asked for or not
            return self._pieces([response.content], lambda _content: None, response.headers).completion()
        return self._object(response.content, response.headers)

    def stream(self, path: str, body: bytes, seconds: float, hear: Callable[[str], None]) -> dict[str, Any]:
        """Stream a completion; `hear` receives all content so far, and the result is as of `post`.

        An endpoint that answers in one piece all the same is understood. Whatever is wrong with the
        connection once all has come does not matter.

        Raises:
            CallFailed: with the class of the failure; a completion that ends too soon is a lost connection.
        """
        with self._failing(), closing(self._sent(path, body, seconds, stream=True)) as response:
            parts = response.iter_bytes()
            begun = b""
            while not begun.strip() and (part := next(parts, None)) is not None:
                begun += part
            if response.headers.get("content-type", "").startswith(_JSON) or begun.lstrip()[:1] == b"{":
                return self._object(begun + b"".join(parts), response.headers)
            return self._pieces(chain([begun], parts), hear, response.headers).completion()

    def _sent(self, path: str, body: bytes, seconds: float, *, stream: bool = False) -> httpx2.Response:
        timeout = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        response = self._client.post(
            path,
            cast_to=httpx2.Response,
            content=body,
            options={"timeout": timeout, "headers": {"Content-Type": _JSON}},
            stream=stream,
            stream_cls=openai.Stream[object],
        )
        return cast("httpx2.Response", response)

    def _pieces(
        self, parts: Iterable[bytes], hear: Callable[[str], None], headers: Mapping[str, str]
    ) -> Pieces:
        pieces = Pieces()
        try:
            self._take_all(parts, pieces, hear, headers)
        except CallFailed as failed:
            failed.content = pieces.content
            raise
        return pieces

    def _take_all(
        self, parts: Iterable[bytes], pieces: Pieces, hear: Callable[[str], None], headers: Mapping[str, str]
    ) -> None:
        try:
            for event in events_of(parts):
                if pieces.take(event):
                    hear(pieces.content)
        except StreamFault as fault:
            odd = fault.complaint.model_copy(update={"is_page": False})  # it is an API that streams events
            raise self._in_the_reply(odd, headers, is_begun=bool(pieces.content)) from fault
        except httpx2.TransportError as error:
            if not pieces.whole:
                raise self._unreached(error) from error
        if not pieces.whole:
            cut = Transient(f"the reply of the model at {self._url} ended too soon")
            raise CallFailed(cut, free=False, again=True, came="broken")
        self._check_end(pieces.completion())

    def _check_end(self, payload: dict[str, Any]) -> None:
        if finish := broken_off(payload):
            error = Transient(f"the model at {self._url} broke its reply off: {finish}")
            raise CallFailed(error, free=False, again=True, came="broken")

    def _in_the_reply(
        self, complaint: Complaint, headers: Mapping[str, str], *, is_begun: bool = False
    ) -> CallFailed:
        """Class an error that came with the status of success, in place of a reply or in the middle of it."""
        if complaint.code in _ERRORS:
            failed = self._classed(int(complaint.code), complaint, headers)
            failed.free = failed.free and not is_begun
            return failed
        words = self._where.harmless(complaint.words)[:500]
        if complaint.is_page or _NO_PATH.search(complaint.words):
            return CallFailed(self._misplaced("200", words), free=True, again=False)
        said = (
            "failed in the middle of its reply"
            if complaint.code
            else "answered something else than its protocol"
        )
        error = Transient(f"the model at {self._url} {said}: {words}")
        return CallFailed(error, free=False, again=True, came="broken")

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            raise self._unreached(error) from error

    def _object(self, raw: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
        try:
            payload = orjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError:
            payload = None
        if not isinstance(payload, dict) or payload.get("error") or _CONTENTS.isdisjoint(payload):
            raise self._in_the_reply(read_complaint(raw), headers)
        self._check_end(payload)
        return payload

    def _unreached(self, error: Exception) -> CallFailed:
        cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
        if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
            away = DependencyAway(f"the model at {self._url} cannot be reached: {cause}", dependency=_NAME)
            return CallFailed(away, free=True, again=False)
        if isinstance(cause, httpx2.TimeoutException):
            late = Transient(f"the model at {self._url} did not answer in time")
            own = isinstance(cause, httpx2.PoolTimeout)
            return CallFailed(late, free=own, again=False, came="failed" if own else "broken")
        dropped = Transient(f"the model at {self._url} dropped the connection: {cause}")
        return CallFailed(dropped, free=False, again=True, came="broken")

    def _refused(self, error: openai.APIStatusError) -> CallFailed:
        return self._classed(
            error.status_code, read_complaint(error.response.content), error.response.headers
        )

    def _classed(self, status: int, complaint: Complaint, headers: Mapping[str, str]) -> CallFailed:
        """Class what an endpoint refused, by its status first and then by its words."""
        words, wait = self._where.harmless(complaint.words)[:500], wait_asked(headers)
        if status == _UNPAID or (status == _TOO_MANY and complaint.code == _NO_QUOTA):
            broke = DependencyAway(
                f"the account at {self._url} is out of credit",
                retry_after=_OUT_OF_CREDIT_SECONDS,
                dependency=_NAME,
            )
            return CallFailed(broke, free=True, again=False)
        if status == _TOO_MANY:
            busy = Deferred(f"the model asks to wait (429): {words}", retry_after=wait)
            return CallFailed(busy, free=True, again=True, came="busy")
        if status in _OUT_OF_SERVICE:
            message = f"the model is out of service ({status}): {words}"
            out = DependencyAway(message, retry_after=wait, dependency=_NAME)
            return CallFailed(out, free=True, again=True, came="busy")
        if status == _NOT_IMPLEMENTED or (status == _SERVER_ERROR and is_of_form(complaint.words)):
            return CallFailed(self._unfit(status, words), free=True, again=False)
        if status >= _SERVER_ERROR or status in (408, 409):
            failed = ServerFailed(f"the model failed ({status}): {words}", retry_after=wait)
            came: Came = "broken" if status >= _SERVER_ERROR else "failed"
            return CallFailed(failed, free=status not in _LOST_BEHIND, again=True, came=came)
        return CallFailed(self._permanent(status, complaint, words), free=True, again=False)

    def _unfit(self, status: int, words: str, *, too_long: bool = False) -> RequestRefused:
        message = f"the model at {self._url} refused the request ({status}): {words}"
        return RequestRefused(message, words, too_long=too_long)

    def _misplaced(self, status: object, words: str) -> DependencyRefuses:
        advice = (
            f"no API of a model is at {self._url} ({status}): check HOPLINE_MODEL_URL "
            f"(it usually ends in /v1). {words}"
        )
        return DependencyRefuses(advice, dependency=_NAME)

    def _permanent(self, status: int, complaint: Complaint, words: str) -> Permanent:
        if status in _UNFIT and complaint.code == _FILTERED:
            return ModelRefused(f"the model's filter stopped the request: {words}")
        too_long = complaint.code == _TOO_LONG or _TOO_LONG_IN_WORDS in words
        other_form = status in _UNFIT and (not too_long or is_of_length(words))
        # A router of models says 404 where it has none of this name that takes such requests.
        misplaced = complaint.is_page or _NO_PATH.search(words)
        if other_form or status == _TOO_LARGE or (status in _UNKNOWN and is_of_form(words) and not misplaced):
            return self._unfit(status, words, too_long=too_long or status == _TOO_LARGE)
        if status in _DENIED:
            denied = f"the model at {self._url} denies access ({status}): check HOPLINE_MODEL_KEY. {words}"
            return DependencyRefuses(denied, dependency=_NAME)
        if status in _UNKNOWN:
            if misplaced:
                return self._misplaced(status, words)
            advice = (
                f"nothing at {self._url} answers to this model's name ({status}): "
                f"check HOPLINE_MODEL_URL (it usually ends in /v1) and HOPLINE_MODEL. {words}"
            )
            return DependencyRefuses(advice, dependency=_NAME)
        return Permanent(f"the model at {self._url} refused the request ({status}): {words}")
