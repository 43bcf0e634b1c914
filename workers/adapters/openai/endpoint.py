"""HTTP client of one OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any, cast

import httpx2  # the HTTP library of the openai client
import openai

from hopline.certificates import tls_context
from hopline.errors import Transient
from workers.adapters.openai.address import ModelEndpoint
from workers.adapters.openai.bodies import are_events, decode_json, is_json, without_envelope
from workers.adapters.openai.complaints import read_complaint
from workers.adapters.openai.failures import OF_CHAT, CallFailed, Failures
from workers.adapters.openai.hooks import azure_headers, bound_body, keep_method, start_clock
from workers.adapters.openai.replies import broken_off, error_in, objects_in
from workers.adapters.openai.stream import Pieces, StreamFault, events_of
from workers.adapters.proxies import heeds_proxies

CONNECT_SECONDS = 5.0
_CONNECTIONS = httpx2.Limits(max_connections=256, max_keepalive_connections=256, keepalive_expiry=30.0)
_JSON = "application/json"
_VECTORS = ("data", "embeddings", "embedding")  # a reply without choices has one of these


class Endpoint:
    """Posts JSON through the openai client; thread-safe, connections are kept and shared.

    Args:
        where: it is.
        settings: what the settings of its address and key begin with.
    """

    def __init__(self, where: ModelEndpoint, settings: str = OF_CHAT) -> None:
        self.url = self._url = where.shown
        self._where = where
        self._failures = Failures(where, settings)
        sent = [start_clock, azure_headers(where.base)] if where.azure else [start_clock]
        hooks: dict[str, list[Any]] = {"request": sent, "response": [bound_body, keep_method]}
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
                verify=tls_context(where.ca_file),
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
        with self._failing(), closing(self._sent(path, body, seconds, stream=True)) as response:
            return self._whole(self._read(response), response)

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
            if begun.lstrip().startswith((b"{", b"[", b"<", b'"')) or self._is_wide(response):
                return self._whole(begun + b"".join(parts), response)  # a web page is no stream either
            return self._pieces(chain([begun], parts), hear, response).completion()

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

    def _read(self, response: httpx2.Response) -> bytes:
        """Return the body; if the connection is lost, what has arrived, provided it is complete JSON."""
        raw = bytearray()
        try:
            for part in response.iter_bytes():
                raw += part
        except httpx2.RemoteProtocolError:
            if not is_json(bytes(raw)):
                raise
        return bytes(raw)

    def _is_wide(self, response: httpx2.Response) -> bool:
        """Return whether the body's encoding (UTF-16, UTF-32) prevents splitting its bytes into lines."""
        return (response.charset_encoding or "").casefold().startswith(("utf-16", "utf-32"))

    def _whole(self, raw: bytes, response: httpx2.Response) -> dict[str, Any]:
        """Return the object of a complete body, which may be a stream that was not requested."""
        try:
            payload = without_envelope(decode_json(raw, response.charset_encoding))
        except ValueError:
            if are_events(raw):
                return self._pieces([raw], lambda _content: None, response).completion()
            payload = None
        return self._object(payload, raw, response)

    def _pieces(
        self, parts: Iterable[bytes], hear: Callable[[str], None], response: httpx2.Response
    ) -> Pieces:
        pieces = Pieces()
        try:
            self._take_all(parts, pieces, hear, response)
        except CallFailed as failed:
            failed.content = pieces.content
            raise
        return pieces

    def _take_all(
        self, parts: Iterable[bytes], pieces: Pieces, hear: Callable[[str], None], response: httpx2.Response
    ) -> None:
        try:
            for event in events_of(parts):
                if pieces.take(event):
                    hear(pieces.content)
        except StreamFault as fault:
            odd = fault.complaint.model_copy(update={"is_page": False})  # it is an API that streams events
            raise self._failures.in_the_reply(odd, response, is_begun=bool(pieces.content)) from fault
        except httpx2.RequestError as error:
            if not pieces.whole:
                raise self._failures.unreached(error) from error
        if not (pieces.whole or _ends_with_object(pieces.content)):
            cut = Transient(f"the reply of the model at {self._url} ended too soon")
            raise CallFailed(cut, free=False, again=True, came="broken")
        self._check_end(pieces.completion())

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except openai.APIStatusError as error:
            raise self._failures.refused(error) from error
        except (openai.APIConnectionError, httpx2.RequestError) as error:
            raise self._failures.unreached(error) from error

    def _object(self, payload: Any, raw: bytes, response: httpx2.Response) -> dict[str, Any]:
        if isinstance(payload, list) and payload:
            first = payload[0]
            if not (isinstance(first, dict) and "error" in first):  # vectors without a wrapper, or one vector
                payload = {"data": [payload] if isinstance(first, int | float) else payload}
        is_reply = isinstance(payload, dict) and (
            (isinstance(payload.get("choices"), list) and payload["choices"])
            or any(payload.get(name) is not None for name in _VECTORS)
        )
        if not is_reply or payload.get("error"):
            raise self._failures.in_the_reply(read_complaint(raw), response)
        if error := error_in(payload):
            raise self._failures.in_the_reply(read_complaint(error), response)
        self._check_end(payload)
        return cast("dict[str, Any]", payload)

    def _check_end(self, payload: dict[str, Any]) -> None:
        if finish := broken_off(payload):
            error = Transient(f"the model at {self._url} broke its reply off: {finish}")
            raise CallFailed(error, free=False, again=True, came="broken")


def _ends_with_object(content: str) -> bool:
    """Return whether a reply is whole though nothing said so: an object, perhaps with a fence after it."""
    return content.rstrip("` \r\n\t").endswith("}") and next(objects_in(content), None) is not None
