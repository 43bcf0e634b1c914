"""Documents of one call: packed into requests by the API's limits, or read by the API where they lie."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import httpx2
import pytest
from doubles.command_line import Run
from doubles.desk import Desk, SentMessages
from doubles.desk_streams import ServiceInMemory
from doubles.job_view import job_view

from hopline import Hopline
from hopline.errors import InvalidInput, KeyReused
from hopline.transport import TIMEOUT
from hopline.uploads import Room, look_at, requests_of
from producer.local_application import LocalApplication

ROOM = Room(body_bytes=2000, documents=3, document_bytes=1000, lines=2000)
LIMITS = {"body_bytes": 2000, "documents": 2, "document_bytes": 1000, "lines": 3, "wait_seconds": 30}
ABOUT = {
    "version": "1.0", "access": "local", "caller": {"name": "local", "scopes": [], "collections": None},
    "flower_url": "", "model": "offline", "model_trouble": "", "tools_graph": False, "strategies": [],
    "formats": [], "limits": LIMITS, "parameters": {},
}  # fmt: skip


class Server:
    """Takes all documents that it is given, unless a test prepares another reply, and keeps the requests."""

    def __init__(self, *replies: httpx2.Response, **limits: int) -> None:
        self.seen: list[httpx2.Request] = []
        self._replies = list(replies)
        self._about: dict[str, Any] = ABOUT | {"limits": LIMITS | limits}
        self.client = Hopline("http://api", transport=httpx2.MockTransport(self._reply))

    def reads_paths(self) -> None:
        """Let the server be one of this machine, which reads files where they lie."""
        self._about |= {"caller": self._about["caller"] | {"reads_paths": True}}

    def _reply(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        if request.url.path == "/v1/about":
            return httpx2.Response(200, json=self._about)
        if request.url.path.startswith("/v1/jobs/"):
            return self._job(request)
        self.seen.append(request)
        if self._replies:
            return self._replies.pop(0)
        return taken(f"j{len(self.seen)}")

    def _job(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/events"):
            return httpx2.Response(204)
        job_id = request.url.path.rpartition("/")[2]
        state = "partial" if job_id == "j2" else "done"
        report = {"documents": [{"uri": f"{job_id}.txt", "status": "done"}], "counts": {"done": 1}}
        report |= {"kind": "batch", "job_id": job_id, "status": state}
        ended = {"state": state, "ended": 2.0, "outcome": report}
        return httpx2.Response(200, json=job_view(job_id, kind="batch") | ended)

    @property
    def keys(self) -> list[str]:
        return [request.headers["Idempotency-Key"] for request in self.seen]


def taken(job_id: str) -> httpx2.Response:
    document = {"uri": "one", "job_id": f"{job_id}.d"}
    reply = {"batch": job_view(job_id, kind="batch"), "documents": [document], "refused": []}
    return httpx2.Response(202, json=reply)


def problem(status: int, field: str) -> httpx2.Response:
    wrong = {"field": field, "value": "0.txt: packed", "allowed": "at least one that can be read"}
    return httpx2.Response(status, json={"title": "wrong", "detail": "wrong", "errors": [wrong]})


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text("x", encoding="utf-8")


def test_files_are_packed_into_requests_by_number_and_bytes(tmp_path: Path) -> None:
    for name, size in {"0.txt": 10, "1.txt": 10, "2.txt": 10, "3.txt": 10, "large.md": 900}.items():
        (tmp_path / name).write_text("x" * size, encoding="utf-8")
    (tmp_path / "larger.md").write_text("x" * 990, encoding="utf-8")
    (tmp_path / "too large.md").write_text("x" * 1001, encoding="utf-8")
    write(tmp_path, "back\\slash.txt", ".hidden.txt", "picture.gif")
    (tmp_path / "link.txt").symlink_to(tmp_path / "0.txt")
    named = look_at([tmp_path, tmp_path / "0.txt", "s3://bucket/one.pdf", "s3://bucket/one.pdf"], ROOM)
    assert named.uris == ["s3://bucket/one.pdf"]
    packed = [[part.path.name for part in batch] for batch in requests_of(named.parts, ROOM)]
    assert packed == [["0.txt", "1.txt", "2.txt"], ["3.txt", "large.md"], ["larger.md"]]
    refused = [Path(refusal.uri).name for refusal in named.refused]
    assert refused == ["back\\slash.txt", "link.txt", "picture.gif", "too large.md"]
    assert [part.name for part in named.parts][:1] == [f"{tmp_path.name}/0.txt"]


@pytest.mark.parametrize(("given", "name"), [
    ("docs", "docs/deep/a.md"), ("docs/deep/a.md", "docs/deep/a.md"), ("docs/*/*.md", "docs/deep/a.md"),
    (".", "docs/deep/a.md"), ("../here/docs/deep", "docs/deep/a.md"), ("../other/b.md", "other/b.md"),
    ("{whole}/docs/deep/a.md", "a.md"), ("{whole}/docs", "docs/deep/a.md"),
    ("{whole}/docs/**/*.md", "docs/deep/a.md"),    ("file://{whole}/docs", "docs/deep/a.md"),
])  # fmt: skip
def test_a_file_is_called_as_its_caller_named_it(tmp_path, monkeypatch, given, name):
    here = tmp_path / "here"
    (here / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    write(tmp_path, "here/docs/deep/a.md", "other/b.md")
    monkeypatch.chdir(here)
    named = look_at([given.format(whole=here)], ROOM)
    assert ([part.name for part in named.parts], named.refused) == ([name], [])


def test_two_files_of_one_name_are_not_taken_for_the_same_document(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write(tmp_path, f"{folder}/a.md")
    named = look_at([tmp_path / "one" / "a.md", tmp_path / "two" / "a.md"], ROOM)
    assert [part.name for part in named.parts] == ["a.md"]
    assert [(refusal.uri, refusal.error) for refusal in named.refused] == [(
        f"{tmp_path}/two/a.md",
        f"its name a.md is also that of {tmp_path}/one/a.md: name a folder that holds both",
    )]  # fmt: skip
    both = look_at([tmp_path], ROOM)
    assert [part.name for part in both.parts] == [
        f"{tmp_path.name}/{folder}/a.md" for folder in ("one", "two")
    ]


@pytest.mark.parametrize(("pattern", "found"), [("*.md", ["b.md"]), ("**/*.txt", ["a.txt", "c.txt"])])
def test_a_pattern_means_files(tmp_path: Path, pattern: str, found: list[str]) -> None:
    (tmp_path / "below.txt").mkdir()
    write(tmp_path, "a.txt", "b.md", "below.txt/c.txt")
    named = look_at([f"{tmp_path}/{pattern}"], ROOM)
    assert [part.path.name for part in named.parts] == found
    assert not named.refused


def test_the_home_of_an_account_that_is_not_there_is_refused_with_a_sentence() -> None:
    with pytest.raises(InvalidInput, match=r"^~nobody99/x: the home folder of ~nobody99 is unknown;"):
        Server().client.hand_over(["~nobody99/x"])


def test_a_file_address_is_read_as_its_path(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    named = look_at([f"file://{tmp_path}/a.md", f"file://{tmp_path}/*.md", tmp_path / "a.md"], ROOM)
    assert [part.path for part in named.parts] == [tmp_path / "a.md", tmp_path / "b.md"]
    assert not named.uris
    with pytest.raises(InvalidInput, match=r"nothing to ingest: .*nothing there"):
        Server().client.hand_over([f"file://{tmp_path}/gone.md"])


def test_a_pattern_follows_no_link_below_its_fixed_part(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    write(tmp_path, "secret.md", "docs/a.md", "docs/deep/b.md")
    (docs / "link.md").symlink_to(tmp_path / "secret.md")
    (docs / "deep" / "loop").symlink_to(docs)
    (tmp_path / "named").symlink_to(docs)
    for pattern, found in {
        "docs/*.md": ["docs/a.md"],
        "docs/**/*.md": ["docs/a.md", "docs/deep/b.md"],
        "docs/**": ["docs/a.md", "docs/deep/b.md"],
        "docs/*/*/*.md": [],
        "named/*.md": ["named/a.md"],
    }.items():
        parts = look_at([tmp_path / pattern], ROOM).parts
        assert [str(part.path.relative_to(tmp_path)) for part in parts] == found, pattern


@pytest.mark.parametrize("name", ["gone.txt", "*.pdf", "empty"])
def test_nothing_to_send_is_refused_before_a_request(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    server = Server()
    with pytest.raises(InvalidInput, match=r"nothing to ingest: .*nothing there"):
        server.client.hand_over([tmp_path / name])
    assert not server.seen


def test_a_file_and_its_sidecar_go_in_one_request_and_one_that_may_belong_to_it_keeps_it_back(tmp_path):
    write(tmp_path, "a.txt", "a.txt.meta.json", "b.txt", "c.txt", "C.TXT.META.JSON", "d.txt.meta.json")
    server = Server(body_bytes=300_000)
    submitted = server.client.hand_over([tmp_path])
    [sent] = server.seen
    names = sent.content.decode().split("filename=")[1:]
    assert [Path(name.partition('"')[2].partition('"')[0]).name for name in names] == [
        "a.txt", "a.txt.meta.json", "b.txt",
    ]  # fmt: skip
    refused = {Path(each.uri).name: each.error or "" for each in submitted.refused}
    assert set(refused) == {"C.TXT.META.JSON", "c.txt", "d.txt.meta.json"}
    assert "not taken without 'C.TXT.META.JSON'" in refused["c.txt"]


def test_a_file_with_an_unreadable_sidecar_is_not_sent(tmp_path, monkeypatch):
    write(tmp_path, "a.txt", "a.txt.meta.json", "b.txt")
    (tmp_path / "b.txt.meta.json").write_text("{}" + " " * 70_000, encoding="utf-8")
    opened = Path.open

    def open_file(path: Path, *args: str, **more: str) -> object:
        if path.name == "a.txt.meta.json":
            raise OSError("gone")
        return opened(path, *args, **more)

    server = Server(body_bytes=300_000)
    monkeypatch.setattr(Path, "open", open_file)
    submitted = server.client.hand_over([tmp_path])
    [sent] = server.seen
    assert b'a.txt"' not in sent.content
    assert b'b.txt"' in sent.content
    assert 64_000 < len(sent.content) < 66_000  # no more of a sidecar than the server refuses
    refused = [(Path(refusal.uri).name, refusal.error) for refusal in submitted.refused]
    assert refused == [("a.txt", "cannot be read: gone")]


def test_requests_that_are_refused_leave_the_others(tmp_path: Path) -> None:
    write(tmp_path, "0.txt", "1.txt", "2.txt", "3.txt")
    server = Server(problem(422, "documents"))
    submitted = server.client.hand_over([tmp_path], "bridges", key="k", priority="low")
    assert (submitted.job_ids, submitted.documents) == (("j2",), 1)
    assert [Path(refusal.uri).name for refusal in submitted.refused] == ["0.txt", "1.txt"]
    assert server.keys == ["k", "k.2"]
    assert b'name="priority"\r\n\r\nlow' in server.seen[1].content
    assert b'name="collection"\r\n\r\nbridges' in server.seen[1].content


def test_the_same_call_again_sends_the_same_keys_and_another_ones_key_ends_it(tmp_path: Path) -> None:
    write(tmp_path, "0.txt", "1.txt", "2.txt")
    told: list[tuple[int, int]] = []
    for server in (first := Server(), again := Server()):
        server.client.hand_over([tmp_path], key="night 7", progress=lambda *counts: told.append(counts))
    assert first.keys == again.keys == ["night%207", "night%207.2"]
    assert [request.content.count(b"filename") for request in again.seen] == [2, 1]
    assert told[:2] == [(2, 3), (3, 3)]
    other = Server(problem(409, "Idempotency-Key"))
    with pytest.raises(KeyReused):
        other.client.hand_over([tmp_path], key="k")
    assert len(other.seen) == 1
    for server in (first := Server(), second := Server()):
        server.client.hand_over([tmp_path])
    assert not {*first.keys} & {*second.keys}, "without a key each call is one of its own"


def test_an_error_amid_several_requests_names_the_jobs_that_go_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *(f"{n}.txt" for n in range(6)))
    full = httpx2.Response(429, json={"title": "full", "detail": "too many jobs"})
    client = Server(taken("j1"), taken("j2"), full).client.with_options(retries=0)
    monkeypatch.setattr("hopline.commands.ingest.connected", lambda: nullcontext(client))
    result = run("ingest", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: too many jobs. Submitted before this error, and going on: j1, j2\n"
    alone = Server(full).client.with_options(retries=0)
    monkeypatch.setattr("hopline.commands.ingest.connected", lambda: nullcontext(alone))
    assert run("ingest", tmp_path).stderr == "error: too many jobs\n"


def test_ctrl_c_names_all_jobs_of_several_requests(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    write(tmp_path, "0.txt", "1.txt", "2.txt")
    monkeypatch.setattr("hopline.commands.ingest.connected", lambda: nullcontext(Server().client))
    monkeypatch.setattr("hopline.views.live.follow", interrupted)
    result = run("ingest", tmp_path)
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-2:] == ["Job j1 had ended: done.", "Job j2 had ended: partial."]


@pytest.mark.parametrize("is_here", [True, False])
def test_a_server_that_reads_files_where_they_lie_is_waited_for(tmp_path: Path, *, is_here: bool) -> None:
    write(tmp_path, "0.txt")
    server = Server()
    if is_here:
        server.reads_paths()
    server.client.hand_over([tmp_path])
    assert server.seen[0].extensions["timeout"]["read"] == (None if is_here else TIMEOUT)


def test_a_request_whose_files_are_gone_keeps_its_number(tmp_path: Path) -> None:
    write(tmp_path, "0.txt", "1.txt", "2.txt", "3.txt", "4.txt")

    def delete(_done: int, _of_all: int) -> None:
        for name in ("2.txt", "3.txt"):
            (tmp_path / name).unlink(missing_ok=True)

    server = Server()
    submitted = server.client.hand_over([tmp_path], key="k", progress=delete)
    assert server.keys == ["k", "k.3"]
    assert [Path(refusal.uri).name for refusal in submitted.refused] == ["2.txt", "3.txt"]


@pytest.mark.parametrize("key", ["k" * 199, "é" * 33 + "k"])
def test_a_key_too_long_for_the_last_request_is_refused_before_the_first(tmp_path: Path, key: str) -> None:
    write(tmp_path, "0.txt", "1.txt", "2.txt")
    server = Server()
    server.client.hand_over([tmp_path / "0.txt"], key=key)
    assert len(server.seen) == 1
    with pytest.raises(InvalidInput, match=r"^key is .*2 requests"):
        server.client.hand_over([tmp_path], key=key)
    assert len(server.seen) == 1
    server.client.hand_over([tmp_path], key=key[:-1])
    assert len(server.seen) == 3


def test_a_list_that_is_too_long_is_cut_between_lines_and_keeps_their_numbers(tmp_path: Path) -> None:
    lines = ["", *(f'{{"text": "{letter}"}}' for letter in "abcd"), "", '{"text": "e"}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"text": "f"}\n{"text": "g"}\n', encoding="utf-8")
    server = Server()
    server.client.hand_over([tmp_path])
    sent = [request.content.decode() for request in server.seen]
    letters = [[letter for letter in "abcdefg" if f'"text": "{letter}"' in content] for content in sent]
    assert letters == [["a", "b", "c"], ["d", "e"], ["f", "g"]], "three lines in a request at most"
    second = sent[1].partition("filename=")[2].partition("\r\n\r\n")[2].split("\r\n--")[0]
    assert numbered(second) == {4: lines[4], 6: lines[6]}
    long = [f'{{"text": "{letter * 600}"}}' for letter in "abcde"]
    (tmp_path / "c.jsonl").write_text("\n".join(long), encoding="utf-8")
    parts = look_at([tmp_path / "c.jsonl"], ROOM).parts
    with ExitStack() as opened:
        pieces = [content.decode() for part in parts for _, content in part.open(opened)]  # type: ignore[union-attr]
    assert len(pieces) == 3
    assert numbered(*pieces) == dict(enumerate(long))


def numbered(*pieces: str) -> dict[int, str]:
    """Return the lines of pieces of a list, each of which has its line's number."""
    return {n: line for piece in pieces for n, line in enumerate(piece.split("\n")) if line}


def test_texts_go_in_requests_of_bounded_size_with_what_they_are_taken_in_with() -> None:
    server = Server()
    texts = [{"name": f"{n}", "text": "One." * (1 + 440 * (n == 3))} for n in range(4)]
    server.client.hand_over(texts, "notes", chunk_tokens=300, chunk_overlap=0, metadata={"author": "Ann"})
    bodies: list[Any] = [json.loads(request.content) for request in server.seen]
    assert [[text["name"] for text in body["texts"]] for body in bodies] == [["0", "1"], ["2"], ["3"]]
    taken_with = {
        name: bodies[0][name] for name in ("collection", "chunk_tokens", "chunk_overlap", "metadata")
    }
    assert taken_with == {
        "collection": "notes", "chunk_tokens": 300, "chunk_overlap": 0, "metadata": {"author": "Ann"},
    }  # fmt: skip
    with pytest.raises(InvalidInput, match=r"texts\.0\.text"):
        server.client.hand_over([{"name": "empty"}])


def test_an_ingestion_waits_for_all_its_jobs_and_reports_them_as_one(tmp_path: Path) -> None:
    write(tmp_path, "0.txt", "1.txt", "2.txt", "picture.gif")
    report = Server().client.ingest([tmp_path], "bridges")
    assert (report.job_id, report.status, report.counts) == ("j1", "partial", {"done": 2, "failed": 1})
    assert [Path(document.uri).name for document in report.documents] == ["j1.txt", "j2.txt", "picture.gif"]


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def local(desk: Desk) -> Iterator[Hopline]:
    application = LocalApplication(service=ServiceInMemory(desk, SentMessages()), via="client")
    with Hopline("http://localhost", api_key="", transport=application.transport()) as client:
        yield client


def test_the_application_of_this_process_reads_files_where_they_lie(
    desk: Desk, local: Hopline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, listed = tmp_path / "docs", tmp_path / "list.uris"
    folder.mkdir()
    write(folder, *(f"{n}.txt" for n in range(40)), "picture.gif")
    (folder / "0.txt.meta.json").write_text('{"author": "Ann"}', encoding="utf-8")
    listed.write_text("https://a.example/b.md\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    submitted = local.hand_over([Path("docs"), f"{folder}/1*.txt", "list.uris"], "bridges", key="k")
    assert (submitted.documents, len(submitted.job_ids)) == (41, 1)
    assert [Path(refusal.uri).name for refusal in submitted.refused] == ["picture.gif"]
    [record] = desk.ledger.jobs()
    assert record.job.params["label"].startswith(f"{folder}, {folder}/")
    first = desk.ledger.phases[record.job.id].items[0].input
    assert (first["uri"], first["source"], first["metadata"]) == (
        f"{folder}/0.txt", f"{folder}/0.txt", {"author": "Ann"},
    )  # fmt: skip
    again = local.hand_over([folder, f"{folder}/1*.txt", listed], "bridges", key="k")
    assert again.job_id == submitted.job_id
    with pytest.raises(InvalidInput, match=r"nothing to ingest: .*nothing there"):
        local.hand_over([folder / "gone"])
