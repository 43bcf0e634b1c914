"""The stack's Redis cuts off who does not read its replies, before they fill its memory."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from fleet.crew import PrivateRedis


def flood(stranger: socket.socket) -> None:
    """Ask for more replies than would ever be kept, and read none."""
    for _ in range(5000):
        stranger.sendall(b"PING\r\n" * 10_000)


def test_a_stranger_who_reads_no_reply_is_cut_off(tmp_path: Path) -> None:
    server = PrivateRedis(tmp_path)
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    stranger = socket.create_connection(("127.0.0.1", port), timeout=120)
    with stranger, pytest.raises(ConnectionError):
        flood(stranger)
    server.kill()
