import json
import os

import pytest
from doubles.blobs import MemoryBlobs

from producer.service.sources import expand_sources
from workers.ingest.reading.source import open_source


@pytest.fixture
def folder(tmp_path):
    for name in ("b.txt", "a.md", "deep/c.HTML", "deep/d.xyz", ".hidden/e.txt", ".f.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("\0" if file.suffix == ".xyz" else f"text of {name}")
    return tmp_path


def names(expansion, folder):
    return [document.uri.removeprefix(f"{folder}/") for document in expansion.documents]


def reasons(expansion):
    return {refused.place.rpartition("/")[2]: refused.reason for refused in expansion.refused}


def write_lines(path, *lines):
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_a_folder_is_searched_in_order_and_unknown_suffixes_are_listed(folder):
    got = expand_sources([folder], MemoryBlobs())
    assert names(got, folder) == ["a.md", "b.txt", "deep/c.HTML"]
    assert [document.format for document in got.documents] == ["md", "txt", "html"]
    assert all(document.source == document.uri for document in got.documents)
    assert list(reasons(got)) == ["d.xyz"]
    assert "unknown suffix '.xyz'" in reasons(got)["d.xyz"]


def test_paths_patterns_and_addresses_are_expanded_to_the_same_documents(folder, monkeypatch):
    monkeypatch.chdir(folder / "deep")
    assert expand_sources(["../b.txt"], MemoryBlobs()).documents[0].uri.endswith("b.txt")
    monkeypatch.chdir(folder)
    first = expand_sources(["b.txt"], MemoryBlobs())
    monkeypatch.chdir(folder / "deep")
    assert expand_sources(["../b.txt"], MemoryBlobs()) == first
    got = expand_sources([f"{folder}/*.md", f"{folder}/**/*.HTML"], MemoryBlobs())
    assert names(got, folder) == ["a.md", "deep/c.HTML"]
    (document,) = expand_sources([f"file://{folder}/b.txt"], MemoryBlobs()).documents
    assert document.uri == f"{folder}/b.txt"
    (folder / "notes [1].txt").write_text("x")
    (document,) = expand_sources([folder / "notes [1].txt"], MemoryBlobs()).documents
    assert document.uri.endswith("notes [1].txt"), "a file whose name looks like a pattern is a file"


def test_naming_a_file_twice_is_no_mistake_and_what_is_not_there_is_refused(folder):
    got = expand_sources([folder / "b.txt", folder, f"{folder}/*.txt"], MemoryBlobs())
    assert names(got, folder) == ["b.txt", "a.md", "deep/c.HTML"]
    assert len(got.refused) == 1
    wrong = [folder / "missing.txt", folder / "*.pdf", "gopher://x/y"]
    got = expand_sources([*wrong, folder / "a.md"], MemoryBlobs())
    assert names(got, folder) == ["a.md"], "the rest goes on"
    assert len(got.refused) == 3


def test_an_upload_puts_the_file_into_the_blobs(folder):
    blobs = MemoryBlobs()
    (document,) = expand_sources([folder / "b.txt"], blobs, upload=True).documents
    assert document.uri == f"{folder}/b.txt"
    assert blobs.get(document.source.removeprefix("blob:")) == b"text of b.txt"
    got = expand_sources([folder / "b.txt"], blobs, upload=True, max_bytes=3)
    assert "at most 3 bytes" in got.refused[0].reason


def test_every_line_of_a_jsonl_file_is_a_document(tmp_path):
    lines = {"id": "x1", "title": "First", "text": "One."}, "", {"id": 7, "text": "Two."}
    file = write_lines(tmp_path / "all.jsonl", *lines, {"text": "Three.", "more": [1]})
    blobs = MemoryBlobs()
    got = expand_sources([file], blobs)
    assert not got.refused
    named = [(document.name, document.title, document.uri) for document in got.documents]
    assert named == [("x1", "First", f"{file}#x1"), ("7", "", f"{file}#7"), ("", "", f"{file}#4")]
    texts = [b"One.", b"Two.", b"Three."]
    assert [open_source(document.source, blobs, 100).read() for document in got.documents] == texts
    assert not blobs.stored  # workers read the lines where they lie
    got = expand_sources([file], blobs, upload=True)
    file.unlink()
    assert [open_source(document.source, blobs, 100).read() for document in got.documents] == texts


@pytest.mark.parametrize(("line", "reason"), [
    ('{"text": "cut off', "JSON"),
    ("[1, 2]", "an object"),
    ({"id": "a"}, "the field is missing"),
    ({"text": 5}, "not a text"),
    ({"text": "  "}, "not empty"),
    ({"text": "x", "id": {}}, "a text or a whole number"),
    ({"text": "x", "title": 5}, "title"),
])  # fmt: skip
def test_a_bad_line_is_refused_with_its_number(tmp_path, line, reason):
    file = write_lines(tmp_path / "all.jsonl", {"text": "good"}, line, {"text": "good too"})
    got = expand_sources([file], MemoryBlobs())
    assert len(got.documents) == 2
    assert got.refused[0].place == f"{file} line 2"
    assert reason in got.refused[0].reason


def test_an_id_given_twice_is_refused_with_both_places(tmp_path):
    first = write_lines(tmp_path / "a.jsonl", {"id": "x", "text": "One."})
    second = write_lines(tmp_path / "b.jsonl", {"id": "y", "text": "Two."}, {"id": "x", "text": "Three."})
    got = expand_sources([first, second], MemoryBlobs())
    assert len(got.documents) == 2
    assert got.refused[0].place == f"{second} line 2"
    assert f"{first} line 1" in got.refused[0].reason


def test_a_name_that_is_not_utf_8_is_refused(tmp_path):
    try:
        (tmp_path / os.fsdecode(b"broken\xff.txt")).write_text("x")
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system takes UTF-8 names only")
    assert "rename it" in expand_sources([tmp_path], MemoryBlobs()).refused[0].reason


def test_a_document_with_too_much_metadata_together_is_refused_and_no_other(tmp_path):
    own = json.dumps({f"f{nth}": nth for nth in range(50)})
    for name, text in (("a.txt", "x"), ("a.txt.meta.json", own), ("b.txt", "x")):
        (tmp_path / name).write_text(text)
    got = expand_sources([tmp_path], MemoryBlobs(), metadata={"author": "Ann"})
    assert [(document.uri.rpartition("/")[2], document.command_metadata) for document in got.documents] == [
        ("b.txt", {"author": "Ann"})
    ]
    assert reasons(got) == {"a.txt": "metadata is '51 fields', but must be at most 50"}
