"""An upgrade between two images: in which order services are replaced, and where the earlier one is from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from infra.image_check.image import BuildFailed
from infra.image_check.revision import write_revision
from infra.image_check.upgrade import order_of_return, order_of_upgrade


def test_workers_go_before_the_api_and_back_after_it() -> None:
    names = ("worker-interactive", "worker-bulk", "beat", "api")
    assert order_of_upgrade(names) == ["worker-bulk", "worker-interactive", "beat", "api"]
    assert order_of_return(names) == ["api", "worker-interactive", "worker-bulk", "beat"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository whose file was changed since the tag v1."""
    folder = tmp_path / "clone"

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.test")
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)

    folder.mkdir()
    git("init")
    for text, tag in (("old", "v1"), ("new", "v2")):
        (folder / "file.txt").write_text(text, encoding="utf-8")
        git("add", ".")
        git("commit", "-m", text)
        git("tag", tag)
    return folder


def test_an_earlier_revisions_files_come_out_of_git_or_it_is_named(clone: Path, tmp_path: Path) -> None:
    write_revision(clone, "v1", tmp_path / "before")
    assert [path.name for path in (tmp_path / "before").iterdir()] == ["file.txt"]
    assert (tmp_path / "before" / "file.txt").read_text(encoding="utf-8") == "old"
    for revision in ("v3", "--output=file"):
        with pytest.raises(BuildFailed, match=f"git has no files of {revision}"):
            write_revision(clone, revision, tmp_path / "other")
