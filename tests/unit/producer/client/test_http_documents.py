"""Documents handed over by HTTP, against replies that a test makes: what a request holds."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from doubles.job_view import job_view

from producer import Hopline
from producer.api.access import Caller
from producer.api.routes.about import about
from producer.client.http.documents import room_of
from producer.client.http.files import Room, look_at
from producer.client.http.link import HttpLink
from producer.service.keys import LOCAL
from workers.core.errors import InvalidInput
from workers.ingest.profile.profile import ProfileText
from workers.settings import Settings

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
    description = about(
        SimpleNamespace(
            settings=Settings(_env_file=None, **own), service=SimpleNamespace(model_trouble=lambda: "")
        ),
        Caller(LOCAL),
    )
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
