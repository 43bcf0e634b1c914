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
        self._asked_word, self._when_asked = b"", lambda: None
        self.withheld = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End all connections, and take no more."""
        with suppress(OSError):  # it may be closed already
            self._listening.shutdown(socket.SHUT_RDWR)
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

    def when_asked(self, word: bytes, act: Callable[[], object] = lambda: None) -> None:
        """Act when a client says a word, and pass nothing on any more from there."""
        self._asked_word, self._when_asked = word, act

    def _let_ask(self, piece: bytes) -> bool:
        if self._asked_word and self._asked_word in piece:
            self.withheld.set()
            self._when_asked()
        return not self.withheld.is_set()

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
                for pair in ((client, server, self._let_ask), (server, client, self._let_pass)):
                    threading.Thread(target=_pass, args=pair, daemon=True).start()


def _pass(source: socket.socket, sink: socket.socket, lets_pass: Callable[[bytes], bool]) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            if lets_pass(piece):
                sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
