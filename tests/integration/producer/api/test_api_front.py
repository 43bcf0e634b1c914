"""What the API does before a route is asked: keys that are needed, bodies, hosts, origins, crashes."""

import asyncio
import http.client
import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from doubles.broker import Broker
from doubles.command_line import Run
from fleet.api import ServedApi, served_api
from fleet.crew import PrivateRedis, wait_until
from starlette.responses import RedirectResponse
from structlog.testing import capture_logs
from typer.testing import CliRunner

from hopline import Hopline
from hopline.cli import app as commands
from hopline.errors import InvalidInput
from infra.local.process import free_port
from producer.api.front_door import FrontDoor
from producer.service.keys import STORED, ApiKeys
from workers.services import Services
from workers.settings import Settings

QUESTION = {"question": "Who built it?", "collection": "front"}
LIVE = "front"
SETTINGS = {"api_json_bytes": 10_000, "api_heartbeat": 0.2}
EMBEDDED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
FOLLOWED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.fixture
def here(services: Services) -> Iterator[ServedApi]:
    """A server on the loopback, which may do without keys; it has seen none."""
    services.redis.delete(STORED)
    with served_api(services, Broker(), loopback=True) as api:
        yield api


@pytest.fixture(scope="module")
def open_api(services: Services) -> Iterator[ServedApi]:
    """The same for all tests that make no key."""
    services.redis.delete(STORED)
    with served_api(services, Broker(), loopback=True) as api:
        yield api


@pytest.fixture(scope="module")
def slow_api(empty_redis: str, services: Services) -> Iterator[ServedApi]:
    """A server that waits a fifth of a second for the next part of a body, and wants 1,000 bytes a second."""
    del empty_redis
    changed = services.settings.model_copy(update={"api_body_silence": 0.2, "api_body_rate": 1000})
    before, vars(services)["settings"] = services.settings, changed
    with served_api(services, Broker(), loopback=True) as api:
        yield api
    vars(services)["settings"] = before


@pytest.fixture
def keys(services: Services) -> Iterator[ApiKeys]:
    """No key yet; what a test makes is gone after it."""
    services.redis.delete(STORED)
    yield ApiKeys(services.redis)
    services.redis.delete(STORED)


@pytest.fixture
def keys_command(empty_redis: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hopline keys WORDS…` on the same Redis."""
    monkeypatch.setenv("HOPLINE_REDIS_URL", empty_redis)
    return lambda *words: CliRunner().invoke(commands, ["keys", *words])


def _status(api: ServedApi, path: str = "/v1/jobs", key: str | None = None, **headers: str) -> int:
    with api.client(key, **headers) as client:
        return client.get(path).status_code


def test_behind_a_path_all_is_found_with_it_and_without_and_every_address_has_it(services: Services) -> None:
    with _others(services, api_url="https://intranet.example/hopline") as api, api.client() as client:
        for before in ("/hopline", ""):
            assert "<html" in client.get(f"{before}/").text
            assert client.get(f"{before}/web/app.js").is_success
            assert client.get(f"{before}/openapi.json").json()["servers"] == [{"url": "/hopline"}]
            assert client.get(f"{before}/mcp/").headers["location"] == "/hopline/mcp"
            asked = client.post(f"{before}/v1/queries", json=QUESTION)
            assert asked.headers["location"] == f"/hopline/v1/jobs/{asked.json()['id']}"
        assert client.get("/hopline").headers["location"] == "/hopline/"
        assert client.get("/hoplines/").status_code == 404
        with Hopline(f"{api.url}/hopline") as remote:
            assert remote.jobs.get(asked.json()["id"]).id == asked.json()["id"]


def test_a_redirect_names_no_scheme_that_a_proxy_may_have_changed(open_api: ServedApi) -> None:
    with open_api.client() as client:
        assert client.get("/mcp/?a=b").headers["location"] == "/mcp?a=b"
        assert "servers" not in client.get("/openapi.json").json()


def test_a_redirect_never_leads_to_a_host_that_a_path_names() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    door = FrontDoor(
        RedirectResponse("http://here//other.example/x"), api=Mock(loopback=False), origins=frozenset()
    )
    scope = {"type": "http", "method": "GET", "path": "//other.example/x/", "headers": [(b"host", b"here")]}
    asyncio.run(door(scope, Mock(), send))
    assert dict(sent[0]["headers"])[b"location"] == b"/other.example/x"


def test_only_who_asked_cancels_over_mcp(here: ServedApi, keys: ApiKeys) -> None:
    mine, other = (keys.create(name, frozenset({"submit"}))[1] for name in ("mine", "other"))
    begun: list[str] = []
    headers = {"accept": "application/json, text/event-stream", "mcp-session-id": "s1"}

    def said(key: str, method: str, params: dict[str, Any], **more: Any) -> int:
        with here.client(key, **headers) as client:
            message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
            return client.post("/mcp", json=message, timeout=180).status_code

    def jobs() -> set[str]:
        with here.client(mine) as client:
            return {job["id"] for job in client.get("/v1/jobs").json()["jobs"]}

    def asked(number: int) -> tuple[Thread, str]:
        call = {"name": "ask", "arguments": QUESTION}
        thread = Thread(target=said, args=(mine, "tools/call", call), kwargs={"id": number}, daemon=True)
        thread.start()
        wait_until(lambda: bool(jobs() - {*known, *begun}), "it is asked")
        [job] = jobs() - {*known, *begun}
        begun.append(job)
        return thread, job

    def state(job: str) -> str:
        record = here.services.ledger.job(job)
        return record.state if record else ""

    known = jobs()
    (first, stays), (second, ends) = asked(1), asked(2)
    for key, number in ((other, 1), (mine, "1"), (mine, 2)):
        assert said(key, "notifications/cancelled", {"requestId": number}) == 202
    second.join(180)
    wait_until(lambda: state(ends) == "cancelled", "the job ends whose request was cancelled")
    assert (state(stays) != "cancelled", first.is_alive()) == (True, True)
    said(mine, "notifications/cancelled", {"requestId": 1})
    first.join(180)


@contextmanager
def _others(services: Services, **changed: Any) -> Iterator[ServedApi]:
    """Serve the API over other servers."""
    made = Services(Settings.model_validate(services.settings.model_dump() | changed))
    with served_api(made, Broker(), loopback=True) as api:
        yield api
    made.close()


# keys that are needed -----------------------------------------------------------------------------------


def test_revoking_the_last_key_opens_nothing_until_somebody_says_so(here, services, keys):
    key, text = keys.create("only", frozenset({"read"}))
    assert [_status(here), _status(here, key=text), _status(here, key="none")] == [401, 200, 401]
    with pytest.raises(InvalidInput, match="revoke them first"):
        keys.drop_need()
    keys.revoke(key.id)
    with here.client() as client:
        assert "`hopline keys open`" in client.get("/v1/jobs").json()["detail"]
    with served_api(services, Broker(), loopback=True) as later:
        assert [_status(later), _status(later, key=text)] == [401, 401]
        keys.drop_need()
        assert [_status(later), _status(later, key=text), _status(here)] == [200, 401, 200]
    assert _status(here, Host="rebound.example") == 403
    keys.create("again", frozenset({"read"}))
    assert _status(here) == 401
    services.redis.delete(STORED)
    assert _status(here) == 401, "what was opened once is not open for ever"


def test_a_server_without_keys_takes_any_text_that_is_no_key_of_its_own(here, keys):
    assert [_status(here), _status(here, key="none"), _status(here, key="sk-1")] == [200, 200, 200]
    keys.create("only", frozenset({"read"}))
    assert _status(here, key="none") == 401


def test_a_server_that_has_seen_a_key_remembers_it_when_redis_forgets(here, services, keys):
    assert _status(here) == 200
    keys.create("only", frozenset({"read"}))
    assert _status(here) == 401
    services.redis.delete(STORED)
    assert _status(here) == 401


@pytest.mark.usefixtures("keys")
def test_who_makes_the_first_key_knows_it_locks(here: ServedApi, keys_command: Run) -> None:
    refused = keys_command("create", "first")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "the page asks for it" in " ".join(refused.stderr.split())
    assert "--yes" in refused.stderr
    assert _status(here) == 200
    assert keys_command("create", "first", "--yes").exit_code == 0
    assert _status(here) == 401
    later = keys_command("create", "second")
    assert (later.exit_code, later.stderr) == (0, ""), "the door is locked already"
    acts_only = keys_command("create", "portal", "--scope", "act-as")
    assert "--scope read --scope act-as" in " ".join(acts_only.stderr.split())
    assert keys_command("create", "desk", "--scope", "act-as", "--scope", "read").stderr == ""


def test_what_follows_the_last_key_is_said(keys: ApiKeys, keys_command: Run) -> None:
    first, second = (keys.create(name, frozenset({"read"}))[0] for name in ("first", "second"))

    def said(*words: str) -> str:
        done = keys_command(*words)
        return " ".join((done.stdout + done.stderr).split())

    assert "none is needed" not in said("list")
    assert "still needs one" not in said("delete", first.id, "--yes")
    assert "`hopline keys open`" in said("delete", second.id[:8], "--yes")
    assert "still needs one" in said("list")
    assert keys_command("delete", "needed", "--yes").exit_code
    assert "No key is needed any more" in said("open")
    assert "none is needed" in said("list")


# bodies -------------------------------------------------------------------------------------------------


def test_who_has_no_key_is_refused_before_a_byte_of_the_body(here: ServedApi, keys: ApiKeys) -> None:
    keys.create("only", frozenset({"read"}))
    place = urlsplit(here.url)
    for path, kind in (
        ("/v1/queries", "application/json"),
        ("/v1/documents", "multipart/form-data; boundary=x"),
        ("/mcp", "application/json"),
    ):
        for shown in ({}, {"Authorization": "Bearer hop_0123456789ab_" + "A" * 43}):
            connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=180)
            connection.putrequest("POST", path)
            for name, value in {"Content-Type": kind, "Content-Length": "8000", **shown}.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            assert (answer.status, answer.headers["www-authenticate"][:6]) == (401, "Bearer"), path
            connection.close()


def test_a_body_without_documents_is_bounded_by_itself(open_api: ServedApi) -> None:
    long = {"texts": [{"name": "a.txt", "text": "A bridge. " * 2000}], "collection": "front"}
    with open_api.client() as client:
        refused = client.post("/v1/queries", json={**QUESTION, "question": "x" * 20_000})
        assert (refused.status_code, "api_json_bytes" in refused.json()["detail"]) == (413, True)
        assert client.post("/v1/documents", json=long).status_code == 202
        assert client.post("/v1/queries", json=QUESTION).status_code == 202


@pytest.mark.parametrize(("method", "path", "body"), [
    ("POST", "/v1/queries", '{"question": "Who?", "collection": "front", "question": "Which?"}'),
    ("POST", "/v1/queries", '{"question": "Who?", "parameters": {"max_depth": 1, "max_depth": 2}}'),
    ("POST", "/v1/documents", '{"texts": [{"name": "a", "text": "b", "name": "c"}]}'),
    ("POST", "/v1/documents", '{"texts": [], "metadata": {"allow": ["user:ann"], "allow": "*"}}'),
    ("PATCH", "/v1/documents", '{"documents": ["d1"], "set": {"x": 1, "x": 2}}'),
    ("POST", "/v1/collections/front/merge", '{"dry_run": true, "dry_run": false}'),
    ("PUT", "/v1/collections/front/schema", '{"fields": {}, "fields": {}}'),
    ("POST", "/mcp", '{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "id": 2, "params": {}}'),
])  # fmt: skip
def test_a_field_given_twice_is_refused(open_api: ServedApi, method: str, path: str, body: str) -> None:
    with open_api.client() as client:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        refused = client.request(method, path, content=body, headers=headers)
        assert (refused.status_code, "appears twice" in refused.json()["detail"]) == (422, True)


@pytest.mark.parametrize("path", ["/v1/queries", "/v1/documents", "/mcp"])
@pytest.mark.parametrize("way", ["silence", "a byte now and then"])
def test_a_body_that_does_not_come_ends(slow_api: ServedApi, path: str, way: str) -> None:
    place = urlsplit(slow_api.url)
    with closing(http.client.HTTPConnection(place.hostname or "", place.port, timeout=180)) as connection:
        connection.putrequest("POST", path)
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", "8000")
        connection.endheaders(b"{")
        ended = Event()

        def trickle() -> None:
            while not ended.wait(0.05):
                with suppress(OSError):
                    connection.send(b" ")

        writer = Thread(target=trickle, daemon=True)
        if way != "silence":
            writer.start()
        try:
            answer = connection.getresponse()
            body = answer.read()
            assert (answer.status, answer.headers["connection"]) == (408, "close"), body
            assert "api_body_" in json.loads(body)["detail"]
        finally:
            ended.set()


# errors -------------------------------------------------------------------------------------------------


def test_each_request_is_a_line_of_the_log_without_keys_and_questions(here: ServedApi, keys: ApiKeys) -> None:
    def expected(job: str) -> list[tuple[Any, ...]]:
        return [
            ("POST", "/v1/queries", 202, job), ("GET", "/v1/jobs/{job_id}", 200, job),
            ("GET", "/v1/jobs/{job_id}", 422, job), ("GET", "/v1/jobs/{job_id}", 404, "j-unknown"),
            ("GET", "none", 404, None), ("GET", "/v1/jobs", 401, None),
        ]  # fmt: skip

    key = keys.create("only", frozenset({"read", "submit"}))[1]
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
    assert all(line["request_id"] == "mine-1" and line["ms"] >= 0 for line in lines)
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


def test_an_unknown_query_parameter_is_named_with_those_that_there_are_and_no_value(open_api):
    with open_api.client() as client:
        for path, name, allowed in (
            ("/v1/documents?collection=front&were=tags", "were", "one of: collection, cursor"),
            ("/v1/weights?where=tags", "where", "left out: this request takes no query parameters"),
        ):
            reply = client.get(path)
            assert reply.status_code == 422
            (error,) = reply.json()["errors"]
            assert (error["field"], error["value"]) == ("query parameter", name)
            assert error["allowed"].startswith(allowed)
    with open_api.client() as client:
        paths = client.get("/openapi.json").json()["paths"]
        for path, methods in paths.items():
            for method in methods:
                if path.startswith("/health"):  # for everybody
                    continue
                reply = client.request(method, path, params={"api_key": "hop_secret"})
                assert (reply.status_code, method, path) == (422, method, path)
                assert "query parameter" in reply.text
                assert "hop_secret" not in reply.text


def test_a_server_that_is_full_or_away_is_named_without_address(services: Services, tmp_path: Path) -> None:
    redis = PrivateRedis(tmp_path)
    try:
        with _others(services, redis_url=redis.url) as full, full.client() as client:
            full.services.redis.config_set("maxmemory", 1)
            answer = client.post("/v1/queries", json=QUESTION)
    finally:
        redis.kill()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert "Redis" in answer.json()["detail"]
    port = free_port()
    with _others(services, neo4j_url=f"bolt://127.0.0.1:{port}") as lost, lost.client() as client:
        answer = client.get("/v1/collections")
    assert (answer.status_code, "Neo4j" in answer.json()["detail"]) == (503, True)
    assert "127.0.0.1" not in answer.text
    assert str(port) not in answer.text


# browsers and proxies -----------------------------------------------------------------------------------


def test_origin_and_host_must_be_this_machines(open_api: ServedApi) -> None:
    for origin in ("http://[", "http://[::1", "null", "", "http://"):
        assert _status(open_api, Origin=origin) == 403, origin
    refused = [
        "[", "[::1", "localhost@evil.example", "127.0.0.1.evil.example", "a b", "evil.example@localhost",
        "localhost/evil", "localhost?evil", "localhost#evil", "localhost:80:80", "localhost:99999",
        "[::1]evil.example", "",
    ]  # fmt: skip
    for host in refused:
        assert _status(open_api, Host=host) in {400, 403}, host
    for host in ("localhost", "localhost:8400", "127.0.0.2", "[::1]:8400"):
        assert _status(open_api, Host=host) == 200, host
    # On a server without keys nothing that is shown makes a host ours.
    for shown in ("Basic eDp5", "Bearer", "Bearer\tx", "x", "Bearer hop_0123456789ab_" + "s" * 43):
        assert _status(open_api, Host="rebound.example", Authorization=shown) == 403, shown


def test_behind_a_proxy_of_this_machine_a_key_opens_what_it_opens(here: ServedApi, keys: ApiKeys) -> None:
    proxied = {"Host": "hopline.example.org"}
    assert _status(here, "/", **proxied) == 403  # everyone here may do everything
    key = keys.create("only", frozenset({"read"}))[1]
    assert _status(here, key=key, **proxied) == 200
    assert _status(here, **proxied) == 401
    assert [_status(here, path, **proxied) for path in ("/", "/web/app.js")] == [200, 200]


def test_a_page_of_another_site_reaches_the_page_by_a_link_and_nothing_else(open_api: ServedApi) -> None:
    assert [_status(open_api, path, **EMBEDDED) for path in ("/v1/jobs", "/v1/schema", "/")] == [403] * 3
    assert [_status(open_api, path, **FOLLOWED) for path in ("/", "/v1/jobs")] == [200, 403]
    framed = FOLLOWED | {"sec-fetch-dest": "iframe"}
    assert _status(open_api, "/", **framed) == 403
    own = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
    typed = FOLLOWED | {"sec-fetch-site": "none"}
    assert [_status(open_api, **own), _status(open_api, **typed)] == [200, 200]


# streams ------------------------------------------------------------------------------------------------


def test_a_silent_stream_gives_signs_of_life_more_often_than_every_second(open_api: ServedApi) -> None:
    with open_api.client() as client:
        job = client.post("/v1/queries", json=QUESTION).json()["id"]
        with client.stream("GET", f"/v1/jobs/{job}/events", timeout=180) as answer:
            signs = (line for line in answer.iter_lines() if line.startswith(":"))
            assert next(signs).startswith(": ping")
        client.delete(f"/v1/jobs/{job}")


@pytest.mark.parametrize("sent", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_type_than_json_is_refused_by_that_name(open_api: ServedApi, sent: str) -> None:
    body = json.dumps(QUESTION).encode()
    with open_api.client() as client:
        refused = client.post("/v1/queries", content=body, headers={"Content-Type": sent})
        assert (refused.status_code, refused.json()["type"]) == (
            415,
            "urn:hopline:problem:unsupported-media-type",
        )
        assert (sent or "a body without a media type") in refused.json()["detail"]
        taken = client.post("/v1/queries", content=body, headers={"Content-Type": "application/vnd.a+json"})
        assert taken.status_code == 202
        assert client.post("/v1/queries").status_code == 422, "there is no body"


@pytest.mark.parametrize("coding", ["br", "gzip", "zstd"])
def test_a_reply_is_compressed_as_the_client_takes_it_and_events_are_not(
    open_api: ServedApi, coding: str
) -> None:
    headers = {"Accept-Encoding": coding}
    with open_api.client() as client:
        plain = client.get("/openapi.json", headers={"Accept-Encoding": "identity"})
        packed = client.get("/openapi.json", headers=headers)
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == coding
        assert int(packed.headers.get("content-length", packed.num_bytes_downloaded)) < len(plain.content) / 4
        assert "accept-encoding" in packed.headers["vary"].lower()
        place = client.post("/v1/queries", json=QUESTION).headers["location"]
        with client.stream("GET", f"{place}/events", headers=headers) as events:
            assert "content-encoding" not in events.headers
        client.delete(place)


@pytest.mark.parametrize(
    "sent", [7, [1, 2], {"a": None}, "x", "\ud800", ["\ud800"], "x" * 1000, [["x"] * 1000]], ids=str
)
def test_a_value_that_is_refused_comes_back_as_json(open_api: ServedApi, sent: Any) -> None:
    body = json.dumps({"question": "Who?", "collection": "front", "strategy": sent})
    with open_api.client() as client:
        refused = client.post("/v1/queries", content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code == 422
    [wrong] = refused.json()["errors"]
    is_whole = len(json.dumps(sent)) < 100 and "ud800" not in json.dumps(sent)
    assert (
        wrong["value"] == sent if is_whole else isinstance(wrong["value"], str) and len(wrong["value"]) <= 120
    )
    assert refused.json()["detail"].startswith(
        f"strategy is {json.dumps(wrong['value'], ensure_ascii=False)}"
    )
