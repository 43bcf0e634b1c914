"""An HTTP server on the loopback that gives prepared replies in turn, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Reply:
    """One reply, so many seconds after its request.

    `cut` ends it before its body is complete, `dropped` before its first byte.
    """

    status: int = 200
    body: bytes | str | Mapping[str, Any] | Sequence[Any] = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    dropped: bool = False
    after: float = 0.0

    @property
    def content(self) -> bytes:
        """The body."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


DROPPED = Reply(dropped=True)


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    target: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def path(self) -> str:
        """Its path as it was written."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, list[str]]:
        """Its query string."""
        return parse_qs(urlsplit(self.target).query, keep_blank_values=True)

    @property
    def json(self) -> Any:
        """Its body."""
        return json.loads(self.content)


class ScriptedApi:
    """The server.

    Args:
        replies: in turn; the last one is given again and again.
        port: 0 for any free one.
    """

    def __init__(self, *replies: Reply, port: int = 0) -> None:
        self.asked: list[Asked] = []
        self._left = list(replies)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                api.asked.append(Asked(self.command, self.path, dict(self.headers.items()), content))
                reply = api._left.pop(0) if len(api._left) > 1 else api._left[0]
                self.close_connection = True
                time.sleep(reply.after)
                if reply.dropped:
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.content) + reply.cut))
                self.end_headers()
                self.wfile.write(reply.content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - the library's names

            def log_message(self, *_told: Any) -> None:
                """Print nothing."""

        return Handler


@contextmanager
def scripted(*replies: Reply) -> Iterator[ScriptedApi]:
    """Serve replies until the block is left."""
    api = ScriptedApi(*replies)
    try:
        yield api
    finally:
        api.close()
