"""The Qdrant client calls that hopline uses, with errors classed by what a worker does with them.

Bodies are serialised here and handed to the client's generated API as bytes: its models would validate every
number of every vector and serialise it again, measured at three times the CPU (300 points of 256 numbers).
Queries, two in each search, go past the client: with its layers and those of httpx above a
connection a call took 1.3 to 2.1 ms of CPU, without them 0.6 to 1.3.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import httpx
import orjson
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http import models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from hopline.certificates import distrust, tls_context
from hopline.errors import Deferred, DependencyAway, Permanent, Transient
from hopline.models.jobs import Json
from workers.adapters.proxies import heeds_proxies, proxy_of
from workers.telemetry.traces.leaf import Leaf

Given = ParamSpec("Given")
Result = TypeVar("Result")
# Less than the 5 s after which a Qdrant server closes an idle connection, so that a request seldom meets one
# that is just being closed. (The client's own default is a new connection per call on localhost.)
_KEEP_SECONDS = 4.0
_DONE, _NOT_FOUND, _CONFLICT, _TOO_MANY, _SERVER_ERROR = 200, 404, 409, 429, 500
_WAIT = (_TOO_MANY, 503)  # busy, or on its way up


class NotThere(Permanent):
    """The Qdrant collection does not exist."""


ScoredPoint = tuple[str, float, Json | None]  # id, score, payload of a point that a search found


class QdrantCalls:
    """A thread-safe client that keeps its connections, one per thread.

    Args:
        url: URL of the server.
        api_key: where the server asks for one.
        timeout: seconds, rounded up, for connecting, sending and each wait for the reply.
        ca_file: certificate authorities to trust in addition to the system's.
    """

    def __init__(self, url: str, api_key: str | None, timeout: float, ca_file: Path | None = None) -> None:
        seconds = math.ceil(timeout)
        self._transport = ThreadTransport(_KEEP_SECONDS, proxy_of(url), ca_file)
        self._client = QdrantClient(
            url=url,
            **show_key(url, api_key),
            timeout=seconds,
            check_compatibility=False,  # a thread and a request per process
            transport=self._transport,
            trust_env=False,  # the transport knows the proxy
        )
        self._api = self._client.http
        self._address = self._api.client.host.rstrip("/")
        self._headers = {"Content-Type": "application/json"} | ({"api-key": api_key} if api_key else {})
        self._extensions = {"timeout": httpx.Timeout(seconds).as_dict()}

    def spaces(self) -> list[str]:
        """Return the names of all Qdrant collections."""
        return [collection.name for collection in _call(self._client.get_collections).collections]

    def create_space(self, name: str, dimension: int, distance: str, keywords: Sequence[str]) -> None:
        """Create a Qdrant collection with keyword indexes; one that is there already is completed."""
        params = models.VectorParams(size=dimension, distance=models.Distance(distance))
        with suppress(_Conflict):  # another process was first, and may have died before the indexes
            _call(self._client.create_collection, name, vectors_config=params)
        index = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD)
        for field in keywords:
            _call(self._client.create_payload_index, name, field, field_schema=index)

    def upsert(self, name: str, body: Json) -> None:
        """Write points; they are readable when this returns."""
        content = _content(body)
        _call(self._api.points_api.upsert_points, name, wait=True, point_insert_operations=content)

    def delete(self, name: str, body: Json) -> None:
        """Delete points and wait until they are deleted."""
        content = _content(body)
        _call(self._api.points_api.delete_points, name, wait=True, points_selector=content)

    def query(self, name: str, searches: Sequence[Json]) -> list[list[ScoredPoint]]:
        """Return the points found by each search, best first."""
        reply = _call(self._query_points, name, _content({"searches": searches}))
        try:
            return [
                [(point["id"], point["score"], point.get("payload")) for point in some["points"]]
                for some in reply["result"]
            ]
        except (KeyError, TypeError) as error:
            raise Permanent(f"vectors: the server's reply is not Qdrant's: {error!r}") from error

    def _query_points(self, name: str, content: bytes) -> Any:
        url = f"{self._address}/collections/{name}/points/query/batch"
        request = httpx.Request(
            "POST", url, headers=self._headers, content=content, extensions=self._extensions
        )
        try:
            response = self._transport.handle_request(request)
            response.read()
        except httpx.HTTPError as error:
            raise ResponseHandlingException(error) from error
        seconds = response.headers.get("Retry-After")
        if response.status_code == _TOO_MANY and seconds:
            raise ResourceExhaustedResponse(_reason(response.content), seconds)
        if response.status_code != _DONE:
            raise UnexpectedResponse.for_response(response)
        return orjson.loads(response.content)

    def retrieve(self, name: str, points: Sequence[str]) -> list[Json]:
        """Return the payloads of those points that exist."""
        content = _content({"ids": points, "with_payload": True})
        reply = _call(self._api.points_api.get_points, name, point_request=content)
        return [point.payload or {} for point in reply.result or []]

    def present(self, name: str, points: Sequence[str]) -> list[str]:
        """Return the ids of those points that exist."""
        content = _content({"ids": points, "with_payload": False, "with_vector": False})
        reply = _call(self._api.points_api.get_points, name, point_request=content)
        return [str(point.id) for point in reply.result or []]

    def count(self, name: str, body: Json) -> int:
        """Return how many points match."""
        content = _content(body)
        reply = _call(self._api.points_api.count_points, name, count_request=content)
        return reply.result.count if reply.result else 0


def show_key(url: str, api_key: str | None) -> Json:
    """Return the client's arguments that show a key; over plain HTTP it warns, but not on this machine."""
    if api_key is None or heeds_proxies(url):
        return {"api_key": api_key}
    return {"headers": {"api-key": api_key}}


class _Conflict(Permanent):
    """It exists already."""


def _content(body: Json) -> Any:  # Any: the generated API names the model that it would serialise
    return orjson.dumps(body)


def _call(request: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
    try:
        with _span(request):
            return request(*args, **kwargs)
    except ResourceExhaustedResponse as error:
        raise Deferred(f"vectors: too many requests: {error}", retry_after=error.retry_after_s) from error
    except UnexpectedResponse as error:
        _raise_status(error)
    except ResponseHandlingException as error:
        if isinstance(error.source, httpx.TransportError):
            why = distrust(error.source) or f"{type(error.source).__name__}: {error.source}"
            raise DependencyAway(f"vectors: {why}", dependency="vectors") from error
        raise Permanent(f"vectors: the server's reply is not Qdrant's: {error.source}") from error
    except ValueError as error:  # a reply that is not JSON
        raise Permanent(f"vectors: the server's reply is not Qdrant's: {error}") from error
    except QdrantException as error:
        raise Transient(f"vectors: {error}") from error


def _span(request: Callable[..., object]) -> Leaf:
    """Return the span of a request, named for the client's method."""
    name = getattr(request, "__name__", "request").lstrip("_")
    return Leaf(f"vectors {name}", {"db.system.name": "qdrant", "db.operation.name": name})


def _raise_status(error: UnexpectedResponse) -> NoReturn:
    text = f"vectors: {error.status_code}: {_reason(error.content)}"
    status = error.status_code or _SERVER_ERROR
    if status in _WAIT:
        raise DependencyAway(text, dependency="vectors") from error
    if status >= _SERVER_ERROR:
        raise Transient(text) from error
    kind = {_NOT_FOUND: NotThere, _CONFLICT: _Conflict}.get(status, Permanent)
    raise kind(text) from error


def _reason(content: bytes) -> str:
    try:
        return str(orjson.loads(content)["status"]["error"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return content[:200].decode("utf-8", "replace")


class ThreadTransport(httpx.BaseTransport):
    """One connection per thread, kept between calls.

    httpx's own pool is searched under a lock for every request, in time that grows with its connections
    (measured: 1.6 instead of 0.6 ms of CPU a call with 48 threads), and where threads outnumber connections
    it was seen to close one that another thread was using.

    Args:
        keep_seconds: how long an idle connection is kept; less than the server keeps it.
        proxy: address of the proxy that stands before the server.
        ca_file: certificate authorities to trust in addition to the system's.
    """

    def __init__(self, keep_seconds: float, proxy: str | None = None, ca_file: Path | None = None) -> None:
        self._proxy = proxy
        self._limits = httpx.Limits(
            max_connections=1, max_keepalive_connections=1, keepalive_expiry=keep_seconds
        )
        self._context = tls_context(ca_file)  # takes milliseconds, so it is shared
        self._own = threading.local()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send over the calling thread's connection."""
        transport: httpx.HTTPTransport | None = getattr(self._own, "transport", None)
        if transport is None:
            transport = httpx.HTTPTransport(verify=self._context, limits=self._limits, proxy=self._proxy)
            self._own.transport = transport
        return transport.handle_request(request)
