"""HTTP client of one OpenAI-compatible endpoint."""

from __future__ import annotations

import time
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
from workers.adapters.openai.complaints import Complaint, read_complaint
from workers.adapters.openai.failures import OF_CHAT, CallFailed, Failures
from workers.adapters.openai.replies import broken_off, error_in, objects_in, text_of, thoughts_of
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
    """Return whether a reply without an end marker is complete: an object, perhaps with a fence after it."""
    return content.rstrip("` \r\n\t").endswith("}") and next(objects_in(content), None) is not None


_DEADLINE = "hopline.deadline"
_CHANGING_METHOD, _SAME_METHOD = (301, 302), 307


def start_clock(request: httpx2.Request) -> None:
    """Set the deadline for the whole body of the response."""
    request.extensions[_DEADLINE] = time.monotonic() + request.extensions["timeout"]["read"]


def azure_headers(base: str) -> Callable[[httpx2.Request], None]:
    """Return a hook that leaves only Azure's own key header, and that only on requests to Azure's host.

    Azure expects the key in a header of the request, not of the client, which would also send it to other
    servers after a redirect.
    """
    home = _origin(httpx2.URL(base))

    def take_out(request: httpx2.Request) -> None:
        request.headers.pop("Authorization", None)
        if _origin(request.url) != home:
            request.headers.pop("api-key", None)

    return take_out


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def bound_body(response: httpx2.Response) -> None:
    """Limit the time of the whole body; the client's own limit restarts with every byte."""
    deadline = response.request.extensions[_DEADLINE]
    response.stream = _Bounded(response.stream, deadline)  # type: ignore[arg-type]


def keep_method(response: httpx2.Response) -> None:
    """Make a 301 or 302 redirect (http to https, a trailing slash) repeat the request with its body."""
    if response.status_code in _CHANGING_METHOD:
        response.status_code = _SAME_METHOD


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the body came too slowly")
            yield part

    def close(self) -> None:
        self._stream.close()


_DATA, _END = b"data:", b"DONE"
_NOTHING = (b"null", b'""')  # sent to keep the connection open


class StreamFault(Exception):
    """An event of a stream is not a chat completion's, or reports an error.

    Attributes:
        complaint: its message, with the code "" if it reports none.
    """

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.words)
        self.complaint = complaint


def events_of(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of each event; skip names, and comments that keep the connection open.

    An event of a chat completion is one line, and some endpoints leave out the empty line after it, so a line
    is an event, unless it begins an object that a later line closes. Lines may end in a line feed, a carriage
    return, or both; some endpoints send lines of JSON alone.
    """
    begun: list[bytes] = []
    for line in _lines(parts):
        if line.startswith(b"{"):
            data = line.strip()
        elif line.startswith(_DATA):
            data = line.removeprefix(_DATA).strip()
        else:
            if begun and not line.strip():
                yield b"\n".join(begun)
                begun = []
            continue
        if begun or (data.startswith(b"{") and not data.endswith(b"}")):
            begun.append(data)
            if data.endswith(b"}") and is_json(whole := b"\n".join(begun)):
                yield whole
                begun = []
        elif data:
            yield data
    if begun:
        yield b"\n".join(begun)


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    rest, is_first = b"", True
    for part in parts:
        lines = (rest + part).splitlines(keepends=True)
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            yield line.removeprefix(b"\xef\xbb\xbf") if is_first else line
            is_first = False
    yield rest.removeprefix(b"\xef\xbb\xbf") if is_first else rest


class Pieces:
    """The pieces of one completion, joined as they arrive."""

    def __init__(self) -> None:
        self.content = ""
        self._thoughts = ""
        self._refusal = ""
        self._finish: str | None = None
        self._usage: dict[str, Any] | None = None
        self._seen = False  # a piece of a choice
        self._ended = False  # by the mark of the end

    @property
    def whole(self) -> bool:
        """Whether the completion is complete, even if the connection drops now; usage may lack."""
        return self._seen and (self._ended or self._finish is not None)

    def take(self, data: bytes) -> bool:
        """Take an event in; return whether the content grew.

        Raises:
            StreamFault: it is no piece of a chat completion.
        """
        if data in _NOTHING:
            return False
        if data.strip(b'"[] ').upper() == _END:
            self._ended = True
            return False
        chunk = _chunk(data)
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        before = len(self.content)
        for choice in chunk.get("choices") or ():
            self._add(choice)
        return len(self.content) > before

    def _add(self, choice: Any) -> None:
        if not isinstance(choice, dict) or choice.get("index") not in (None, 0, "0"):
            return  # one was asked for
        self._seen = True
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self.content += text_of(delta.get("content"))
            self._refusal += text_of(delta.get("refusal"))
            self._thoughts += thoughts_of(delta)
        elif isinstance(choice.get("text"), str):
            self.content += choice["text"]
        self._finish = choice.get("finish_reason") or self._finish

    def completion(self) -> dict[str, Any]:
        """Return the completion as if it had come in one piece."""
        message = {"role": "assistant", "content": self.content, "refusal": self._refusal or None}
        if self._thoughts:
            message["reasoning"] = self._thoughts
        choices = [{"index": 0, "message": message, "finish_reason": self._finish}]
        return {"choices": choices} | ({"usage": self._usage} if self._usage is not None else {})


def _chunk(data: bytes) -> dict[str, Any]:
    try:
        chunk = without_envelope(decode_json(data))
    except ValueError:
        chunk = None
    if not isinstance(chunk, dict) or not isinstance(chunk.get("choices") or [], list):
        raise StreamFault(read_complaint(data))
    told = "choices" not in chunk and isinstance(chunk.get("message") or chunk.get("detail"), str)
    if chunk.get("error") or told or (within := error_in(chunk)):
        complaint = read_complaint(data if chunk.get("error") or told else within)
        raise StreamFault(complaint.model_copy(update={"code": complaint.code or "error"}))
    return chunk
