import asyncio
import io
from types import SimpleNamespace

import fsspec
import pytest
from doubles.blobs import MemoryBlobs
from fsspec.registry import _registry

from workers.core.errors import DocumentUnreadable, Permanent
from workers.ingest.reading.source import read_source
from workers.sources.documents import list_sources
from workers.sources.formats import Refused


def refusal(source, max_bytes=100):
    with pytest.raises(DocumentUnreadable) as caught:
        read_source(str(source), MemoryBlobs(), max_bytes)
    return str(caught.value)


def test_a_file_is_read_by_path_and_by_address(tmp_path):
    file = tmp_path / "grün.txt"
    file.write_bytes(b"hello")
    assert read_source(str(file), MemoryBlobs(), 100) == b"hello"
    assert read_source(f"file://{file}", MemoryBlobs(), 100) == b"hello"


def test_a_blob_is_read_by_reference():
    blobs = MemoryBlobs()
    reference = blobs.put(b"hello", ".txt")
    assert read_source(f"blob:{reference}", blobs, 100) == b"hello"
    with pytest.raises(Permanent):
        read_source("blob:unknown", blobs, 100)


def test_what_is_not_there_is_said_so(tmp_path):
    assert "no such file" in refusal(tmp_path / "missing.txt")
    assert "directory, not a file" in refusal(tmp_path)
    assert "this kind of address" in refusal("gopher://host/a.txt")
    assert "chained" in refusal("simplecache::file:///etc/hostname")


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    file = tmp_path / "large.txt"
    file.write_bytes(b"x" * 101)
    assert "101 bytes, at most 100" in refusal(file)
    blobs = MemoryBlobs()
    with pytest.raises(DocumentUnreadable):
        read_source(f"blob:{blobs.put(b'x' * 101)}", blobs, 100)


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
    assert "leads to another one, which is not followed" in refusal(f"{scheme}://files/a.txt")
    [listed] = list_sources([f"{scheme}://files/a.txt"])
    assert isinstance(listed, Refused)
