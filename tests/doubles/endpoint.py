"""A model's endpoint that answers by a script, over real HTTP."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Status, body and, if need be, headers; a body that is a text is sent as events if it begins so, and one
# whose length is told in the headers ends with its connection.
Reply = tuple[int, Any] | tuple[int, Any, dict[str, str]]
Script = Callable[[dict[str, Any]], Reply]


class Bodies(list[dict[str, Any]]):
    """The bodies that an endpoint got, in order.

    Attributes:
        paths: of the same requests, with what follows a question mark.
        headers: of the same requests, by names in small letters.
    """

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []


Start = Callable[[Script], tuple[str, Bodies]]


@contextmanager
def scripted_endpoints() -> Iterator[Start]:
    """Start endpoints, each by a script; a start returns the URL and the bodies that it gets."""
    started: list[ThreadingHTTPServer] = []

    def start(script: Script) -> tuple[str, Bodies]:
        seen = Bodies()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                seen.append(body)
                seen.paths.append(self.path)
                seen.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, reply, *more = script(body)
                headers = {"Content-Type": _media_type(reply)} | (more[0] if more else {})
                text = reply if isinstance(reply, str | bytes) else json.dumps(reply)
                raw = text.encode() if isinstance(text, str) else text
                self.send_response(status)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(raw)))
                self.close_connection = "Content-Length" in headers
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                """Stay quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        started.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1", seen

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def _media_type(reply: Any) -> str:
    if isinstance(reply, str):
        return "text/event-stream" if reply.startswith((":", "data")) else "text/html"
    return "application/json"


def said(content: str | None, **more: Any) -> Reply:
    message = {"role": "assistant", "content": content}
    return 200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"} | more]}


def refused(status: int, message: str, code: str | None = None) -> Reply:
    return status, {"error": {"message": message, "code": code}}


def streamed(*parts: str, ends: str = "stop", **more: Any) -> Reply:
    """A reply in pieces: its content, its end unless that is empty, what it took, and the mark of the end."""
    chunks: list[dict[str, Any]] = [{"choices": [_piece({"role": "assistant"})]}]
    chunks += [{"choices": [_piece({"content": part})]} for part in parts]
    chunks += [{"choices": [_piece({}) | {"finish_reason": ends}]}] if ends else []
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    whole = {"events": [*chunks, {"choices": [], "usage": usage}], "mark": "data: [DONE]\n\n", **more}
    events = "".join(f"data: {json.dumps(event)}\n\n" for event in whole["events"])
    return 200, f": connected\n\n{events}{whole['mark']}"


def _piece(delta: dict[str, Any]) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": None}
