"""What is kept of models' replies: the store in a folder and in memory, and the one that keeps nothing."""

import os
import threading
import time
from pathlib import Path

import pytest

from hopline.errors import Permanent
from workers.adapters.blobs import BlobStore
from workers.adapters.replies import ReplyStore
from workers.core.ids import content_hash

ONE, OTHER = content_hash("one"), content_hash("other")


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path):
    if request.param == "folder":
        return ReplyStore(str(tmp_path / "replies"))
    return ReplyStore(f"memory://{tmp_path.name}-{time.monotonic_ns()}")


def test_what_was_kept_last_is_found_by_its_chunk_and_its_key(store):
    for said in (b"first", b"second"):
        store.put(ONE, "k1", said)
        assert store.get(ONE, "k1") == said
    store.put(ONE, "k2", b"")
    assert store.get(ONE, "k2") == b""
    assert store.get(ONE, "k3") is store.get(OTHER, "k1") is None


def test_a_purge_forgets_all_about_some_chunks_and_nothing_of_others(store):
    for content in (ONE, OTHER):
        for key in ("k1", "k2"):
            store.put(content, key, b"said")
    store.purge([ONE, content_hash("never kept")])
    assert store.get(ONE, "k1") is store.get(ONE, "k2") is None
    assert store.get(OTHER, "k1") == store.get(OTHER, "k2") == b"said"


def test_nothing_outside_the_store_can_be_named(store):
    for content, key in (("../../etc", "k"), (ONE, "../x"), (ONE, ""), ("", "k")):
        with pytest.raises(Permanent):
            store.put(content, key, b"said")
        with pytest.raises(Permanent):
            store.get(content, key)


def _only_file(root: Path) -> Path:
    (file,) = (path for path in root.rglob("*") if path.is_file())
    return file


def test_a_damaged_entry_is_absent_and_can_be_kept_again(tmp_path):
    store = ReplyStore(str(tmp_path))
    for spoil in (lambda data: data[:-1], lambda _data: b"", lambda data: data[:4] + b"x"):
        store.put(ONE, "k", b"what a model said")
        file = _only_file(tmp_path)
        file.write_bytes(spoil(file.read_bytes()))
        assert store.get(ONE, "k") is None


def test_a_place_that_cannot_be_written_fails_nothing(tmp_path):
    place = tmp_path / "replies"
    place.write_text("a file where the folder should be")
    store = ReplyStore(str(place))
    store.put(ONE, "k", b"said")
    assert store.get(ONE, "k") is None


def test_readers_see_whole_entries_while_others_write(tmp_path):
    store = ReplyStore(str(tmp_path))
    texts = [bytes([65 + nth]) * 20_000 for nth in range(4)]
    store.put(ONE, "k", texts[0])
    writers = [
        threading.Thread(target=lambda text=text: [store.put(ONE, "k", text) for _ in range(50)])
        for text in texts
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert store.get(ONE, "k") in texts
    assert _only_file(tmp_path)


def test_what_nobody_wanted_for_days_goes_and_what_was_read_stays(tmp_path):
    store = ReplyStore(str(tmp_path))
    for content in (ONE, OTHER):
        store.put(content, "k", b"said")
    for path in tmp_path.rglob("*.k"):
        os.utime(path, (0, time.time() - 10 * 86400))
    assert store.get(ONE, "k") == b"said"
    assert store.sweep(days=5, most_bytes=10**9) == 1
    assert store.get(ONE, "k") == b"said"
    assert store.get(OTHER, "k") is None


def test_above_its_bound_the_longest_unwanted_entries_go(tmp_path):
    store = ReplyStore(str(tmp_path))
    contents = [content_hash(str(nth)) for nth in range(20)]
    for nth, content in enumerate(contents):
        store.put(content, "k", bytes(10_000))
        (path,) = tmp_path.rglob(f"{content}.k")
        os.utime(path, (0, time.time() - 7200 * (20 - nth)))
    taken = sum(path.stat().st_blocks * 512 for path in tmp_path.rglob("*.k"))
    assert store.sweep(days=90, most_bytes=taken // 2) == 10
    assert [content for content in contents if store.get(content, "k") is not None] == contents[10:]


def test_what_a_killed_writer_left_goes_after_an_hour(tmp_path):
    store = ReplyStore(str(tmp_path))
    store.put(ONE, "k", b"said")
    left = _only_file(tmp_path).parent / ".new-dead-0"
    left.write_bytes(b"half")
    os.utime(left, (0, time.time() - 7200))
    assert store.sweep(days=90, most_bytes=10**9) == 1
    assert not left.exists()
    assert store.get(ONE, "k") == b"said"


def test_blobs_and_the_replies_beside_them_are_swept_apart(tmp_path):
    store = ReplyStore(str(tmp_path / "blobs" / "replies"))
    for content in (ONE, OTHER):
        store.put(content, "k", b"said")
    (old,) = tmp_path.rglob(f"{OTHER}.k")
    os.utime(old, (0, time.time() - 91 * 86400))
    blobs = BlobStore(str(tmp_path / "blobs"))
    reference = blobs.put(b"text")
    assert blobs.sweep(days=-1) == 1  # every blob, and no reply
    assert store.sweep(days=90, most_bytes=10**9) == 1
    assert (store.get(ONE, "k"), store.get(OTHER, "k")) == (b"said", None)
    with pytest.raises(Permanent):
        blobs.get(reference)
