"""What the API does before a route is asked: keys that are needed, bodies, hosts, origins, crashes."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from doubles.broker import Broker
from doubles.documents import write
from fleet.api import ServedApi, served_api
from fleet.crew import PrivateRedis, wait_until
from structlog.testing import capture_logs
from typer.testing import CliRunner

from infra.local.process import free_port
from infra.request_heads import TimedHeads
from producer.cli import app as commands
from producer.service.keys import STORED, ApiKeys
from producer.service.service import Service
from workers.core.errors import InvalidInput
from workers.services import Services
from workers.settings import Settings

QUESTION = {"question": "Who built it?", "collection": "front"}
EMBEDDED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
FOLLOWED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.fixture(scope="module")
def configuration(
    stack_env: dict[str, str], empty_redis: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    known: dict[str, Any] = {
        name.removeprefix("HOPLINE_").lower(): value for name, value in stack_env.items()
    }
    return known | {
        "redis_url": empty_redis,
        "blob_url": str(tmp_path_factory.mktemp("blobs")),
        "api_json_bytes": 10_000,
        "api_heartbeat": 0.2,
    }


@pytest.fixture(scope="module")
def services(configuration: dict[str, Any]) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, **configuration))
    made.graph.migrate()
    write(made.graph, "front", "live.txt", [("A bridge stands.", ["bridge"])])
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _no_key_yet(services: Services) -> None:
    services.redis.delete(STORED)


@pytest.fixture
def here(services: Services) -> Iterator[ServedApi]:
    """A server on the loopback, which may do without keys; it has seen none."""
    with served_api(services, Broker(), loopback=True) as api:
        yield api


def _status(api: ServedApi, path: str = "/v1/jobs", key: str | None = None, **headers: str) -> int:
    with api.client(key, **headers) as client:
        return client.get(path).status_code


@contextmanager
def _others(configuration: dict[str, Any], **changed: Any) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, **configuration | changed))
    yield made
    made.close()


# keys that are needed -----------------------------------------------------------------------------------


def test_revoking_the_last_key_opens_nothing(here: ServedApi, services: Services) -> None:
    keys = ApiKeys(services.redis)
    key, text = keys.create("only", frozenset({"read"}))
    keys.revoke(key.id)
    assert [_status(here), _status(here, key=text)] == [401, 401]
    with served_api(services, Broker(), loopback=True) as later:
        assert _status(later) == 401


def test_a_server_that_has_seen_a_key_remembers_it_when_redis_forgets(
    here: ServedApi, services: Services
) -> None:
    assert _status(here) == 200
    ApiKeys(services.redis).create("only", frozenset({"read"}))
    assert _status(here) == 401
    services.redis.delete(STORED)
    assert _status(here) == 401


def test_servers_do_without_keys_again_when_somebody_says_so(services: Services) -> None:
    keys = ApiKeys(services.redis)
    key, text = keys.create("only", frozenset({"read"}))
    with pytest.raises(InvalidInput, match="revoke them first"):
        keys.drop_need()
    keys.revoke(key.id)
    keys.drop_need()
    with served_api(services, Broker(), loopback=True) as later:
        assert [_status(later), _status(later, key=text)] == [200, 401]


def test_a_server_that_runs_does_without_keys_when_somebody_says_so(
    here: ServedApi, services: Services
) -> None:
    keys = ApiKeys(services.redis)
    key, text = keys.create("only", frozenset({"read"}))
    assert [_status(here), _status(here, key=text)] == [401, 200]
    keys.revoke(key.id)
    with here.client() as client:
        assert "`hopline keys open`" in client.get("/v1/jobs").json()["detail"]
    keys.drop_need()
    assert _status(here) == 200
    assert _status(here, Host="rebound.example") == 403
    keys.create("again", frozenset({"read"}))
    assert _status(here) == 401
    services.redis.delete(STORED)
    assert _status(here) == 401, "what was opened once is not open for ever"


def test_the_first_key_is_made_by_who_knows_what_it_locks(
    here: ServedApi, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producer.commands.keys._service", lambda: Service(services=services))
    run = partial(CliRunner().invoke, commands)
    refused = run(["keys", "create", "first"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "the page asks for it" in " ".join(refused.stderr.split())
    assert "--yes" in refused.stderr
    assert _status(here) == 200
    assert run(["keys", "create", "first", "--yes"]).exit_code == 0
    assert _status(here) == 401
    later = run(["keys", "create", "second"])
    assert (later.exit_code, later.stderr) == (0, ""), "the door is locked already"


def test_a_key_that_acts_for_others_and_may_not_read_is_told_what_it_lacks(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producer.commands.keys._service", lambda: Service(services=services))
    made = CliRunner().invoke(commands, ["keys", "create", "portal", "--yes", "--scope", "act-as"])
    assert made.exit_code == 0
    assert "--scope read --scope act-as" in " ".join(made.stderr.split())
    both = ["keys", "create", "desk", "--yes", "--scope", "act-as", "--scope", "read"]
    assert CliRunner().invoke(commands, both).stderr == ""


def test_what_follows_the_last_key_is_said(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("producer.commands.keys._service", lambda: Service(services=services))
    keys = ApiKeys(services.redis)
    first, second = (keys.create(name, frozenset({"read"}))[0] for name in ("first", "second"))

    def said(*words: str) -> str:
        return " ".join(CliRunner().invoke(commands, ["keys", *words]).stdout.split())

    assert "none is needed" not in said("list")
    assert "still needs one" not in said("revoke", first.id)
    assert "`hopline keys open`" in said("revoke", second.id)
    assert "still needs one" in said("list")
    assert CliRunner().invoke(commands, ["keys", "revoke", "needed"]).exit_code
    assert "No key is needed any more" in said("open")
    assert "none is needed" in said("list")


def test_metrics_are_not_for_a_key_of_some_collections(here: ServedApi) -> None:
    limited, whole = here.key("admin", collections=("front",)), here.key("admin")
    assert [_status(here, "/metrics", key) for key in (limited, whole)] == [403, 200]


# bodies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", [{}, {"Authorization": "Bearer hop_0123456789ab_" + "A" * 43}])
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/queries", "application/json"),
        ("/v1/documents", "multipart/form-data; boundary=x"),
        ("/mcp", "application/json"),
    ],
)
def test_who_has_no_key_is_refused_before_a_byte_of_the_body(
    here: ServedApi, path: str, kind: str, shown: dict[str, str]
) -> None:
    here.key("read")
    place = urlsplit(here.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=10)
    connection.putrequest("POST", path)
    for name, value in {"Content-Type": kind, "Content-Length": "8000", **shown}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    assert (answer.status, answer.headers["www-authenticate"][:6]) == (401, "Bearer")
    connection.close()


def test_a_body_without_documents_is_bounded_by_itself(here: ServedApi) -> None:
    long = {"texts": [{"name": "a.txt", "text": "A bridge. " * 2000}], "collection": "front"}
    with here.client() as client:
        refused = client.post("/v1/queries", json={**QUESTION, "question": "x" * 20_000})
        assert (refused.status_code, "api_json_bytes" in refused.json()["detail"]) == (413, True)
        assert client.post("/v1/documents", json=long).status_code == 202
        assert client.post("/v1/queries", json=QUESTION).status_code == 202


# errors -------------------------------------------------------------------------------------------------


def test_each_request_is_a_line_of_the_log_without_keys_and_questions(here: ServedApi) -> None:
    def expected(job: str) -> list[tuple[Any, ...]]:
        return [
            ("POST", "/v1/queries", 202, job),
            ("GET", "/v1/jobs/{job_id}", 200, job),
            ("GET", "/v1/jobs/{job_id}", 422, job),
            ("GET", "/v1/jobs/{job_id}", 404, "j-unknown"),
            ("GET", "none", 404, None),
            ("GET", "/v1/jobs", 401, None),
        ]

    key = here.key("read", "submit")
    with capture_logs() as entries, here.client(key, **{"X-Request-ID": "mine-1"}) as client:
        job = client.post("/v1/queries", json=QUESTION).headers["location"].rpartition("/")[2]
        client.get(f"/v1/jobs/{job}")
        client.get(f"/v1/jobs/{job}", params={"key": "in-the-address"})
        client.get("/v1/jobs/j-unknown")
        client.get("/no/such/place", params={"q": "in-the-address"})
        client.get("/v1/jobs", headers={"Authorization": "Bearer guessed"})
        wait_until(lambda: len(_requests(entries)) >= len(expected(job)), "every request is logged")
        lines = _requests(entries)
    summaries = [(line["method"], line["path"], line["status"], line.get("job_id")) for line in lines]
    assert summaries == expected(job)
    assert all(line["request_id"] == "mine-1" and 0 <= line["ms"] < 60_000 for line in lines)
    written = json.dumps(lines)
    assert not any(secret in written for secret in (key, "guessed", "in-the-address", QUESTION["question"]))


def _requests(entries: list[Any]) -> list[Any]:
    return [entry for entry in entries if entry["event"] == "request.answered"]


def test_what_nobody_expected_is_a_problem_and_is_counted(here: ServedApi) -> None:
    def crash() -> None:
        raise LookupError("secret")

    here.server.config.app.add_api_route("/crash", crash)  # type: ignore[union-attr]
    with here.client(**{"X-Request-ID": "crash-1"}) as client:
        answer = client.get("/crash")
        assert (answer.status_code, answer.headers["x-request-id"]) == (500, "crash-1")
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["request_id"] == "crash-1"
        assert "secret" not in answer.text
        counted = re.compile(r'hopline_api_requests_total\{[^}]*route="/crash",status="500"\} 1')
        wait_until(lambda: counted.search(client.get("/metrics").text), "it is counted as what it was")


@pytest.mark.parametrize(
    ("path", "name", "allowed"),
    [
        ("/v1/documents?collection=front&were=tags", "were", "one of: collection, cursor"),
        ("/v1/search?question=bridge&document=live", "document", "one of: as_of, collection"),
        ("/v1/collections?where=tags", "where", "none"),
    ],
)
def test_an_unknown_query_parameter_is_named_with_those_that_there_are(
    here: ServedApi, path: str, name: str, allowed: str
) -> None:
    with here.client() as client:
        reply = client.get(path)
    assert reply.status_code == 422
    (error,) = reply.json()["errors"]
    assert (error["field"], error["value"]) == ("query parameter", repr(name))
    assert error["allowed"].startswith(allowed)


def test_every_route_refuses_unknown_query_parameters_and_tells_no_value(here: ServedApi) -> None:
    with here.client() as client:
        paths = client.get("/openapi.json").json()["paths"]
        for path, methods in paths.items():
            for method in methods:
                if path.startswith("/health"):  # for everybody
                    continue
                reply = client.request(method, path, params={"api_key": "hop_secret"})
                assert (reply.status_code, method, path) == (422, method, path)
                assert "query parameter" in reply.text
                assert "hop_secret" not in reply.text


def test_a_redis_that_is_full_is_work_that_cannot_be_taken_now(
    configuration: dict[str, Any], tmp_path: Path
) -> None:
    redis = PrivateRedis(tmp_path)
    try:
        with (
            _others(configuration, redis_url=redis.url) as full,
            served_api(full, Broker(), loopback=True) as api,
            api.client() as client,
        ):
            full.redis.config_set("maxmemory", 1)
            answer = client.post("/v1/queries", json=QUESTION)
    finally:
        redis.kill()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert "Redis" in answer.json()["detail"]


def test_a_problem_names_the_server_that_is_away_and_no_address(configuration: dict[str, Any]) -> None:
    port = free_port()
    with (
        _others(configuration, neo4j_url=f"bolt://127.0.0.1:{port}") as lost,
        served_api(lost, Broker(), loopback=True) as api,
        api.client() as client,
    ):
        answer = client.get("/v1/collections")
    assert (answer.status_code, "Neo4j" in answer.json()["detail"]) == (503, True)
    assert "127.0.0.1" not in answer.text
    assert str(port) not in answer.text


# browsers and proxies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "", "http://"])
def test_an_origin_that_is_none_is_refused(here: ServedApi, origin: str) -> None:
    assert _status(here, Origin=origin) == 403


@pytest.mark.parametrize(
    "host",
    [
        "[",
        "[::1",
        "localhost@evil.example",
        "127.0.0.1.evil.example",
        "a b",
        "evil.example@localhost",
        "localhost/evil",
        "localhost?evil",
        "localhost#evil",
        "localhost:80:80",
        "localhost:99999",
        "[::1]evil.example",
        "",
    ],
)
def test_a_host_that_is_not_this_machine_is_refused(here: ServedApi, host: str) -> None:
    assert _status(here, Host=host) in {400, 403}


@pytest.mark.parametrize("host", ["localhost", "localhost:8400", "127.0.0.2", "[::1]:8400"])
def test_a_host_that_is_this_machine_is_taken(here: ServedApi, host: str) -> None:
    assert _status(here, Host=host) == 200


def test_behind_a_proxy_of_this_machine_a_key_opens_what_it_opens(here: ServedApi) -> None:
    proxied = {"Host": "hopline.example.org"}
    assert _status(here, "/", **proxied) == 403  # everyone here may do everything
    key = here.key("read")
    assert _status(here, key=key, **proxied) == 200
    assert _status(here, **proxied) == 401
    assert [_status(here, path, **proxied) for path in ("/", "/web/app.js")] == [200, 200]


@pytest.mark.parametrize("shown", ["Basic eDp5", "Bearer", "Bearer\tx", "x"])
def test_what_is_no_key_does_not_make_a_foreign_host_one_of_ours(here: ServedApi, shown: str) -> None:
    assert _status(here, Host="rebound.example", Authorization=shown) == 403


def test_a_page_of_another_site_reaches_the_page_by_a_link_and_nothing_else(here: ServedApi) -> None:
    assert [_status(here, path, **EMBEDDED) for path in ("/v1/jobs", "/v1/schema", "/")] == [403] * 3
    assert [_status(here, path, **FOLLOWED) for path in ("/", "/v1/jobs")] == [200, 403]
    framed = FOLLOWED | {"sec-fetch-dest": "iframe"}
    assert _status(here, "/", **framed) == 403
    own = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
    typed = FOLLOWED | {"sec-fetch-site": "none"}
    assert [_status(here, **own), _status(here, **typed)] == [200, 200]


# streams ------------------------------------------------------------------------------------------------


def test_a_silent_stream_gives_signs_of_life_more_often_than_every_second(here: ServedApi) -> None:
    with here.client() as client:
        job = client.post("/v1/queries", json=QUESTION).json()["id"]
        with client.stream("GET", f"/v1/jobs/{job}/events", timeout=httpx.Timeout(12)) as answer:
            signs = (line for line in answer.iter_lines() if line.startswith(":"))
            assert next(signs).startswith(": ping")
        client.delete(f"/v1/jobs/{job}")


# heads --------------------------------------------------------------------------------------------------


def _connected(api: ServedApi) -> socket.socket:
    place = urlsplit(api.url)
    # Half of the time that a head usually has.
    return socket.create_connection((place.hostname, place.port or 0), timeout=10)


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def _is_alive(connection: socket.socket) -> bool:
    reply = b""
    while not reply.endswith(b"}"):
        reply += connection.recv(65536)
    return reply.startswith(b"HTTP/1.1 200")


def test_who_does_not_send_a_whole_head_is_let_go(here: ServedApi, monkeypatch: pytest.MonkeyPatch) -> None:
    again = _connected(here)  # in the usual time: this one is in no hurry
    again.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert _is_alive(again)
    with monkeypatch.context() as hasty:
        hasty.setattr(TimedHeads, "head_seconds", 0.5)
        _see_let_go(here)
        time.sleep(0.6)  # an idle connection between two requests has its own, longer time
    again.sendall(b"GET /health/live HTTP/1.1\r\nHost: loc")
    time.sleep(0.1)
    again.sendall(b"alhost\r\n\r\n")
    assert _is_alive(again)
    monkeypatch.setattr(TimedHeads, "head_seconds", 0.5)
    again.sendall(b"GET /health/live HTTP/1.1\r\n")
    assert _is_closed(again)
    again.close()


def _see_let_go(here: ServedApi) -> None:
    """See that the server closes a connection that is silent, and one into which a head trickles."""
    silent, half = _connected(here), _connected(here)
    half.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n")
    trickling = threading.Event()

    def trickle() -> None:
        with suppress(OSError):
            while not trickling.wait(0.1):
                half.sendall(b"X: y\r\n")

    thread = threading.Thread(target=trickle)
    thread.start()
    assert all(_is_closed(connection) for connection in (silent, half))
    trickling.set()
    thread.join()
    for connection in (silent, half):
        connection.close()


def test_a_body_that_takes_longer_than_a_head_is_read(
    here: ServedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TimedHeads, "head_seconds", 1.5)
    body = json.dumps(QUESTION).encode()
    with _connected(here) as connection:
        head = f"POST /v1/queries HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body[:10])
        time.sleep(2.0)
        connection.sendall(body[10:])
        assert connection.recv(65536).startswith(b"HTTP/1.1 202")
