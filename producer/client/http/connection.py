"""Sends requests to the API: keeps connections, retries safe requests, raises the broker's errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx2
import stamina

from hopline.certificates import distrust, tls_context
from hopline.errors import DependencyAway, NotTheApi, Transient
from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.operation import KEPT_IN_KEYS
from hopline.problems import error_of
from hopline.traces import current_traceparent
from hopline.transport import ACT_AS_HEADER
from workers.settings import trusted_authorities

Answer = TypeVar("Answer", bound=Frozen)
TIMEOUT = httpx2.Timeout(60.0, connect=5.0)
_SILENCE = httpx2.Timeout(60.0, connect=5.0)  # of an event stream; the server gives a sign of life more often
_CONNECTIONS = httpx2.Limits(max_connections=512, max_keepalive_connections=64)
_ATTEMPTS = 8
_FIRST_ATTEMPTS = 3  # while it has never answered: then the address is wrong, or nothing runs there
_PATIENCE = 20.0  # seconds until an API that is away, or has no room, is reported
_LONGEST_WAIT = 5.0  # seconds between two attempts
# No request was sent: repeating it is safe, whatever it asks for.
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


def key_header(key: str) -> dict[str, str]:
    """Return an idempotency key as the API takes it: only characters that a header can hold."""
    return {"Idempotency-Key": quote(key, safe=KEPT_IN_KEYS)}


def acting_header(principals: Sequence[str] | None) -> dict[str, bytes]:
    """Return in whose name a request is made, as the API takes it; nothing for oneself."""
    return {} if principals is None else {ACT_AS_HEADER: ",".join(principals).encode()}


def _encoded(headers: Mapping[str, str | bytes]) -> list[tuple[bytes, bytes]]:
    return [
        (name.encode(), value if isinstance(value, bytes) else value.encode())
        for name, value in headers.items()
    ]


def _name_trace(request: httpx2.Request) -> None:
    if trace := current_traceparent():
        request.headers["traceparent"] = trace


def read_answer(kind: type[Answer], answer: Json) -> Answer:
    """Return an answer; fields that only a newer server knows are left out."""
    return kind.read_stored(answer)


class Connection:
    """The API at one address, with one key. It may be shared by threads.

    Args:
        url: without a slash at its end.
        api_key: None if the API needs none.
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
        self.url = url
        self._transport = transport
        self._headers: dict[str, str | bytes] = {
            "User-Agent": f"hopline/{version('hopline')}",
            **(headers or {}),
        }
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._lock = threading.Lock()
        self._opened: httpx2.Client | None = None
        self._has_answered = False

    def close(self) -> None:
        """Close what was opened; the next request opens it again."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def get(self, path: str, **params: Any) -> Any:
        """Get a path's JSON; parameters that are None are left out."""
        query = {name: value for name, value in params.items() if value is not None}
        return self.request("GET", path, params=query)

    def request(self, method: str, path: str, *, safe: bool = True, **options: Any) -> Any:
        """Return a reply's JSON.

        Args:
            method: of HTTP.
            path: begins with a slash, its parts quoted.
            safe: doing it twice is doing it once.
            **options: as httpx takes it: params, json, files, data, headers.

        Raises:
            HoplineError: as the same call over the broker; AccessDenied, TooManyJobs, NotTheApi.
                DependencyAway: the API does not answer. If it never has, this is raised within a second when
                connections are refused, and after one attempt of five seconds when nothing comes back; if
                it has answered before, after at most 20 seconds (it may be restarting).
        """
        unanswered = 0

        def again(error: Exception) -> bool | float:
            nonlocal unanswered
            unanswered += 1
            is_silent = isinstance(error.__cause__, httpx2.ConnectTimeout)  # packets are lost: 5 s each
            if not self._has_answered and (is_silent or unanswered >= _FIRST_ATTEMPTS):
                return False
            if not isinstance(error, Transient) or not (safe or isinstance(error.__cause__, _UNSENT)):
                return False
            return min(error.retry_after, _LONGEST_WAIT) if error.retry_after else True

        waits: dict[str, Any] = {"wait_initial": 0.1, "wait_max": 2.0, "wait_jitter": 0.2}
        for attempt in stamina.retry_context(on=again, attempts=_ATTEMPTS, timeout=_PATIENCE, **waits):
            with attempt:
                return self._once(method, path, options)
        raise AssertionError  # the last attempt returns or raises

    @contextmanager
    def events(self, path: str, after: str) -> Iterator[httpx2.Response | None]:
        """Open a stream of the server-sent events after an id; None if no more will come.

        Raises: as `request`; nothing is repeated.
        """
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        if after != "0":
            headers["Last-Event-ID"] = after
        try:
            with self._client.stream("GET", path, headers=headers, timeout=_SILENCE) as response:
                if response.status_code == httpx2.codes.NO_CONTENT:
                    yield None
                    return
                if response.status_code != httpx2.codes.OK:
                    response.read()
                    raise error_of(response)
                yield response
        except httpx2.TransportError as error:
            raise self._away(error) from error

    @property
    def _client(self) -> httpx2.Client:
        with self._lock:
            if self._opened is None:
                is_encrypted = urlsplit(self.url).scheme == "https"
                self._opened = httpx2.Client(
                    base_url=self.url,
                    headers=_encoded(self._headers),
                    timeout=TIMEOUT,
                    limits=_CONNECTIONS,
                    transport=self._transport,
                    verify=tls_context(trusted_authorities()) if is_encrypted else True,
                    event_hooks={"request": [_name_trace]},
                )
            return self._opened

    def _once(self, method: str, path: str, options: dict[str, Any]) -> Any:
        try:
            response = self._client.request(method, path, **options)
        except httpx2.TransportError as error:
            raise self._away(error) from error
        self._has_answered = True
        if not response.is_success:
            raise error_of(response)
        if response.status_code == HTTPStatus.NO_CONTENT:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise NotTheApi(f"{self.url}{path} does not answer in JSON: is it hopline's API?") from error

    def _away(self, error: httpx2.TransportError) -> DependencyAway:
        if why := distrust(error):
            return DependencyAway(f"the API at {self.url}: {why}")
        what = str(error) or type(error).__name__
        hint = "" if self._has_answered else "; is the address right, and does hopline run there?"
        return DependencyAway(f"the API at {self.url} does not answer: {what}{hint}")


class HttpPart:
    """A noun's calls over HTTP.

    Args:
        connection: to the API.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
