"""What is sent to an address that promises TLS: a handshake, and never a byte in clear text."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from neo4j import GraphDatabase
from pydantic import ValidationError
from qdrant_client import QdrantClient

from workers.adapters.redis.client import redis_client
from workers.app import application_for
from workers.settings import Settings

HANDSHAKE, SECRET = 0x16, "s3cret-of-the-broker"


@contextmanager
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """Listen on the loopback; keep the first bytes of each connection, and close it."""
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.settimeout(60)
                        came.append(connection.recv(4096))

        threading.Thread(target=take, daemon=True).start()
        yield server.getsockname()[1], came


def settings_of(port: int) -> Settings:
    return Settings(_env_file=None, redis_url=f"rediss://hop:{SECRET}@127.0.0.1:{port}/0")


def by_broker(port: int) -> None:
    application_for(settings_of(port)).connection_for_write().ensure_connection(max_retries=1)


def by_results(port: int) -> None:
    application_for(settings_of(port)).backend.client.connection_pool.get_connection().connect()


def by_ledger(port: int) -> None:
    url = settings_of(port).redis_url.get_secret_value()
    redis_client(url).connection_pool.connection_class(
        **redis_client(url).connection_pool.connection_kwargs | {"retry": None}
    ).connect()


def by_graph(port: int) -> None:
    GraphDatabase.driver(f"bolt+s://127.0.0.1:{port}", auth=("neo4j", SECRET)).verify_connectivity()


def by_vectors(port: int) -> None:
    QdrantClient(url=f"https://127.0.0.1:{port}", api_key=SECRET, check_compatibility=False).get_collections()


@pytest.mark.parametrize("connect", [by_broker, by_results, by_ledger, by_graph, by_vectors])
def test_an_encrypted_address_is_greeted_with_a_handshake(connect: Callable[[int], Any]) -> None:
    with listener() as (port, came):
        with suppress(Exception):  # the listener speaks no TLS
            connect(port)
        assert came
        assert {first[:1] for first in came} == {bytes([HANDSHAKE])}
        assert SECRET.encode() not in b"".join(came)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("rediss://h:1/0", "rediss://h:1/0?ssl_cert_reqs=required"),
        ("  rediss://h:1/0\n", "rediss://h:1/0?ssl_cert_reqs=required"),
        ("rediss://h/0?ssl_cert_reqs=CERT_OPTIONAL", "rediss://h/0?ssl_cert_reqs=optional"),
        ("rediss://h/0?ssl_cert_reqs=CERT_NONE", "rediss://h/0?ssl_cert_reqs=none&ssl_check_hostname=false"),
        ("rediss://h/0?ssl_ca_certs=%2Fca.pem", "rediss://h/0?ssl_ca_certs=%2Fca.pem&ssl_cert_reqs=required"),
        ("redis://h:1/0", "redis://h:1/0"),
        ("unix:///run/redis.sock?db=2", "unix:///run/redis.sock?db=2"),
    ],
)
def test_an_address_says_the_same_to_every_client(given: str, read: str) -> None:
    assert Settings(_env_file=None, redis_url=given).redis_url.get_secret_value() == read


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("redis://h:1/0?socket_timeout=5", "socket_timeout"),
        ("redis://h:1/0?ssl_cert_reqs=required", "TLS needs rediss://"),
        ("redis://h:1?db=3", "such as /3"),
        ("rediss://h:1/0?socket_timeout=5", "socket_timeout"),
        ("rediss://h:1/0?ssl_cert_reqs=maybe", "none, optional, required"),
    ],
)
def test_an_option_that_a_client_does_not_know_is_refused_by_name(url: str, named: str) -> None:
    with pytest.raises(ValidationError, match=named):
        Settings(_env_file=None, redis_url=url)


@pytest.mark.parametrize("password", ["abc?SECRET", "abc#SECRET", "pa[SECRET]w", "abc?SECRET=1&x"])
@pytest.mark.parametrize("scheme", ["redis", "rediss"])
def test_a_password_that_is_not_encoded_is_refused_without_a_part_of_it(scheme: str, password: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(_env_file=None, redis_url=f"{scheme}://:{password}@host:6379/0")
    assert "percent-encoded" in caught.value.errors()[0]["msg"]
    assert "SECRET" not in caught.value.errors()[0]["msg"]
