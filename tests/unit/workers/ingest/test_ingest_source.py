import asyncio
import io
from types import SimpleNamespace

import fsspec
import pytest
from doubles.blobs import MemoryBlobs
from doubles.files import archive
from fsspec.registry import _registry

from hopline.errors import DocumentUnreadable, Permanent
from workers.ingest.reading.source import open_source
from workers.sources.documents import list_sources
from workers.sources.formats import Refused


def refusal(source, max_bytes=100):
    with pytest.raises(DocumentUnreadable) as caught:
        open_source(str(source), MemoryBlobs(), max_bytes).read()
    return str(caught.value)


def test_a_file_is_read_by_path_and_by_address_and_a_blob_by_reference(tmp_path):
    file = tmp_path / "grün.txt"
    file.write_bytes(b"hello")
    blobs = MemoryBlobs()
    for source in (file, f"file://{file}", f"blob:{blobs.put(b'hello', '.txt')}"):
        assert open_source(str(source), blobs, 100).read() == b"hello"
    with pytest.raises(Permanent):
        open_source("blob:unknown", blobs, 100).read()


def test_what_is_not_there_or_too_large_is_said_so(tmp_path):
    file = tmp_path / "large.txt"
    file.write_bytes(b"x" * 101)
    for source, why in [
        (tmp_path / "missing.txt", "no such file"),
        (tmp_path, "directory, not a file"),
        ("gopher://host/a.txt", "this kind of address"),
        ("simplecache::file:///etc/hostname", "chained"),
        (file, "101 bytes, at most 100"),
    ]:
        assert why in refusal(source), source
    blobs = MemoryBlobs()
    with pytest.raises(DocumentUnreadable):
        open_source(f"blob:{blobs.put(b'x' * 101)}", blobs, 100).read()


class Redirecting(fsspec.AbstractFileSystem):
    """A web server that answers with another address; errors come as fsspec's own brings them."""

    cachable = False

    def __init__(self, *, allow_redirects=True, client_kwargs=None):
        super().__init__()
        self.follows = allow_redirects
        self.check = (client_kwargs or {}).get("raise_for_status")

    def info(self, path):
        if not self.follows and self.check:
            try:
                asyncio.run(self.check(SimpleNamespace(status=302)))
            except Exception as error:
                raise FileNotFoundError(path) from error
        return {"type": "file", "size": 5}

    def _open(self, *_args, **_given):
        return io.BytesIO(b"metadata of another machine" if self.follows else b"moved")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_web_server_cannot_send_a_worker_or_a_listing_to_another(monkeypatch, scheme):
    monkeypatch.setitem(_registry, scheme, Redirecting)
    assert "redirects to another one, which is not followed" in refusal(f"{scheme}://files/a.txt")
    [listed] = list_sources([f"{scheme}://files/a.txt"])
    assert isinstance(listed, Refused)


def test_a_member_of_an_archive_that_was_replaced_in_a_store_without_times_is_read():
    place, system = "memory://replaced", fsspec.filesystem("memory")
    for text in ("First.", "The second, which is longer."):
        system.pipe_file("/replaced/a.zip", archive({"a.txt": text}))
        [found] = list_sources([place])
        assert open_source(found.document.source, MemoryBlobs(), 1000).read() == text.encode()
    system.rm("/replaced", recursive=True)
