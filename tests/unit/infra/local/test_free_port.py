"""The ports that local servers are given."""

from __future__ import annotations

import socket

import pytest

from infra.local.process import LOOPBACK, StartFailed, free_port


def test_a_port_is_none_that_connections_are_given() -> None:
    ports = {free_port() for _ in range(50)}
    assert len(ports) > 1
    assert all(20_000 <= port < 32_768 for port in ports)


def test_a_port_that_is_in_use_is_not_given() -> None:
    with socket.socket() as used:
        used.bind((LOOPBACK, 0))
        taken = used.getsockname()[1]
        with pytest.raises(StartFailed, match=f"no free port from {taken}"):
            free_port(range(taken, taken + 1))
