import inspect
import os
import sys
import tracemalloc

import fsspec
import pytest
from doubles.blobs import MemoryBlobs

from hopline.errors import DocumentUnreadable
from workers.ingest.reading.source import open_source
from workers.sources.addresses import Uploaded
from workers.sources.documents import list_sources
from workers.sources.doubles import FirstPlaces, without_doubles
from workers.sources.formats import Found, Refused

LIMIT = 20_000_000


def uris(named):
    return [entry.document.uri for entry in named if isinstance(entry, Found)]


def refusals(named):
    return {entry.place: entry.reason for entry in named if isinstance(entry, Refused)}


def write(path, text="text"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def store():
    """A store that is no folder of this machine."""
    system = fsspec.filesystem("memory")
    for name in ("a.txt", "deep/b.md", "deep/.hidden.txt", "deep/deeper/c.txt", "list.uris"):
        text = "b.md\n/deep/deeper/c.txt\n" if name == "list.uris" else f"text of {name}"
        system.pipe_file(f"/bucket/{name}", text.encode())
    yield "memory://bucket"
    system.rm("/bucket", recursive=True)


@pytest.fixture
def opened(monkeypatch):
    folders, real = [], os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: folders.append(folder) or real(folder))
    return folders


def test_a_listing_reads_no_further_than_it_is_asked(tmp_path, opened):
    for name in ("1/a.txt", "2/b.txt", "3/c.txt"):
        write(tmp_path / name)
    listing = list_sources([tmp_path])
    next(listing)
    assert opened == [str(tmp_path), str(tmp_path / "1")]


def test_formats_have_their_usual_suffixes(tmp_path):
    for name in ("a.markdown", "b.text", "c.log", "d.json", "e.xhtml", "g.meta.json", "h.JSON"):
        write(tmp_path / name)
    write(tmp_path / "f.ndjson", '{"id": "one", "text": "The mill was built."}\n')
    listed = list(list_sources([tmp_path]))
    found = [entry for entry in listed if isinstance(entry, Found)]
    assert {entry.place.rpartition("/")[2]: entry.document.format for entry in found} == {
        "a.markdown": "md", "b.text": "txt", "c.log": "txt", "d.json": "txt", "e.xhtml": "html",
        "f.ndjson line 1": "txt", "h.JSON": "txt",
    }  # fmt: skip
    assert [place.rpartition("/")[2] for place in refusals(listed)] == ["g.meta.json"]


def test_folders_nested_deeper_than_python_calls_are_listed(tmp_path):
    deep = tmp_path
    for _ in range(400):
        deep /= "d"
        deep.mkdir()
    write(deep / "a.txt")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        assert uris(list_sources([tmp_path])) == [str(deep / "a.txt")]
    finally:
        sys.setrecursionlimit(limit)


def test_a_pattern_enters_no_folder_that_cannot_hold_what_it_means(tmp_path, opened):
    for name in ("x/1/a.txt", "y/1/a.txt", "y/1/deep/a.txt", "y/2/b.md"):
        write(tmp_path / name)
    assert uris(list_sources([f"{tmp_path}/y/*/*.txt"])) == [f"{tmp_path}/y/1/a.txt"]
    assert opened == [f"{tmp_path}/y", f"{tmp_path}/y/1", f"{tmp_path}/y/2"]
    deep = uris(list_sources([f"{tmp_path}/[y-z]/**/a.txt"]))
    assert deep == [f"{tmp_path}/y/1/a.txt", f"{tmp_path}/y/1/deep/a.txt"]


def test_links_are_told_and_followed_where_that_is_asked_for(tmp_path):
    target = write(tmp_path / "aside" / "target.txt")
    folder = tmp_path / "folder"
    write(folder / "a.txt")
    (folder / "link.txt").symlink_to(target)
    (folder / "more").symlink_to(tmp_path / "aside")
    (folder / "loop").symlink_to(folder)
    (folder / "gone.txt").symlink_to(tmp_path / "gone")
    (folder / "self.txt").symlink_to("self.txt")

    links = ("link.txt", "more", "loop", "gone.txt", "self.txt")
    reasons = refusals(list_sources([folder]))
    assert set(reasons) == {f"{folder}/{name}" for name in links}
    assert f"to {target}: links are not followed" in reasons[f"{folder}/link.txt"]

    named = list(list_sources([folder], follow_links=True))
    assert uris(named) == [f"{folder}/{name}" for name in ("a.txt", "link.txt", "more/target.txt")]
    reasons = refusals(named)
    assert "leads back" in reasons[f"{folder}/loop"]
    assert "leads nowhere" in reasons[f"{folder}/gone.txt"]
    assert "leads to itself" in reasons[f"{folder}/self.txt"]
    named = list_sources([folder / "link.txt", folder / "more"])
    assert uris(named) == [f"{folder}/link.txt", f"{folder}/more/target.txt"]


def test_what_is_no_file_and_a_folder_that_cannot_be_read_are_told(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "shut").mkdir()
    write(tmp_path / "z.txt")
    real = os.listdir

    def listdir(folder):
        if str(folder).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "listdir", listdir)
    named = list(list_sources([tmp_path]))
    assert uris(named) == [f"{tmp_path}/z.txt"]
    assert refusals(named) == {
        f"{tmp_path}/pipe.txt": "not a file: a pipe, a socket or a device",
        f"{tmp_path}/shut": "cannot be read: Permission denied",
    }
    assert "not a file" in refusals(list_sources([tmp_path / "pipe.txt"]))[f"{tmp_path}/pipe.txt"]


def test_a_store_is_listed_by_its_addresses(store):
    named = list(list_sources([store]))
    found = ("a.txt", "deep/b.md", "deep/deeper/c.txt", "b.md")
    assert uris(named) == [f"memory:///bucket/{name}" for name in found]
    assert list(refusals(named)) == ["memory:///bucket/list.uris line 2: /deep/deeper/c.txt"]
    assert uris(list_sources([f"{store}/list.uris"])) == ["memory:///bucket/b.md", "/deep/deeper/c.txt"]
    texts = uris(list_sources([f"{store}/**/*.txt"]))
    assert texts == ["memory:///bucket/a.txt", "memory:///bucket/deep/deeper/c.txt"]


def test_confined_sources_lead_nowhere_else(tmp_path, store):
    listed = write(tmp_path / "in" / "list.uris", "a.txt\n../b.txt\n/c/d.txt\ns3://bucket/e.txt\n")
    write(tmp_path / "out" / "f.txt")
    folder = tmp_path / "link"
    folder.symlink_to(tmp_path / "out")
    assert uris(list_sources([listed], confined=True)) == [f"{tmp_path}/in/a.txt"]
    assert uris(list_sources([f"{store}/list.uris"], confined=True)) == ["memory:///bucket/b.md"]
    links = [str(folder), str(folder / "f.txt"), f"file://{folder}"]
    assert list(refusals(list_sources(links, confined=True))) == links
    assert len(uris(list_sources([folder, listed]))) == 5


def test_a_list_of_addresses_names_documents_beside_it_and_elsewhere(tmp_path):
    lines = "# remark\n\na.txt\n../b.md\n/c/d.html\ns3://bucket/e.pdf?versionId=1\nnone\nx.jsonl\n"
    listed = write(tmp_path / "deep" / "list.uris", lines)
    named = list(list_sources([listed]))
    assert uris(named) == [f"{tmp_path}/deep/a.txt", f"{tmp_path}/b.md", "/c/d.html"]
    assert list(refusals(named)) == [
        f"{listed} line 6: s3://bucket/e.pdf?versionId=1",
        f"{listed} line 7: {tmp_path}/deep/none",
        f"{listed} line 8: {tmp_path}/deep/x.jsonl",
    ]
    web = write(tmp_path / "web.uris", "https://example.org/a.html?v=2\n")
    assert uris(list_sources([web])) == ["https://example.org/a.html?v=2"]


def test_a_list_found_in_a_folder_does_not_lead_out_of_it(tmp_path):
    folder, inside = tmp_path / "in", tmp_path / "in" / "deep" / "a.md"
    write(inside)
    (folder / "deep" / "link").symlink_to(tmp_path, target_is_directory=True)
    paths = ("/etc/passwd.txt", "../../secret.txt", "../../in-other/secret.txt", "../b.md", "link/secret.txt")
    files = (
        f"{folder}/../secret.txt", f"file://{tmp_path}/secret.txt", f"file://{inside}", f"local://{inside}",
    )  # fmt: skip
    stores = (
        "ftp://127.0.0.1/secret.txt", "http://127.0.0.1:9/secret.txt", "memory://b/a.txt", "s3://b/a.txt",
    )  # fmt: skip
    outside = (*paths, *files, *stores)
    listed = write(folder / "deep" / "list.uris", "\n".join(["a.md", "../deep/a.md", str(inside), *outside]))
    for source in (folder, f"{tmp_path}/in/**/*.uris", f"{tmp_path}/i?/deep/*.uris"):
        named = [entry for entry in list_sources([source]) if entry.place.startswith(str(listed))]
        assert uris(named) == [str(inside)] * 3, source
        assert len(refusals(named)) == len(outside)
        assert all("name the list itself" in reason for reason in refusals(named).values())
    assert len(uris(list_sources([listed]))) == 3 + len(outside)
    followed = list_sources([folder], follow_links=True)
    assert f"{folder}/deep/link/secret.txt" in uris(followed), "as the files behind the link are"


def test_a_list_found_in_a_store_does_not_lead_out_of_its_folder(store):
    system = fsspec.filesystem("memory")
    outside = ("../secret.txt", "deep/%2e%2e/%2E%2E/x.txt", "memory://other/a.txt", "file:///etc/a.txt")
    system.pipe_file("/bucket/deep/list.uris", "\n".join(["b.md", *outside]).encode())
    named = [entry for entry in list_sources([f"{store}/deep"]) if "list.uris" in entry.place]
    assert uris(named) == ["memory:///bucket/deep/b.md"]
    assert len(refusals(named)) == len(outside)


def test_a_list_whose_line_is_no_address_goes_on_behind_it(tmp_path):
    listed = tmp_path / "list.uris"
    long = b"/" + b"d/" * 1000 + b"a.txt"
    listed.write_bytes(b"\n".join((b"x" * 50_000, b"\xff.txt", long, b"a.txt\n")))
    named = list(list_sources([listed]))
    assert uris(named) == [f"{tmp_path}/a.txt"]
    told = list(refusals(named).values())
    assert [reason.partition(":")[0] for reason in told[:2]] == ["too long", "not UTF-8"]
    assert "2,000 characters" in told[2]


def test_lines_that_have_changed_since_they_were_listed_are_not_read(tmp_path):
    file = write(tmp_path / "a.jsonl", '{"text": "One."}\n{"text": "Two."}\n')
    first, second = (entry.document.source for entry in list_sources([file]) if isinstance(entry, Found))
    file.write_text('{"text": "One."}\n{"text": "New."}\n', encoding="utf-8")
    assert open_source(first, MemoryBlobs(), LIMIT).read() == b"One."
    with pytest.raises(DocumentUnreadable, match="has changed"):
        open_source(second, MemoryBlobs(), LIMIT).read()
    file.unlink()
    with pytest.raises(DocumentUnreadable, match="no such file"):
        open_source(first, MemoryBlobs(), LIMIT).read()


def test_the_lines_of_a_long_list_go_into_the_store_in_slices(tmp_path):
    count = 4000
    lines = (f'{{"text": "Text {n}. {"x" * 300}"}}\n\n' for n in range(count))
    file = write(tmp_path / "a.jsonl", "".join(lines))
    blobs = MemoryBlobs()
    entries = list(list_sources([file], Uploaded(blobs, max_bytes=LIMIT)))
    assert len(entries) == count
    assert 4 < len(blobs.stored) < 10
    assert max(map(len, blobs.stored.values())) <= 256 * 1024
    file.unlink()
    for number in (0, 1, 1999, count - 1):
        text = open_source(entries[number].document.source, blobs, LIMIT).read()
        assert text.startswith(f"Text {number}. ".encode())


def test_listing_many_lines_takes_no_memory_for_them(tmp_path):
    file = write(tmp_path / "a.jsonl", "".join(f'{{"id": {n}, "text": "Text."}}\n' for n in range(10_000)))
    places = FirstPlaces()
    tracemalloc.start()
    try:
        count = sum(isinstance(entry, Found) for entry in without_doubles(list_sources([file]), places))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        places.close()
    assert count == 10_000
    assert most < 4_000_000


def test_an_upload_leaves_other_stores_alone(tmp_path, store):
    file = write(tmp_path / "a.txt", "x" * 1000)
    named = list(list_sources([file, f"{store}/a.txt"], Uploaded(MemoryBlobs(), max_bytes=LIMIT)))
    assert named[0].document.source.startswith("blob:")
    assert named[1].document.source == "memory:///bucket/a.txt"


def test_a_path_is_never_taken_for_more_than_a_path(tmp_path):
    file = write(tmp_path / "a::b [*].txt", "Odd.")
    (entry,) = list_sources([file])
    assert open_source(entry.document.source, MemoryBlobs(), LIMIT).read() == b"Odd."
