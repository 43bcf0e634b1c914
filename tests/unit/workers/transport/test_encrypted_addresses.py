"""What is sent to an address that promises TLS: a handshake, and nothing to who is not trusted."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fleet.tls import HANDSHAKE, Authority, tls_gate
from flower.utils.broker import Broker
from pydantic import ValidationError

from hopline import Hopline
from hopline.certificates import distrust
from hopline.errors import InvalidInput
from producer.backup.save import graph_archive, vector_archive
from workers.adapters.openai.model import OpenAIModel
from workers.adapters.redis.client import redis_client
from workers.adapters.webhook.http import HttpWebhooks
from workers.app import application_for
from workers.core.graph.vectors import Embedder
from workers.services import Services
from workers.settings import Settings

SECRET = "s3cret-of-the-broker"
WEBHOOK_SECRET = "whsec_" + "c2VjcmV0" * 5


def settings_of(port: int, ca_file: Path | None) -> Settings:
    return Settings(
        _env_file=None,
        ca_file=ca_file,
        redis_url=f"rediss://hop:{SECRET}@127.0.0.1:{port}/0",
        neo4j_url=f"bolt+s://127.0.0.1:{port}",
        qdrant_url=f"https://127.0.0.1:{port}",
        model_url=f"https://127.0.0.1:{port}/v1",
        api_url=f"https://127.0.0.1:{port}",
    )


def by_broker(settings: Settings) -> None:
    application_for(settings).connection_for_write().ensure_connection(max_retries=1)


def by_results(settings: Settings) -> None:
    application_for(settings).backend.client.connection_pool.get_connection().connect()


def by_ledger(settings: Settings) -> None:
    redis_client(settings.redis_url.get_secret_value(), patient=False).ping()


def by_flower(settings: Settings) -> None:
    app = application_for(settings)
    address, options = app.connection().as_uri(include_password=True), app.conf.broker_transport_options
    broker = Broker(address, broker_options=options, broker_use_ssl=app.conf.broker_use_ssl)
    asyncio.run(broker.queues(["interactive"]))


def by_graph(settings: Settings) -> None:
    Services(settings).graph.connection.mark()


def by_reader(settings: Settings) -> None:
    Services(settings).reader.ping()


def by_backup_of_graph(settings: Settings) -> None:
    graph_archive(settings).is_empty()


def by_vectors(settings: Settings) -> None:
    Services(settings).vectors.check("notes", Embedder(name="words", dimension=8))


def by_backup_of_vectors(settings: Settings) -> None:
    vector_archive(settings).spaces()


def by_model(settings: Settings) -> None:
    OpenAIModel.from_settings(settings).embed(["word"])  # without the limits of all processes, in Redis


def by_webhook(settings: Settings) -> None:
    calls = HttpWebhooks(lambda _caller: WEBHOOK_SECRET, private=True, ca_file=settings.ca_file, seconds=60)
    calls.send(settings.api_url, "m1", "{}", "")


def by_client(settings: Settings) -> None:
    Hopline(settings.api_url.replace("https", "HTTPS")).collections.list()


WAYS = [
    by_broker, by_results, by_ledger, by_flower, by_graph, by_reader, by_backup_of_graph, by_vectors,
    by_backup_of_vectors, by_model, by_webhook, by_client,
]  # fmt: skip


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.mark.parametrize("connect", WAYS)
def test_an_encrypted_address_gets_a_handshake_and_the_rest_only_if_its_authority_is_known(
    connect: Callable[[Settings], Any], authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ca_file in (None, authority.ca_file):
        monkeypatch.setenv("HOPLINE_CA_FILE", str(ca_file or ""))
        with tls_gate(authority) as gate:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - the gate answers nobody
                connect(settings_of(gate.port, ca_file))
            assert gate.firsts
            assert set(gate.firsts) == {HANDSHAKE}
        assert any(gate.heard) == (ca_file is not None)
        if connect is not by_flower:  # its client is its own, and says only that it does not trust
            assert ("HOPLINE_CA_FILE" in str(caught.value)) == (ca_file is None), str(caught.value)
        assert SECRET not in str(caught.value)


def test_an_error_that_was_raised_from_itself_in_the_end_is_looked_through_once() -> None:
    error, other = OSError(), OSError()
    error.__cause__, other.__context__ = other, error
    assert distrust(error) == ""


@pytest.mark.parametrize(
    ("content", "said"), [(None, "No such file"), ("no certificate", "no readable certificates")]
)
def test_a_file_without_authorities_is_refused_by_name(content, said, tmp_path, monkeypatch):
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ValidationError, match=f"(?s)ca_file.*{said}"):
        Settings(_env_file=None, ca_file=path)
    monkeypatch.setenv("HOPLINE_CA_FILE", str(path))
    with pytest.raises(InvalidInput, match=f"HOPLINE_CA_FILE.*{said}"):
        Hopline("https://127.0.0.1:1").collections.list()


def test_the_file_of_authorities_is_a_part_of_an_encrypted_redis_address(authority: Authority) -> None:
    def read(url: str) -> str:
        return Settings(_env_file=None, ca_file=authority.ca_file, redis_url=url).redis_url.get_secret_value()

    assert read("rediss://h/0").endswith("ca.pem&ssl_cert_reqs=required")
    assert "ssl_ca_certs=%2Fown.pem" in read("rediss://h/0?ssl_ca_certs=/own.pem")
    assert read("redis://h/0") == "redis://h/0"


@pytest.mark.parametrize(("given", "read"), [
    ("rediss://h:1/0", "rediss://h:1/0?ssl_cert_reqs=required"),
    ("  rediss://h:1/0\n", "rediss://h:1/0?ssl_cert_reqs=required"),
    ("rediss://h/0?ssl_cert_reqs=CERT_OPTIONAL", "rediss://h/0?ssl_cert_reqs=optional"),
    ("rediss://h/0?ssl_cert_reqs=CERT_NONE", "rediss://h/0?ssl_cert_reqs=none&ssl_check_hostname=false"),
    ("rediss://h/0?ssl_ca_certs=%2Fca.pem", "rediss://h/0?ssl_ca_certs=%2Fca.pem&ssl_cert_reqs=required"),
    ("redis://h:1/0", "redis://h:1/0"),
    ("unix:///run/redis.sock?db=2", "unix:///run/redis.sock?db=2"),
])  # fmt: skip
def test_an_address_says_the_same_to_every_client(given: str, read: str) -> None:
    assert Settings(_env_file=None, redis_url=given).redis_url.get_secret_value() == read


@pytest.mark.parametrize(("url", "named"), [
    ("redis://h:1/0?socket_timeout=5", "socket_timeout"),
    ("redis://h:1/0?ssl_cert_reqs=required", "TLS needs rediss://"),
    ("redis://h:1?db=3", "such as /3"),
    ("rediss://h:1/0?socket_timeout=5", "socket_timeout"),
    ("rediss://h:1/0?ssl_cert_reqs=maybe", "none, optional, required"),
])  # fmt: skip
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
