"""HTTP client of one OpenAI-compatible endpoint; failures are classed by what a worker does with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, cast

import httpx2  # the HTTP library of the openai client
import openai
import orjson

from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.dialect import is_of_length
from workers.adapters.openai.hooks import azure_headers, bound_body, start_clock
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
_PAUSES = ("429", "503")  # codes of errors in the middle of a reply
_FILTERED, _TOO_LONG = "content_filter", "context_length_exceeded"  # codes of refusals
_TOO_LONG_IN_WORDS = "maximum context length"
_JSON = "application/json"
_DENIED, _UNKNOWN, _MISFIT = (401, 403), 404, (400, 422)
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
            raw = self._sent(path, body, seconds).content
        return self._object(raw)

    def stream(self, path: str, body: bytes, seconds: float, hear: Callable[[str], None]) -> dict[str, Any]:
        """Stream a completion; `hear` receives all content so far, and the result is as of `post`.

        An endpoint that answers in one piece all the same is understood. Whatever is wrong with the
        connection once all has come does not matter.

        Raises:
            CallFailed: with the class of the failure; a completion that ends too soon is a lost connection.
        """
        with self._failing(), closing(self._sent(path, body, seconds, stream=True)) as response:
            if response.headers.get("content-type", "").startswith(_JSON):
                return self._object(response.read())
            return self._pieces(response, hear).completion()

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

    def _pieces(self, response: httpx2.Response, hear: Callable[[str], None]) -> Pieces:
        pieces = Pieces()
        try:
            self._take_all(response, pieces, hear)
        except CallFailed as failed:
            failed.content = pieces.content
            raise
        return pieces

    def _take_all(self, response: httpx2.Response, pieces: Pieces, hear: Callable[[str], None]) -> None:
        try:
            for event in events_of(response.iter_bytes()):
                if pieces.take(event):
                    hear(pieces.content)
        except StreamFault as fault:
            raise self._broken(fault) from fault
        except httpx2.TransportError as error:
            if not pieces.whole:
                raise self._unreached(error) from error
        if not pieces.whole:
            cut = Transient(f"the reply of the model at {self._url} ended too soon")
            raise CallFailed(cut, free=False, again=True, came="broken")

    def _broken(self, fault: StreamFault) -> CallFailed:
        message = self._harmless(str(fault))
        if fault.code is None:
            return CallFailed(self._odd(message), free=False, again=True, came="broken")
        kind = DependencyAway if str(fault.code) in _PAUSES else Transient
        error = kind(f"the model failed in the middle of its reply: {message}")
        return CallFailed(error, free=False, again=True, came="broken")

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            raise self._unreached(error) from error

    def _object(self, raw: bytes) -> dict[str, Any]:
        try:
            payload = orjson.loads(raw)
        except orjson.JSONDecodeError:
            payload = None
        if isinstance(payload, dict) and payload.get("error") is None:
            return payload
        odd = self._odd(self._harmless(raw[:200].decode("utf-8", "replace")))
        raise CallFailed(odd, free=False, again=True, came="broken")

    def _odd(self, shown: str) -> Transient:
        return Transient(f"the model at {self._url} answered something else than its protocol: {shown}")

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
        status, complaint = error.status_code, self._complaint(error)
        if status == _UNPAID or (status == _TOO_MANY and error.code == "insufficient_quota"):
            broke = DependencyAway(
                f"the account at {self._url} is out of credit",
                retry_after=_OUT_OF_CREDIT_SECONDS,
                dependency=_NAME,
            )
            return CallFailed(broke, free=True, again=False)
        if status == _TOO_MANY:
            busy = Deferred(f"the model asks to wait (429): {complaint}", retry_after=_retry_after(error))
            return CallFailed(busy, free=True, again=True, came="busy")
        if status in _OUT_OF_SERVICE:
            message = f"the model is out of service ({status}): {complaint}"
            out = DependencyAway(message, retry_after=_retry_after(error), dependency=_NAME)
            return CallFailed(out, free=True, again=True, came="busy")
        if status >= _SERVER_ERROR or status in (408, 409):
            failed = Transient(f"the model failed ({status}): {complaint}", retry_after=_retry_after(error))
            came: Came = "broken" if status >= _SERVER_ERROR else "failed"
            return CallFailed(failed, free=status not in _LOST_BEHIND, again=True, came=came)
        return CallFailed(self._permanent(error, complaint), free=True, again=False)

    def _complaint(self, error: openai.APIStatusError) -> str:
        """Return the endpoint's words; some repeat the key that they do not know."""
        body = error.body
        return self._harmless(str((body.get("message") if isinstance(body, dict) else None) or error.message))

    def _harmless(self, text: str) -> str:
        return self._where.harmless(text)[:500]

    def _permanent(self, error: openai.APIStatusError, complaint: str) -> Permanent:
        status = error.status_code
        if status in _MISFIT and error.code == _FILTERED:
            return ModelRefused(f"the model's filter stopped the request: {complaint}")
        too_long = error.code == _TOO_LONG or _TOO_LONG_IN_WORDS in complaint
        other_form = status in _MISFIT and (not too_long or is_of_length(complaint))
        if other_form or (status == _TOO_LARGE and "batch" in complaint.casefold()):
            return RequestRefused(
                f"the model refused the request ({status}): {complaint}", complaint, too_long=too_long
            )
        if status in _DENIED:
            denied = (
                f"the model at {self._url} denies access ({status}): check HOPLINE_MODEL_KEY. {complaint}"
            )
            return DependencyRefuses(denied, dependency=_NAME)
        if status == _UNKNOWN:
            advice = (
                f"nothing at {self._url} answers to this model's name (404): "
                f"check HOPLINE_MODEL_URL (it usually ends in /v1) and HOPLINE_MODEL. {complaint}"
            )
            # A router of models says so, too, where it has none of this name that takes tools.
            if "tool" in complaint:
                return RequestRefused(advice, complaint)
            return DependencyRefuses(advice, dependency=_NAME)
        return Permanent(f"the model refused the request ({status}): {complaint}")


def _retry_after(error: openai.APIStatusError) -> float | None:
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None  # absent, or a date: the back-off of the ledger is used
