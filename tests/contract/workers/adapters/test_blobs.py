"""What every place for blobs keeps: a folder, and a store that fsspec offers."""

import errno
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hopline.errors import DependencyAway, InvalidInput, Permanent, Transient
from workers.adapters import blobs as blob_store
from workers.adapters.blobs import BlobStore
from workers.core.ports import Blobs

UNKNOWN = "0" * 64


@pytest.fixture(params=("path", "file url", "fsspec"))
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    places = {
        "path": str(tmp_path / "blobs"),
        "file url": (tmp_path / "blobs").as_uri(),
        "fsspec": f"memory://{secrets.token_hex(6)}",
    }
    return BlobStore(places[request.param])


def test_what_was_put_comes_back_by_a_reference_of_its_bytes(blobs: Blobs) -> None:
    for data in (b"", b"words", secrets.token_bytes(300_000)):
        reference = blobs.put(data, ".pdf")
        assert blobs.get(reference) == data
        assert reference.endswith(".pdf")
        assert blobs.put(data, ".pdf") == reference != blobs.put(data + b"more", ".pdf")


def test_deleting_removes_and_may_be_repeated(blobs: Blobs) -> None:
    reference = blobs.put(b"one")
    for name in (reference, reference, UNKNOWN):
        blobs.delete(name)
        with pytest.raises(Permanent, match="not in the store"):
            blobs.get(name)


def test_neither_a_reference_nor_a_suffix_can_lead_out_of_the_store(blobs: Blobs) -> None:
    for reference in ("../secret", "", "/etc/passwd", f"{UNKNOWN}/../x", f"{UNKNOWN}.", "blob"):
        for act in (blobs.get, blobs.delete):
            with pytest.raises(Permanent, match="not a reference"):
                act(reference)
    for suffix in ("pdf", "./x", "/..", ". ", ".p/f"):
        with pytest.raises(InvalidInput, match="suffix"):
            blobs.put(b"one", suffix)


def test_too_large_a_blob_is_refused(blobs: Blobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob_store, "MAX_BYTES", 10)

    with pytest.raises(InvalidInput, match="at most 10 bytes"):
        blobs.put(b"eleven bytes")


def test_many_that_put_the_same_at_once_leave_one_whole_blob(tmp_path: Path) -> None:
    data = secrets.token_bytes(100_000)

    with ThreadPoolExecutor(8) as pool:
        references = set(pool.map(lambda _: BlobStore(str(tmp_path)).put(data), range(40)))

    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == list(references)
    assert BlobStore(str(tmp_path)).get(references.pop()) == data


def test_damaged_bytes_are_never_handed_out(tmp_path: Path) -> None:
    reference = BlobStore(str(tmp_path)).put(b"the truth")
    next(tmp_path.rglob(reference)).write_bytes(b"something else")

    with pytest.raises(Permanent, match="damaged"):
        BlobStore(str(tmp_path)).get(reference)


def test_a_place_that_cannot_be_written_now_is_a_transient_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")

    with pytest.raises(Transient, match="cannot put"):
        BlobStore(str(tmp_path / "taken")).put(b"one")


OUTAGES = (errno.EROFS, errno.EIO, errno.ESTALE, errno.ENOSPC, errno.EDQUOT, errno.EACCES)


@pytest.mark.parametrize("number", OUTAGES, ids=errno.errorcode.get)
def test_a_store_that_worked_before_and_cannot_be_written_is_away(tmp_path, monkeypatch, number):
    def refuse(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    store = BlobStore(str(tmp_path))
    store.put(b"one")
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(DependencyAway, match="cannot put") as caught:
        store.put(b"two")
    assert caught.value.dependency == "disk"


def test_a_store_that_never_worked_and_may_not_be_written_is_a_mistake(tmp_path, monkeypatch):
    def refuse(**_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(Permanent, match="not permitted to put"):
        BlobStore(str(tmp_path)).put(b"one")


def test_a_sweep_removes_what_was_not_put_for_days(tmp_path):
    store = BlobStore(str(tmp_path))
    old, renewed, fresh = (store.put(name.encode()) for name in ("old", "renewed", "fresh"))
    for path in tmp_path.glob("??/??/*"):
        if path.name != fresh:
            os.utime(path, (1, 1))
    store.put(b"renewed")
    assert store.sweep(days=7) == 1
    assert store.get(renewed) == b"renewed"
    assert store.get(fresh) == b"fresh"
    with pytest.raises(Permanent):
        store.get(old)
