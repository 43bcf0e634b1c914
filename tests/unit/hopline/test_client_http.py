"""The client against replies that a test prepares: what it sends and repeats, and what errors mean."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx2
import pytest
from doubles.scripted_api import DROPPED, Reply, ScriptedApi, scripted

from hopline import AsyncHopline, Hopline
from hopline.aio.events import follow
from hopline.aio.jobs import AsyncJobs
from hopline.errors import (
    AccessDenied,
    Conflict,
    DependencyAway,
    HoplineError,
    InvalidInput,
    KeyReused,
    NotFound,
    NotTheApi,
    OtherVersion,
    Permanent,
    StateConflict,
    TooManyJobs,
)
from hopline.models.weights import Weight
from hopline.operation import Sent, operation, operation_of
from hopline.sync.noun import Noun
from hopline.traces import in_trace
from hopline.transport import Endpoint, Options

WEIGHT = {"kind": "key", "name": "k1", "weight": 2.0, "called": "mine"}
WEIGHTS = Reply(body={"weights": [WEIGHT]})


def problem(status: int, **fields: Any) -> Reply:
    body = {"title": "wrong", "detail": "all is wrong", "request_id": "r7", "errors": [], **fields}
    return Reply(status, body, {"Retry-After": "0.01"} if status in {429, 503} else {})


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_a_call_says_who_asks_in_whose_name_and_for_which_trace_and_reads_its_result() -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with scripted(WEIGHTS) as api, Hopline(api.url, api_key="hop_key", act_as="user:Zoë, group:b") as client:
        with in_trace(trace):
            listed = client.weights.list()
        client.with_options(act_as=None).weights.list()
    assert listed.weights == (Weight(kind="key", name="k1", weight=2.0, called="mine"),)
    first, second = (request.headers for request in api.asked)
    assert (first["Authorization"], first["traceparent"]) == ("Bearer hop_key", trace)
    assert first["X-Hopline-Act-As"].encode("latin-1").decode() == "user:Zoë,group:b"
    assert (first["User-Agent"], first["X-Hopline-Version"]) == (
        f"hopline/{version('hopline')}",
        version("hopline"),
    )
    assert "X-Hopline-Act-As" not in second
    assert second["Authorization"] == "Bearer hop_key"


def test_the_address_and_the_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(WEIGHTS) as api:
        monkeypatch.setenv("HOPLINE_API_URL", f"{api.url}/")
        monkeypatch.setenv("HOPLINE_API_KEY", "hop_from_environment")
        with Hopline() as client:
            client.weights.list()
    assert api.asked[0].headers["Authorization"] == "Bearer hop_from_environment"
    monkeypatch.delenv("HOPLINE_API_URL")
    with pytest.raises(InvalidInput, match="set HOPLINE_API_URL"):
        Hopline()


@pytest.mark.parametrize("url", [
    "ftp://example.invalid", "example.invalid", "http://", "http://u:p@example.invalid",
    "http://example.invalid:99999",
])  # fmt: skip
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Hopline(url)
    assert caught.value.field == "url"
    assert "u:p" not in str(caught.value)


@pytest.mark.parametrize(("field", "options"), [
    ("timeout", {"timeout": 0}), ("retries", {"retries": -1}), ("act_as", {"act_as": "nobody in particular"}),
])  # fmt: skip
def test_options_that_are_not_valid_are_refused(field: str, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Hopline("http://127.0.0.1:9", **options)
    assert caught.value.field == field


def test_a_request_that_may_be_repeated_is_sent_until_it_is_answered() -> None:
    with scripted(DROPPED, problem(503), problem(429), WEIGHTS) as api, Hopline(api.url) as client:
        assert client.weights.set("key", "k1", 2.0).weights[0].weight == 2.0
    assert [request.json for request in api.asked] == [{"kind": "key", "name": "k1", "weight": 2.0}] * 4


def test_a_client_that_repeats_nothing_reports_the_first_failure() -> None:
    with scripted(problem(503), WEIGHTS) as api, Hopline(api.url, retries=0) as client:
        with pytest.raises(DependencyAway) as caught:
            client.weights.list()
        assert client.with_options(retries=1).weights.list().weights
    assert caught.value.retry_after == 0.01
    assert len(api.asked) == 2


def test_a_reply_that_was_asked_to_wait_may_take_longer_than_others() -> None:
    late = Reply(204, after=0.5)
    with scripted(late) as api, Hopline(api.url, timeout=0.2, retries=0) as client:
        Runs(client._session).wait_for("r1", wait=1)
        with pytest.raises(DependencyAway, match="does not answer"):
            Runs(client._session).wait_for("r1")
    assert [request.query for request in api.asked] == [{"wait": ["1.0"]}, {}]


def test_an_api_that_refuses_connections_and_never_answered_is_reported_within_a_second(
    free_port: int,
) -> None:
    began = time.monotonic()
    with Hopline(f"http://127.0.0.1:{free_port}") as client, pytest.raises(DependencyAway) as caught:
        client.weights.list()
    assert "is the address right" in str(caught.value)
    assert 0.1 < time.monotonic() - began < 5


def test_an_api_that_answered_before_is_waited_for_while_it_starts_again(free_port: int) -> None:
    first = ScriptedApi(WEIGHTS, port=free_port)
    client = Hopline(first.url)
    client.weights.list()
    first.close()
    with pytest.raises(DependencyAway) as caught:
        client.with_options(retries=3).weights.list()
    assert "is the address right" not in str(caught.value)

    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(client.weights.list)
        time.sleep(1)
        second = ScriptedApi(WEIGHTS, port=free_port)
        assert waiting.result().weights
        second.close()
    client.close()


class Runs(Noun):
    @operation("POST", "/v1/runs/{run_id}/again", right="submit")
    def again(self, run_id: str) -> None:
        """Run it again."""
        raise NotImplementedError

    @operation("GET", "/v1/runs/{run_id}", right="read")
    def wait_for(self, run_id: str, *, wait: float = 0) -> None:
        """Wait for its end."""
        raise NotImplementedError


def test_what_must_not_be_done_twice_is_sent_again_only_where_it_was_not_sent(free_port: int) -> None:
    with scripted(DROPPED) as api, Hopline(api.url) as client, pytest.raises(DependencyAway):
        Runs(client._session).again("r1")
    assert [request.path for request in api.asked] == ["/v1/runs/r1/again"]
    with Hopline(f"http://127.0.0.1:{free_port}") as client, ThreadPoolExecutor() as pool:
        waiting = pool.submit(Runs(client._session).again, "r1")
        time.sleep(0.05)
        api = ScriptedApi(Reply(204), port=free_port)
        waiting.result()
        api.close()
    assert len(api.asked) == 1


@pytest.mark.parametrize(("status", "kind"), [
    (401, AccessDenied), (403, AccessDenied), (404, NotFound), (409, Conflict), (422, Permanent),
    (429, TooManyJobs), (502, DependencyAway), (503, DependencyAway),
])  # fmt: skip
def test_a_problem_is_the_error_that_it_means(status: int, kind: type[HoplineError]) -> None:
    with (
        scripted(problem(status)) as api,
        Hopline(api.url, retries=0) as client,
        pytest.raises(kind) as caught,
    ):
        client.weights.list()
    assert type(caught.value) is kind
    if status in {429, 503}:
        assert getattr(caught.value, "retry_after", None) == 0.01
    if kind is Permanent:
        assert "request r7" in str(caught.value)


@pytest.mark.parametrize(("status", "field", "value", "kind", "named"), [
    (409, "Idempotency-Key", "k1", KeyReused, "key"),
    (409, "job", "j1", StateConflict, "job"),
    (422, "parameters.max_depth", 99, InvalidInput, "max_depth"),
])  # fmt: skip
def test_a_wrong_field_is_named_as_the_caller_wrote_it_in_the_apis_words(status, field, value, kind, named):
    wrong = {"field": field, "value": value, "allowed": "what fits"}
    message = f"{field} does not fit: send another"
    with (
        scripted(problem(status, detail=message, errors=[wrong])) as api,
        Hopline(api.url) as client,
        pytest.raises(kind) as caught,
    ):
        client.weights.list()
    assert type(caught.value) is kind
    assert (caught.value.field, caught.value.value) == (named, value)
    assert kind is KeyReused or str(caught.value) == message


@pytest.mark.parametrize("reply", [
    Reply(200, "<html>welcome</html>"),
    Reply(404, "<html>nothing here</html>"),
    Reply(302, headers={"Location": "https://login.invalid"}),
    Reply(403, ["no"]),
])  # fmt: skip
def test_what_is_not_the_api_is_told(reply: Reply) -> None:
    with (
        scripted(reply) as api,
        Hopline(api.url) as client,
        pytest.raises(NotTheApi, match="is it hopline's API"),
    ):
        client.weights.list()


def test_a_reply_of_another_form_names_the_field() -> None:
    with (
        scripted(Reply(body={"weights": [{"kind": "key"}]})) as api,
        Hopline(api.url) as client,
        pytest.raises(NotTheApi, match=r"weights\.0\.name"),
    ):
        client.weights.list()


def test_fields_of_a_newer_server_are_left_out() -> None:
    newer = Reply(body={"weights": [WEIGHT | {"of_tomorrow": {}}], "next": 1})
    with scripted(newer) as api, Hopline(api.url) as client:
        assert client.weights.list().weights == (Weight(**WEIGHT),)


def test_another_minor_version_of_the_server_is_told_once_and_another_major_one_refused() -> None:
    major, minor, *_ = version("hopline").split(".")
    near, far = f"{major}.{int(minor) + 1}.0", f"{int(major) + 1}.2.3"
    newer = Reply(body=WEIGHTS.body, headers={"X-Hopline-Version": near})
    with scripted(newer) as api, Hopline(api.url) as client:
        with pytest.warns(UserWarning, match=rf"hopline {near}.*pip install 'hopline=={major}\.") as caught:
            assert [client.weights.list(), client.with_options(retries=1).weights.list()]
        assert len(caught) == 1
    other = Reply(500, "?", {"X-Hopline-Version": far})
    with (
        scripted(other) as api,
        Hopline(api.url) as client,
        pytest.raises(OtherVersion, match=rf"pip install 'hopline=={int(major) + 1}\.2\.\*'"),
    ):
        client.weights.list()
    same = Reply(body=WEIGHTS.body, headers={"X-Hopline-Version": f"{major}.{minor}.99"})
    with scripted(same) as api, Hopline(api.url) as client, warnings.catch_warnings():
        warnings.simplefilter("error")
        client.weights.list()


def test_a_raw_reply_has_status_headers_and_request_id() -> None:
    reply = Reply(body=WEIGHTS.body, headers={"X-Request-ID": "r1", "X-Own": "1"})
    with scripted(reply) as api, Hopline(api.url) as client:
        raw = client.raw(client.weights.set, "key", "k1", weight=None)
    assert (raw.result.weights[0].name, raw.status, raw.request_id) == ("k1", 200, "r1")
    assert raw.headers["x-own"] == "1"
    assert api.asked[0].json == {"kind": "key", "name": "k1", "weight": None}


@pytest.mark.parametrize(("call", "field", "allowed"), [
    (lambda c: c.weights.set("key", "k1", 200.0), "weight", "a number from 0.1 to 100"),
    (lambda c: c.weights.set("boat", "k1", 2.0), "kind", "'collection' or 'key'"),
    (lambda c: c.weights.set("key", "", 2.0), "name", "at least 1 character"),
    (lambda c: c.weights.set("key", "k1"), "weight", "a value"),
    (lambda c: c.weights.set("key", "k1", 2.0, wieght=1), "wieght", "one of: kind, name, weight"),
])  # fmt: skip
def test_a_wrong_argument_is_refused_before_anything_is_sent(
    call: Callable[[Hopline], Any], field: str, allowed: str
) -> None:
    with scripted(WEIGHTS) as api, Hopline(api.url) as client, pytest.raises(InvalidInput) as caught:
        call(client)
    assert (caught.value.field, caught.value.allowed) == (field, allowed)
    assert not api.asked


def test_a_closed_client_opens_its_connections_again() -> None:
    with scripted(WEIGHTS) as api:
        client = Hopline(api.url)
        client.close()
        client.weights.list()
        client.close()
        assert client.weights.list().weights
        client.close()


def test_a_client_prints_nothing_while_it_waits_for_an_absent_server(free_port: int) -> None:
    script = (
        "import hopline\n"
        f"with hopline.Hopline('http://127.0.0.1:{free_port}') as client:\n"
        "    try:\n        client.weights.list()\n    except hopline.DependencyAway:\n        print('away')\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("away\n", "")


def test_a_certificate_that_nobody_vouches_for_is_reported_with_what_to_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOPLINE_CA_FILE", str(tmp_path / "absent.pem"))
    with Hopline("https://127.0.0.1:9") as client, pytest.raises(InvalidInput, match="HOPLINE_CA_FILE"):
        client.weights.list()


def event(number: int, name: str, **data: Any) -> bytes:
    return f"id: {number}-0\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def streamed(*pieces: bytes, cut: bool = False) -> Reply:
    return Reply(200, b"".join(pieces), {"Content-Type": "text/event-stream"}, cut=cut)


COMPLETE = Reply(204)


def test_a_stream_goes_on_behind_the_last_whole_event_that_was_read() -> None:
    half = event(3, "visit.finished", node="bridge")[:-9]
    first = streamed(b": sign of life\n\n", event(1, "job.submitted"), event(2, "item.begun"), half, cut=True)
    second = streamed(event(3, "visit.finished", node="bridge \u2028"), event(4, "job.ended", state="done"))
    with scripted(first, problem(503), second, COMPLETE) as api, Hopline(api.url) as client:
        events = list(client.jobs.events("j1"))
    assert [event.name for event in events] == ["job.submitted", "item.begun", "visit.finished", "job.ended"]
    assert events[2].data == {"node": "bridge \u2028"}
    assert [event.id for event in events] == ["1-0", "2-0", "3-0", "4-0"]
    assert [request.headers.get("Last-Event-ID") for request in api.asked] == [None, "2-0", "2-0", "4-0"]
    assert {request.headers["Accept"] for request in api.asked} == {"text/event-stream"}


def test_a_snapshot_comes_behind_the_event_before_it() -> None:
    snapshot = b'event: snapshot\ndata: {"missed_after": "1-0"}\n\n'
    replies = (
        streamed(event(1, "job.submitted"), cut=True),
        streamed(snapshot, cut=True),
        streamed(snapshot, event(9, "job.ended", state="done")),
        COMPLETE,
    )
    with scripted(*replies) as api, Hopline(api.url) as client:
        names = [event.name for event in client.jobs.events("j1")]
    assert names == ["job.submitted", "snapshot", "snapshot", "job.ended"]
    last_ids = [request.headers.get("Last-Event-ID") for request in api.asked]
    assert last_ids == [None, "1-0", "1-0", "9-0"]


def test_an_end_is_believed_only_when_nothing_follows_it() -> None:
    first = streamed(event(1, "job.submitted"), event(2, "job.ended", state="failed"))
    second = streamed(event(3, "job.retried"), event(4, "job.ended", state="done"))
    with scripted(first, second, COMPLETE) as api, Hopline(api.url) as client:
        names = [event.name for event in client.jobs.events("j1")]
    assert names == ["job.submitted", "job.ended", "job.retried", "job.ended"]


def test_events_are_followed_from_the_one_that_another_process_read_last() -> None:
    with scripted(streamed(event(6, "job.ended")), COMPLETE) as api, Hopline(api.url) as client:
        assert [event.id for event in client.jobs.events("j1", after="5-0")] == ["6-0"]
    assert api.asked[0].headers["Last-Event-ID"] == "5-0"


@pytest.mark.parametrize(("status", "kind"), [(404, NotFound), (401, AccessDenied), (429, TooManyJobs)])
def test_events_of_what_is_gone_or_not_ones_own_say_so(status: int, kind: type[HoplineError]) -> None:
    with scripted(problem(status)) as api, Hopline(api.url) as client, pytest.raises(kind):
        list(client.jobs.events("jx"))
    assert len(api.asked) == 1


def test_a_server_that_stays_away_from_a_follower_is_reported_and_one_that_does_not_end_is_left() -> None:
    declared = operation_of(AsyncJobs.events)

    async def read(api: ScriptedApi, **options: Any) -> list[str]:
        async with AsyncHopline(api.url) as client:
            followed = follow(client._session, declared, {"job_id": "j1"}, **options)
            return [event.name async for event in followed]

    away = scripted(streamed(event(1, "job.submitted"), cut=True), problem(503))
    with away as api, pytest.raises(DependencyAway, match=r"no answer for 0\.1 s: .*all is wrong"):
        asyncio.run(read(api, patience=0.1, backoff=0.05))
    with scripted(streamed(b": sign of life\n\n")) as api, pytest.raises(TimeoutError):
        asyncio.run(read(api, timeout=0.3, backoff=0.05))


def test_who_follows_a_silent_stream_is_given_none_on_one_connection() -> None:
    beat = b"event: heartbeat\ndata: {}\n\n"
    whole = streamed(beat, event(1, "job.submitted"), beat, beat, event(2, "job.ended"))

    async def read(api: ScriptedApi) -> list[str | None]:
        async with AsyncHopline(api.url) as client:
            return [event and event.name async for event in client.jobs.watch("j1")]

    with scripted(whole, COMPLETE) as api:
        assert asyncio.run(read(api)) == [None, None, "job.submitted", None, None, "job.ended"]
        assert [request.headers["Heartbeat"] for request in api.asked] == ["1.0", "1.0"]


def test_the_asynchronous_client_does_the_same() -> None:
    stream = streamed(event(1, "job.submitted"), cut=True), streamed(event(2, "job.ended")), COMPLETE

    async def use(api: ScriptedApi) -> None:
        async with AsyncHopline(api.url, api_key="hop_key") as client:
            assert (await client.weights.list()).weights[0].name == "k1"
            raw = await client.raw(client.pauses.pause, "queue", "bulk")
            assert (raw.status, raw.result.pauses) == (200, ())
            assert [event.name async for event in client.jobs.events("j1")] == ["job.submitted", "job.ended"]

    with scripted(DROPPED, WEIGHTS, Reply(body={"pauses": []}), *stream) as api:
        asyncio.run(use(api))
    assert [request.method for request in api.asked] == ["GET", "GET", "POST", "GET", "GET", "GET"]


def test_a_single_module_is_imported_without_the_client() -> None:
    script = "import sys, hopline.errors; print('httpx2' in sys.modules, 'hopline.sync' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment
    )
    assert ran.stdout.split() == ["False", "False"]


def test_a_query_that_stands_in_the_path_is_sent() -> None:
    sent = Sent("DELETE", "/v1/documents/d1?erase=true", {}, {}, None, has_body=False, repeatable=True)
    options = Endpoint("http://api.invalid", "").request_options(sent, Options())
    request = httpx2.Client(base_url="http://api.invalid").build_request(
        options["method"], options["url"], params=options.get("params")
    )
    assert request.url.query == b"erase=true"


def test_a_project_with_packages_of_the_servers_names_uses_the_client(tmp_path: Path) -> None:
    for name in ("workers", "producer", "infra"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the project was run')", "utf-8")
    ask = "import sys, hopline; print(*hopline.Hopline(sys.argv[1]).weights.list().weights)"
    with scripted(WEIGHTS) as api:
        answered = subprocess.run(
            [sys.executable, "-c", ask, api.url], cwd=tmp_path, capture_output=True, text=True, check=False
        )
    assert "called='mine'" in answered.stdout, answered.stderr
