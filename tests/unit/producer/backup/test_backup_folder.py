"""What a backup's folder may hold, and who may read it."""

import hashlib
import os
import stat
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from hopline.errors import InvalidInput
from producer.backup.blobs import load_blobs, save_blobs
from producer.backup.contents import BLOBS, CONTENTS, check_contents, write_contents
from producer.backup.folder import NOTE, Note, new_folder, read_note, write_lines, write_note
from producer.backup.load import check_names
from workers.settings import Settings

BLOB = b"the text of a document"
HASH = hashlib.sha256(BLOB).hexdigest()
NAME = f"{HASH[:2]}/{HASH[2:4]}/{HASH}.txt"
ORIGINAL = f"originals/d0a/d0a1-{HASH}-0123abcd"
REPLY = f"replies/{HASH[:3]}/{HASH}.some-key"
Change = Callable[[Path], object]


def settings_of(var: Path) -> Settings:
    return Settings(_env_file=None, var=var)


def put(file: Path, data: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup of a store with a blob, an original and a reply, and of a ledger with one key."""
    store = tmp_path / "source" / "blobs"
    for name in (NAME, ORIGINAL, REPLY, f"{HASH[:2]}/{HASH[2:4]}/.new-x", "notes.txt"):
        put(store / name, BLOB)
    folder = new_folder(tmp_path / "backup")
    assert list(save_blobs(settings_of(tmp_path / "source"), folder / "blobs")) == [len(BLOB)] * 3
    write_lines(folder / "ledger.jsonl.gz", [entry("hop:active")])
    write_lines(folder / "spaces.jsonl.gz", [space("hopline-256"), space("hopline-collections")])
    write_note(folder, Note(hopline="1", taken=0.0, graph_version=1, contents=write_contents(folder)))
    return folder


def entry(key: str) -> dict[str, object]:
    return {"key": b64encode(key.encode()).decode(), "value": "", "expires": 0}


def space(name: str) -> dict[str, object]:
    return {"name": name, "dimension": 2, "distance": "Cosine"}


def checked(backup: Path) -> list[str]:
    return check_contents(backup, read_note(backup))


def test_what_a_backup_wrote_is_restored_and_read_by_its_owner_alone(backup: Path, tmp_path: Path) -> None:
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in backup.rglob("*") if path.is_file()}
    assert len(modes) == 7
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700
    names = [name.removeprefix(BLOBS) for name in checked(backup) if name.startswith(BLOBS)]
    assert names == [NAME, ORIGINAL, REPLY]
    load_blobs(settings_of(tmp_path / "target"), backup / "blobs", names)
    for name in names:
        assert (tmp_path / "target" / "blobs" / name).read_bytes() == BLOB
    check_names(backup)


def link_outside(blob: Path) -> None:
    secret = put(blob.parents[4] / "secret", BLOB)
    blob.unlink()
    blob.symlink_to(secret)


def link_folder(blob: Path) -> None:
    blob.parent.rename(blob.parents[4] / "moved")
    blob.parent.symlink_to(blob.parents[4] / "moved", target_is_directory=True)


def make_pipe(blob: Path) -> None:
    blob.unlink()
    os.mkfifo(blob)


CHANGES: dict[str, Change] = {
    "a link": link_outside,
    "a link of a folder": link_folder,
    "a pipe": make_pipe,
    "other bytes": lambda blob: blob.write_bytes(BLOB[::-1]),
    "a missing file": Path.unlink,
    "a foreign name": lambda blob: put(blob.parents[2] / "authorized_keys", b"ssh"),
    "another blob": lambda blob: put(blob.with_name(HASH + ".md"), BLOB),
    "another list": lambda blob: (blob.parents[3] / CONTENTS).write_bytes(b""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_backup_is_refused(backup: Path, change: str) -> None:
    CHANGES[change](backup / "blobs" / NAME)
    with pytest.raises(InvalidInput):
        checked(backup)


def test_a_link_that_comes_after_the_check_is_not_followed(backup: Path, tmp_path: Path) -> None:
    names = [name.removeprefix(BLOBS) for name in checked(backup) if name.startswith(BLOBS)]
    link_outside(backup / "blobs" / NAME)
    with pytest.raises(OSError, match="symbolic links"):
        load_blobs(settings_of(tmp_path / "target"), backup / "blobs", names)


def test_a_backup_of_the_version_before_is_checked_by_its_names(backup: Path) -> None:
    note = orjson.loads((backup / NOTE).read_bytes())
    del note["contents"]
    (backup / NOTE).write_bytes(orjson.dumps({**note, "form": 1}))
    (backup / CONTENTS).unlink()
    assert f"{BLOBS}{NAME}" in checked(backup)
    link_outside(backup / "blobs" / NAME)
    with pytest.raises(InvalidInput, match="neither a plain file nor a folder: nothing was restored"):
        checked(backup)


@pytest.mark.parametrize("key", ["unacked", "_kombu.binding.bulk", "hop:workers:bulk", "celery-task-meta-1"])
def test_a_key_that_is_not_the_ledgers_is_refused(backup: Path, key: str) -> None:
    (backup / "ledger.jsonl.gz").unlink()
    write_lines(backup / "ledger.jsonl.gz", [entry("hop:active"), entry(key)])
    with pytest.raises(InvalidInput, match=key):
        check_names(backup)


@pytest.mark.parametrize("name", ["other", "hopline-../../x", "hopline-"])
def test_a_foreign_space_of_vectors_is_refused(backup: Path, name: str) -> None:
    (backup / "spaces.jsonl.gz").unlink()
    write_lines(backup / "spaces.jsonl.gz", [space(name)])
    with pytest.raises(InvalidInput, match="vectors"):
        check_names(backup)
