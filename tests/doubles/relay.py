"""A second address of a server."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Relay:
    """Passes bytes to a port of this machine and back."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End all connections, and take no more."""
        self._listening.close()
        self.cut()

    def lead_to(self, port: int) -> None:
        """Pass what comes from now on to another port; connections that are open stay where they are."""
        self._to = port

    def cut(self) -> int:
        """End the connections that are open, in the middle of whatever they carry; return how many."""
        cut, self._open = self._open, []
        for connection in cut:
            with suppress(OSError):  # it was ended by its other side
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        return len(cut) // 2

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                self._open += [client, server]
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=_pass, args=pair, daemon=True).start()


def _pass(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
