"""HTTP hooks that run on every request to a model endpoint and on its response."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx2

_DEADLINE = "hopline.deadline"
_CHANGING_METHOD, _SAME_METHOD = (301, 302), 307


def start_clock(request: httpx2.Request) -> None:
    """Set the deadline for the whole body of the response."""
    request.extensions[_DEADLINE] = time.monotonic() + request.extensions["timeout"]["read"]


def azure_headers(base: str) -> Callable[[httpx2.Request], None]:
    """Return a hook that leaves only Azure's own key header, and that only on requests to Azure's host.

    Azure wants the key in a header of its own, not in the client's; where a redirect leads to another server,
    the client would send that header along.
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
