"""The client over HTTP against replies that a test makes: what it repeats and sends, what errors mean."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
import stamina
from doubles.job_view import job_view

from hopline.errors import (
    AccessDenied,
    Conflict,
    DependencyAway,
    HoplineError,
    InvalidInput,
    KeyReused,
    NotFound,
    NotTheApi,
    Permanent,
    StateConflict,
    TooManyJobs,
)
from hopline.operation import quoted
from producer import Hopline
from producer.api.access import Caller
from producer.api.routes.about import about
from producer.client.http.connection import key_header
from producer.client.http.documents import room_of
from producer.client.http.files import Room, look_at, requests_of
from producer.client.http.link import HttpLink
from producer.client.watch import JobWatch
from producer.service.keys import LOCAL
from workers.ingest.profile.profile import ProfileText
from workers.ledger.records import Wanted
from workers.settings import Settings

ROOM = Room(body_bytes=2000, documents=3, document_bytes=1000)
VIEW = job_view(priority="high", request_id="r1")
ENDED = VIEW | {"state": "done", "ended": 2.0}
Reply = Callable[[httpx2.Request], httpx2.Response]


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with stamina.set_testing(True, attempts=4):
        yield


def link_over(reply: Reply) -> HttpLink:
    return HttpLink("http://api", "hop_key", transport=httpx2.MockTransport(reply))


def over(reply: Reply) -> Hopline:
    """Return a client whose requests a test answers."""
    return Hopline(link=link_over(reply))


def watched(reply: Reply) -> JobWatch:
    """Return a watch of the job j1 that tries again at once."""
    return JobWatch(link_over(reply).jobs.feed("j1"), "j1", backoff=0.0)


def problem(status: int, **fields: Any) -> httpx2.Response:
    body = {"title": "wrong", "detail": "all is wrong", "request_id": "r7", "errors": [], **fields}
    headers = {"Retry-After": "1"} if status in {429, 503} else {}
    return httpx2.Response(status, json=body, headers=headers)


def in_turn(*replies: httpx2.Response | Exception) -> tuple[Reply, list[httpx2.Request]]:
    left, seen = list(replies), list[httpx2.Request]()

    def reply(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return reply, seen


def test_a_request_that_may_be_repeated_is_and_the_key_stays_the_same() -> None:
    away, slow = httpx2.ReadError("reset"), problem(503)
    reply, seen = in_turn(away, slow, httpx2.Response(202, json=VIEW))
    assert over(reply).submit_question("When?") == "j1"
    assert len({request.headers["Idempotency-Key"] for request in seen}) == 1
    assert len(seen) == 3
    assert seen[0].headers["Authorization"] == "Bearer hop_key"
    record = over(lambda _request: httpx2.Response(200, json=VIEW)).job("j1")
    assert (record.job.id, record.job.priority, record.job.webhook) == ("j1", "high", "")
    assert (record.state, record.job.request_id, record.job.params) == ("running", "r1", VIEW["params"])


@pytest.mark.parametrize(
    ("error", "attempts"), [(httpx2.ConnectError("refused"), 3), (httpx2.ConnectTimeout("no reply"), 1)]
)
def test_an_api_that_never_answered_is_reported_soon(error: httpx2.TransportError, attempts: int) -> None:
    reply, seen = in_turn(*[error] * 8)
    with stamina.set_testing(False), pytest.raises(DependencyAway, match="is the address right"):
        over(reply).jobs()
    assert len(seen) == attempts


def test_an_api_that_answered_before_is_waited_for_as_long_as_it_takes_to_start_again() -> None:
    refused = httpx2.ConnectError("Connection refused")
    reply, seen = in_turn(
        problem(503), problem(503), *[refused] * 4, httpx2.Response(200, json={"jobs": [], "next": None})
    )
    with stamina.set_testing(True, attempts=8, cap=True):
        assert not over(reply).jobs()
    assert len(seen) == 7


@pytest.mark.parametrize("client", ["Hopline('http://127.0.0.1:9')", "Hopline()"])
def test_a_client_prints_nothing_while_it_waits_for_an_absent_server(client: str, tmp_path: Path) -> None:
    script = (
        "from producer import Hopline\n"
        "from workers.core.errors import HoplineError\n"
        "from redis.exceptions import RedisError\n"
        "import structlog\n"
        f"with {client} as hopline:\n"
        "    try:\n        hopline.jobs()\n    except (HoplineError, RedisError):\n        pass\n"
        "structlog.get_logger().info('mine')\n"  # what the program itself logs stays where it was
    )
    environment = os.environ | {"HOPLINE_VAR": str(tmp_path), "HOPLINE_REDIS_URL": "redis://127.0.0.1:9/0"}
    ran = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment
    )
    assert ran.stderr == ""
    assert [line.split()[-1] for line in ran.stdout.splitlines()] == ["mine"]


def test_of_several_collections_the_jobs_of_each_are_listed_and_of_none_no_job() -> None:
    places = ["a", "b", "c", "b", "a", "c", "b"]
    seen = list[httpx2.Request]()

    def reply(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        params = request.url.params
        at = int(params.get("cursor", 0))
        behind = at + min(2, int(params["limit"]))
        jobs = [{**VIEW, "id": f"j{n}", "collection": places[n]} for n in range(at, min(behind, 7))]
        return httpx2.Response(200, json={"jobs": jobs, "next": str(behind) if behind < 7 else None})

    link = HttpLink("http://api", None, transport=httpx2.MockTransport(reply))
    two = Wanted(collections=frozenset({"a", "b"}))
    assert [record.job.id for record in link.jobs.newest(two, 4)] == ["j0", "j1", "j3", "j4"]
    assert [record.job.id for record in link.jobs.newest(two, 50)] == ["j0", "j1", "j3", "j4", "j6"]
    assert not any("collection" in request.url.params for request in seen)
    seen.clear()
    assert link.jobs.newest(Wanted(collections=frozenset()), 50) == []
    assert not seen


def test_a_retry_of_dead_letters_is_sent_twice_only_where_it_was_not_sent() -> None:
    reply, seen = in_turn(httpx2.ConnectError("refused"), httpx2.ReadError("reset"))
    with pytest.raises(DependencyAway, match="reset"):
        over(reply).retry("j1")
    assert len(seen) == 2


@pytest.mark.parametrize(("status", "kind"), [
    (401, AccessDenied), (404, NotFound), (409, Conflict), (422, Permanent), (429, TooManyJobs),
    (502, DependencyAway), (503, DependencyAway),
])  # fmt: skip
def test_a_problem_is_the_error_that_it_means(status: int, kind: type[HoplineError]) -> None:
    with pytest.raises(kind) as caught:
        over(lambda _request: problem(status)).job("j1")
    assert type(caught.value) is kind
    if status in {429, 503}:
        assert getattr(caught.value, "retry_after", None) == 1.0
    if kind is Permanent:
        assert "request r7" in str(caught.value)


@pytest.mark.parametrize(("status", "field", "value", "kind", "named"), [
    (409, "Idempotency-Key", "k1", KeyReused, "key"),
    (409, "job", "j1", StateConflict, "job"),
    (422, "parameters.max_depth", 99, InvalidInput, "max_depth"),
])  # fmt: skip
def test_a_wrong_field_is_named_as_the_caller_wrote_it_in_the_apis_words(status, field, value, kind, named):
    wrong = {"field": field, "value": repr(value), "allowed": "what fits"}
    message = f"{field} does not fit: send another"
    with pytest.raises(kind) as caught:
        over(lambda _request: problem(status, detail=message, errors=[wrong])).retry("j1")
    assert type(caught.value) is kind
    assert (caught.value.field, caught.value.value) == (named, value)
    assert kind is KeyReused or str(caught.value) == message


@pytest.mark.parametrize("reply", [
    httpx2.Response(200, text="<html>welcome</html>"),
    httpx2.Response(404, text="<html>nothing here</html>"),
    httpx2.Response(302, headers={"Location": "https://login.example"}),
    httpx2.Response(403, json=["no"]),
])  # fmt: skip
def test_what_is_not_the_api_is_told(reply: httpx2.Response) -> None:
    with pytest.raises(NotTheApi, match="is it hopline's API"):
        over(lambda _request: reply).collections()


def event(number: int, name: str, **data: Any) -> bytes:
    return f"id: {number}-0\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()


class Broken(httpx2.SyncByteStream):
    """A stream that is cut, or that ends."""

    def __init__(self, *pieces: bytes, cut: bool = False) -> None:
        self._pieces, self._cut = pieces, cut

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        if self._cut:
            raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")


def streamed(*pieces: bytes, cut: bool = False) -> httpx2.Response:
    headers = {"Content-Type": "text/event-stream"}
    return httpx2.Response(200, headers=headers, stream=Broken(*pieces, cut=cut))


def test_a_stream_goes_on_behind_the_last_whole_event_that_was_read() -> None:
    half = event(3, "visit.finished", node="bridge")[:-9]
    first = streamed(b": sign of life\n\n", event(1, "job.submitted"), event(2, "item.begun"), half, cut=True)
    second = streamed(event(3, "visit.finished", node="bridge \u2028"), event(4, "job.ended", state="done"))
    ended = httpx2.Response(200, json=ENDED)
    reply, seen = in_turn(first, problem(503), second, ended)
    events = list(watched(reply))
    assert [event.name for event in events] == ["job.submitted", "item.begun", "visit.finished", "job.ended"]
    assert events[2].data == {"node": "bridge \u2028"}
    last_ids = [request.headers.get("Last-Event-ID") for request in seen]
    assert last_ids == [None, "2-0", "2-0", None]
    snapshot = b'event: snapshot\ndata: {"missed_after": "1-0"}\n\n'
    first, second = streamed(event(1, "job.submitted"), cut=True), streamed(snapshot, cut=True)
    third = streamed(snapshot, event(9, "job.ended", state="done"))
    reply, seen = in_turn(first, second, third, httpx2.Response(200, json=ENDED))
    names = [event.name for event in watched(reply)]
    assert names == ["job.submitted", "snapshot", "snapshot", "job.ended"]
    assert [request.headers.get("Last-Event-ID") for request in seen] == [None, "1-0", "1-0", None]
    running, ended = (httpx2.Response(200, json=view) for view in (VIEW, ENDED))
    first, second = streamed(event(1, "job.submitted")), streamed(event(2, "job.ended", state="done"))
    reply, seen = in_turn(first, running, second, ended)
    assert [event.name for event in over(reply).watch("j1")] == ["job.submitted", "job.ended"]
    assert len(seen) == 4


@pytest.mark.parametrize(("status", "kind"), [(404, NotFound), (401, AccessDenied)])
def test_a_watch_of_what_is_gone_or_not_ones_own_says_so(status: int, kind: type[HoplineError]) -> None:
    with pytest.raises(kind):
        list(over(lambda _request: problem(status)).watch("jx"))


def test_files_are_packed_into_requests_by_number_and_bytes(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("x" * 10, encoding="utf-8")
    (tmp_path / "large.md").write_text("x" * 900, encoding="utf-8")
    (tmp_path / "larger.md").write_text("x" * 990, encoding="utf-8")
    (tmp_path / "too large.md").write_text("x" * 1001, encoding="utf-8")
    (tmp_path / "back\\slash.txt").write_text("x", encoding="utf-8")
    (tmp_path / ".hidden.txt").write_text("x", encoding="utf-8")
    named = look_at([tmp_path, tmp_path / "0.txt", "s3://bucket/one.pdf", "s3://bucket/one.pdf"], ROOM)
    assert named.uris == ["s3://bucket/one.pdf"]
    packed = [[part.path.name for part in batch] for batch in requests_of(named.parts, ROOM)]
    assert packed == [["0.txt", "1.txt", "2.txt"], ["3.txt", "large.md"], ["larger.md"]]
    assert [Path(refusal.uri).name for refusal in named.refused] == ["back\\slash.txt", "too large.md"]
    assert all(not part.name.startswith("/") for part in named.parts)


def test_requests_that_are_refused_leave_the_others(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("x", encoding="utf-8")
    limits = {"body_bytes": 2000, "documents": 2, "document_bytes": 1000}
    about = httpx2.Response(200, json={"limits": limits})
    wrong = {"field": "documents", "value": "'0.txt: packed'", "allowed": "at least one that can be read"}
    documents = [{"uri": "2.txt", "job_id": "j2"}, {"uri": "3.txt", "job_id": "j3"}]
    taken = httpx2.Response(202, json={"batch": VIEW, "documents": documents, "refused": []})
    reply, seen = in_turn(about, problem(422, errors=[wrong]), taken)
    submitted = over(reply).submit_documents([tmp_path], "bridges", key="k", priority="low")
    assert (submitted.job_id, submitted.documents, submitted.more) == ("j1", 2, ())
    assert [Path(refusal.uri).name for refusal in submitted.refused] == ["0.txt", "1.txt"]
    assert [request.headers.get("Idempotency-Key") for request in seen] == [None, "k", "k.2"]
    assert b'name="priority"\r\n\r\nlow' in seen[2].content
    assert b'name="collection"\r\n\r\nbridges' in seen[2].content


def test_keys_and_names_travel_whole() -> None:
    assert key_header("a key, 熵%")["Idempotency-Key"] == "a%20key,%20%E7%86%B5%25"
    assert quoted("a/b?c#d") == "a%2Fb%3Fc%23d"
    for dots in ("", ".", ".."):
        with pytest.raises(NotFound):
            quoted(dots)


@pytest.mark.parametrize(("url", "options"), [
    ("ftp://example.org", {}), ("example.org", {}), ("http://", {}), ("http://u:p@example.org", {}),
    ("http://example.org:99999", {}), ("http://example.org", {"publisher": object()}),
    (None, {"api_key": "hop_secret"}),
])  # fmt: skip
def test_what_is_no_address_and_foreign_options_are_refused(url: str | None, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Hopline(url, **options)
    assert caught.value.field == next(iter(options), "url")
    assert "u:p" not in str(caught.value)
    assert "hop_secret" not in str(caught.value)


ABOUT = {"limits": {"body_bytes": 2000, "documents": 2, "document_bytes": 1000, "lines": 3}}


class Server:
    """Takes all documents that it is given, and keeps the requests."""

    def __init__(self) -> None:
        self.seen: list[httpx2.Request] = []
        self.client = Hopline(link=HttpLink("http://api", None, transport=httpx2.MockTransport(self._reply)))

    def _reply(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/v1/about":
            return httpx2.Response(200, json=ABOUT)
        self.seen.append(request)
        document = {"uri": "one", "job_id": "j2"}
        return httpx2.Response(
            202, json={"batch": job_view(kind="batch"), "documents": [document], "refused": []}
        )


def test_a_profile_that_came_as_text_is_sent_as_it_is_and_read_from_no_file(tmp_path: Path) -> None:
    server, texts = Server(), [{"name": "one", "text": "One."}]
    own = '# ours\n[entities]\nParty = "who signs"\n'
    server.client.submit_texts(texts, profile=ProfileText(own))
    [sent] = server.seen
    assert json.loads(sent.content)["profile"] == own
    path = tmp_path / "own.toml"
    path.write_text(own, encoding="utf-8")
    with pytest.raises(InvalidInput, match="profile: got"):
        server.client.submit_texts(texts, profile=ProfileText(path))
    assert len(server.seen) == 1


def test_a_client_packs_by_the_limits_that_the_server_tells() -> None:
    own = {"api_body_bytes": 5000, "api_documents": 7, "api_lines": 11, "limits": {"max_document_bytes": 900}}
    service = SimpleNamespace(
        model_trouble=str, tools_trouble=str, tools=SimpleNamespace(has_graph=lambda: False)
    )
    context = SimpleNamespace(settings=Settings(_env_file=None, **own), service=service)
    description = about(context, Caller(LOCAL))
    packed = Room(body_bytes=5000, documents=7, lines=11, document_bytes=900)
    assert room_of(description.model_dump(mode="json")) == packed


def test_a_list_that_is_too_long_is_cut_between_lines_and_keeps_their_numbers(tmp_path: Path) -> None:
    lines = ["", *(f'{{"text": "{letter}"}}' for letter in "abcd"), "", '{"text": "e"}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"text": "f"}\n{"text": "g"}\n', encoding="utf-8")
    server = Server()
    server.client.submit_documents([tmp_path])
    sent = [request.content.decode() for request in server.seen]
    letters = [[letter for letter in "abcdefg" if f'"text": "{letter}"' in content] for content in sent]
    assert letters == [["a", "b", "c"], ["d", "e"], ["f", "g"]], "three lines in a request at most"
    assert numbered(sent[1].partition("octet-stream\r\n\r\n")[2].split("\r\n--")[0]) == {
        4: lines[4],
        6: lines[6],
    }
    long = [f'{{"text": "{letter * 600}"}}' for letter in "abcde"]
    (tmp_path / "c.jsonl").write_text("\n".join(long), encoding="utf-8")
    room = Room(body_bytes=2000, documents=3, document_bytes=1000)
    pieces = [part.read().decode() for part in look_at([tmp_path / "c.jsonl"], room).parts]
    assert len(pieces) == 3
    assert numbered(*pieces) == dict(enumerate(long))


def numbered(*pieces: str) -> dict[int, str]:
    """Return the lines of pieces of a list, each of which has its line's number."""
    return {n: line for piece in pieces for n, line in enumerate(piece.split("\n")) if line}


def test_chunk_sizes_go_with_texts_and_with_files(tmp_path: Path) -> None:
    server = Server()
    server.client.submit_texts([{"name": "one", "text": "One."}], chunk_tokens=300, chunk_overlap=0)
    (tmp_path / "a.txt").write_text("A.", encoding="utf-8")
    server.client.submit_documents([tmp_path], chunk_tokens=300)
    request, form = server.seen
    assert [json.loads(request.content)[name] for name in ("chunk_tokens", "chunk_overlap")] == [300, 0]
    assert 'name="chunk_tokens"\r\n\r\n300\r\n' in form.content.decode()
    assert "chunk_overlap" not in form.content.decode()


def test_a_file_with_an_unreadable_sidecar_is_not_sent(tmp_path, monkeypatch):
    for name in ("a.txt", "a.txt.meta.json", "b.txt", "b.txt.meta.json"):
        (tmp_path / name).write_text("{}" + " " * 70_000 * name.startswith("b.txt.m"), encoding="utf-8")
    room = ABOUT["limits"] | {"body_bytes": 300_000}
    monkeypatch.setitem(ABOUT, "limits", room)
    opened = Path.open

    def open_file(path: Path, *args: str, **more: str) -> object:
        if path.name == "a.txt.meta.json":
            raise OSError("gone")
        return opened(path, *args, **more)

    server = Server()
    monkeypatch.setattr(Path, "open", open_file)
    submitted = server.client.submit_documents([tmp_path])
    [sent] = server.seen
    assert b'a.txt"' not in sent.content
    assert b'b.txt"' in sent.content
    assert 64_000 < len(sent.content) < 66_000  # no more of a sidecar than the server refuses
    assert [(Path(refusal.uri).name, refusal.error) for refusal in submitted.refused] == [
        ("a.txt", "cannot be read: gone")
    ]


def test_a_filter_is_sent_as_it_was_written_and_as_json_without_spaces() -> None:
    sent: list[str] = []

    def reply(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.url.params["where"])
        return httpx2.Response(200, json={"documents": [], "next": None})

    client = Hopline(link=HttpLink("http://api", None, transport=httpx2.MockTransport(reply)))
    written = " or ".join(f"author{nth} = 'Zoë'" for nth in range(90))
    assert list(client.documents("c", where=written)) == []
    assert list(client.documents("c", where={"field": "author", "op": "=", "value": "Zoë"})) == []
    assert sent == [written, '{"field":"author","op":"=","value":"Zoë"}']


def test_a_newer_servers_answers_are_read_and_an_older_servers_requests_written() -> None:
    held = {"id": "d0", "collection": "c", "uri": "a.txt", "title": "A", "content_hash": "h"}
    newer = held | {"of_tomorrow": {}}

    def reply(request: httpx2.Request) -> httpx2.Response:
        listed = request.url.path == "/v1/documents"
        return httpx2.Response(200, json={"documents": [newer], "next": None} if listed else newer)

    client = Hopline(link=HttpLink("http://api", None, transport=httpx2.MockTransport(reply)))
    assert [document.id for document in client.documents("c")] == ["d0"]
    assert client.document("d0").title == "A"
    server = Server()
    fields = {"name": "two", "text": "Two.", "metadata": {"author": "Ann"}}
    server.client.submit_texts([{"name": "one", "text": "One."}, fields])
    [sent] = server.seen
    assert [text.get("metadata") for text in json.loads(sent.content)["texts"]] == [None, {"author": "Ann"}]
    assert "metadata" not in json.loads(sent.content)["texts"][0]
