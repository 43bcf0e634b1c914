"""An upgrade between two images: in which order services are replaced, and where the earlier one is from."""

from __future__ import annotations

import io
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from infra.image_check import course
from infra.image_check.api import Expectation, WrongAnswer
from infra.image_check.composed import Stop
from infra.image_check.image import BuildFailed
from infra.image_check.revision import write_revision
from infra.image_check.upgrade import Upgrade

NAMES = ("worker-interactive", "worker-bulk", "beat", "api")


@dataclass
class Part:
    """A service that only notes that it was started."""

    label: str
    started: list[str]

    def start(self) -> float:
        self.started.append(self.label)
        return 0.0

    def stop(self) -> Stop:
        return Stop(seconds=0, code=0, in_time=True)


@dataclass
class Api:
    """An API that answers at once; its batch ends when it is waited for."""

    state: str = "running"
    asked: list[str] = field(default_factory=list)

    def submit_texts(self, texts: list[str]) -> str:
        self.asked.append(f"{len(set(texts))} texts")
        return "batch"

    def documents_done(self, _job_id: str) -> tuple[int, str]:
        return 3, self.state

    def ask(self, question: str) -> str:
        self.asked.append(question)
        return "question"

    def await_end(self, job_id: str) -> dict[str, Any]:
        if job_id == "batch":
            self.asked.append("the batch has ended")
        return {"state": "done", "outcome": {}, "leases_lost": 0}


@pytest.fixture
def started() -> list[str]:
    return []


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch, started: list[str]) -> Upgrade:
    """An upgrade of services that are there already; the newer file has one more."""
    questions = [Expectation(question="When?", shows="")]
    monkeypatch.setattr(course, "demo_questions", lambda _source: questions)
    upgrade: Any = Upgrade.__new__(Upgrade)
    upgrade._source, upgrade._console = Path(), Console(file=io.StringIO())
    upgrade.shown, upgrade._started, upgrade._api = [], [], Api()
    upgrade._before = {name: Part(f"old {name}", started) for name in NAMES}
    upgrade._after = {name: Part(f"new {name}", started) for name in (*NAMES, "further")}
    upgrade._parts = dict(upgrade._before)
    made: Upgrade = upgrade
    return made


def test_workers_go_before_the_api_and_back_after_it(upgrade: Upgrade, started: list[str]) -> None:
    upgrade._change()
    assert started == [
        *("new worker-bulk", "new worker-interactive", "new beat", "new api", "new further"),
        *("old api", "old worker-interactive", "old worker-bulk", "old beat"),
    ]


def test_each_is_replaced_with_a_question_under_way_and_both_images_are_asked(upgrade: Upgrade) -> None:
    upgrade._change()
    calls: list[str] = upgrade._api.asked  # type: ignore[attr-defined]
    between = ["When?"] * 4
    assert calls == ["100 texts", *between, "the batch has ended", "When?", *between, "When?"]


def test_a_batch_that_was_over_before_its_worker_was_replaced_shows_nothing(upgrade: Upgrade) -> None:
    upgrade._api.state = "done"  # type: ignore[attr-defined]
    with pytest.raises(WrongAnswer, match="the batch was done before"):
        upgrade._change()


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


def test_an_earlier_revisions_files_come_out_of_git(clone: Path, tmp_path: Path) -> None:
    write_revision(clone, "v1", tmp_path / "before")
    assert [path.name for path in (tmp_path / "before").iterdir()] == ["file.txt"]
    assert (tmp_path / "before" / "file.txt").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("revision", ["v3", "--output=file"])
def test_a_revision_that_is_not_there_is_named(clone: Path, tmp_path: Path, revision: str) -> None:
    with pytest.raises(BuildFailed, match=f"git has no files of {revision}"):
        write_revision(clone, revision, tmp_path / "before")
