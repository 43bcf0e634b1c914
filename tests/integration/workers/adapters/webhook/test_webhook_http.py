"""Calls of webhooks over real sockets: what is sent, whom it reaches, and what is made of the answer."""

import datetime as dt
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from ipaddress import IPv4Address, ip_address
from pathlib import Path

import pytest
from doubles.receiver import Receiver
from fleet.crew import wait_until
from fleet.tls import Authority
from standardwebhooks import Webhook, WebhookVerificationError

from hopline.errors import Permanent, Transient
from infra.local.process import free_port
from workers.adapters.webhook.http import HttpWebhooks, WebhookRefused

SECRET = "whsec_" + "c2VjcmV0" * 5
HERE = ip_address("127.0.0.1")
NAME = "hooks.example"
BODY = json.dumps({"type": "job.ended", "job_id": "j1"})


def webhooks(**options) -> HttpWebhooks:
    settings = {"private": True, "insecure": True, "seconds": 60.0} | options
    return HttpWebhooks(lambda _caller: SECRET, **settings)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    made.start()
    yield made
    made.stop()


def test_a_message_is_signed_so_that_the_receiver_can_tell_it_is_ours(receiver: Receiver) -> None:
    assert webhooks().send(receiver.url, "m1", BODY, "") == 204
    (got,) = receiver.got
    assert got.path == "/hooks?of=hopline"
    assert got.headers["webhook-id"] == "m1"
    assert got.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert Webhook(SECRET).verify(got.body, got.headers) == json.loads(BODY)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(got.body + b" ", got.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook("whsec_" + "b3RoZXI=" * 5).verify(got.body, got.headers)


@pytest.mark.parametrize("status", [301, 308, 401, 404, 429, 500])
def test_whatever_is_no_success_is_tried_again_and_no_redirect_is_followed(receiver, status):
    receiver.answers = [(status, {"Location": receiver.url, "Content-Length": "0"})]
    with pytest.raises(Transient, match=str(status)):
        webhooks().send(receiver.url, "m1", BODY, "")
    assert len(receiver.got) == 1


def test_a_receiver_that_is_gone_is_not_called_again(receiver: Receiver) -> None:
    receiver.answers = [(410, {})]
    with pytest.raises(Permanent, match="410"):
        webhooks().send(receiver.url, "m1", BODY, "")


def test_the_wait_that_a_receiver_asks_for_is_passed_on(receiver: Receiver) -> None:
    def wait(status: int, asked: str) -> float | None:
        receiver.answers = [(status, {"Retry-After": asked})]
        with pytest.raises(Transient) as failed:
            webhooks().send(receiver.url, "m1", BODY, "")
        return failed.value.retry_after

    assert wait(503, "120") == 120.0
    until = dt.datetime.now(dt.UTC) + dt.timedelta(minutes=5)
    assert 0 < (wait(429, until.strftime("%a, %d %b %Y %H:%M:%S GMT")) or 0) <= 300
    for none in (
        "soon",
        "-5",
        "²",
        "Sat, 21 Nov 99999999999 23:00:00 GMT",
        "Sat, 21 Nov 2026 23:00:00 +99999999999",
    ):
        assert wait(503, none) is None, none


@pytest.mark.parametrize("addresses", [
    ["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::ffff:127.0.0.1"], ["93.184.216.34", "127.0.0.1"],
])  # fmt: skip
def test_a_name_of_a_private_address_is_not_called(receiver: Receiver, addresses: list[str]) -> None:
    careful = webhooks(private=False, resolve=lambda _host, _port: list(map(ip_address, addresses)))
    with pytest.raises(WebhookRefused, match="not public"):
        careful.send(f"http://{NAME}:{receiver.port}/", "m1", BODY, "")
    assert not receiver.got


def test_a_name_that_changes_its_address_is_called_where_it_was_checked(receiver, monkeypatch):
    lookups, called = [], []

    def rebinding(_host: str, _port: int) -> list[IPv4Address]:
        lookups.append(1)
        return [IPv4Address("93.184.216.34")] if len(lookups) == 1 else [IPv4Address("127.0.0.1")]

    def connect(address, *_args, **_named):
        called.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    careful = webhooks(private=False, resolve=rebinding)
    with pytest.raises(Transient):
        careful.send(f"http://{NAME}:{receiver.port}/", "m1", BODY, "")
    assert called == ["93.184.216.34"]
    with pytest.raises(WebhookRefused):  # at the next attempt it is looked up and checked again
        careful.send(f"http://{NAME}:{receiver.port}/", "m1", BODY, "")
    assert called == ["93.184.216.34"]
    assert not receiver.got


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/"])
def test_the_addresses_of_this_machine_are_refused_by_the_real_look_up(url: str) -> None:
    with pytest.raises(WebhookRefused):
        webhooks(private=False).send(url, "m1", BODY, "")


def test_http_is_not_called_unless_a_setting_allows_it(receiver: Receiver) -> None:
    with pytest.raises(WebhookRefused, match="webhook_http"):
        webhooks(insecure=False).send(receiver.url, "m1", BODY, "")


def test_a_proxy_of_the_environment_is_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert webhooks().send(receiver.url, "m1", BODY, "") == 204


def test_nobody_there_and_a_name_without_an_address_are_tried_again() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        with pytest.raises(Transient, match="cannot be reached"):
            webhooks().send(f"http://127.0.0.1:{taken.getsockname()[1]}/", "m1", BODY, "")

    def unknown(_host: str, _port: int) -> list[IPv4Address]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(Transient, match="no address"):
        webhooks(resolve=unknown).send(f"http://{NAME}/", "m1", BODY, "")


def test_a_receiver_that_trickles_its_answer_does_not_hold_the_worker() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def trickle() -> None:
            connection, _ = server.accept()
            with connection:
                while not done.wait(0.05):
                    try:
                        connection.sendall(b"H")
                    except OSError:
                        return

        threading.Thread(target=trickle, daemon=True).start()
        with pytest.raises(Transient):
            webhooks(seconds=0.5).send(f"http://127.0.0.1:{server.getsockname()[1]}/", "m1", BODY, "")
        done.set()


def test_over_tls_the_name_is_checked_though_the_connection_goes_to_an_address(tmp_path: Path) -> None:
    authority = Authority(tmp_path, NAME)
    receiver = Receiver(tls=authority.server)
    receiver.start()
    calls = webhooks(ca_file=authority.ca_file, resolve=lambda _host, _port: [HERE])
    try:
        assert calls.send(f"https://{NAME}:{receiver.port}/", "m1", BODY, "") == 204
        assert receiver.got[0].headers["Host"] == f"{NAME}:{receiver.port}"
        with pytest.raises(Transient, match="certificate is refused: Hostname mismatch"):
            calls.send(f"https://other.example:{receiver.port}/", "m2", BODY, "")
        with pytest.raises(Transient, match="HOPLINE_CA_FILE"):
            webhooks(resolve=lambda _host, _port: [HERE]).send(
                f"https://{NAME}:{receiver.port}/", "m3", BODY, ""
            )
    finally:
        receiver.stop()
    assert len(receiver.got) == 1


def test_the_receiver_of_the_documentation_runs_as_it_stands() -> None:
    page = (Path(__file__).resolve().parents[5] / "docs" / "webhooks.md").read_text(encoding="utf-8")
    scripts = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    (script,) = [each for each in scripts if "WEBHOOK_SECRET" in each]
    port = free_port()
    command = [sys.executable, "-c", script.replace("8500", str(port))]
    environment = os.environ | {"WEBHOOK_SECRET": SECRET}
    body = json.dumps({"job_id": "j1", "state": "done"})
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        try:
            wait_until(lambda: _listens(port), "it listens")
            url = f"http://127.0.0.1:{port}/"
            assert webhooks().send(url, "m1", body, "") == 204
            assert running.stdout.readline() == "j1 done\n"
            other = HttpWebhooks(lambda _caller: "whsec_" + "b3RoZXI=" * 5, private=True, insecure=True)
            with pytest.raises(Transient, match="401"):
                other.send(url, "m2", body, "")
        finally:
            running.kill()


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
