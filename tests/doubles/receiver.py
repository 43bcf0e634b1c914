"""A webhook's receiver: a real HTTP server that keeps what it was sent and answers as a test tells it."""

import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Got:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers with the statuses in turn, then with 204."""

    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    got: list[Got] = field(default_factory=list)
    tls: ssl.SSLContext | None = None
    open: threading.Event = field(default_factory=threading.Event)  # answers wait until it is set

    def __post_init__(self) -> None:
        self.open.set()

    def start(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        if self.tls:
            self._server.socket = self.tls.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks?of=hopline"

    def stop(self) -> None:
        self.open.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(Got(self.path, dict(self.headers.items()), body))
            receiver.open.wait(60)
            status, headers = receiver.answers.pop(0) if receiver.answers else (204, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    return Handler
