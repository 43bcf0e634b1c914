"""A second address of a server."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress


class Relay:
    """Passes bytes to a port of this machine and back."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._withheld_word, self._withheld_after = b"", 0
        self.withheld = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End all connections, and take no more."""
        self._listening.close()
        self.cut()

    def lead_to(self, port: int) -> None:
        """Pass what comes from now on to another port; connections that are open stay where they are."""
        self._to = port

    def withhold(self, word: bytes, after: int = 0) -> None:
        """Pass nothing of the server any more from when it says a word; `withheld` is set then.

        Args:
            word: said by the server.
            after: how often it may say it before.
        """
        self._withheld_word, self._withheld_after = word, after

    def _let_pass(self, piece: bytes) -> bool:
        if self._withheld_word and self._withheld_word in piece:
            self._withheld_after -= 1
            if self._withheld_after < 0:
                self.withheld.set()
        return not self.withheld.is_set()

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
                for pair in ((client, server), (server, client, self._let_pass)):
                    threading.Thread(target=_pass, args=pair, daemon=True).start()


def _pass(
    source: socket.socket, sink: socket.socket, lets_pass: Callable[[bytes], bool] = lambda _: True
) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            if lets_pass(piece):
                sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
