"""Leaves what one needs to read a failure in one folder: JUnit, the seed, servers' logs, screenshots.

`--results FOLDER` names it; `make test` uses var/tests. A test leaves files of its own there by
`keep_for_reading`.
"""

import re
import secrets
import shutil
from pathlib import Path

import pytest

_LARGEST = 5_000_000  # bytes of a log that are kept: its end


class Results:
    """A pytest plugin that fills the folder.

    Args:
        folder: emptied by the process that reports, at its start.
        is_reporter: whether this is that process.
    """

    def __init__(self, folder: Path, *, is_reporter: bool) -> None:
        self.folder, self._is_reporter = folder, is_reporter
        self.seed = 0

    def begin(self, config: pytest.Config) -> None:
        """Empty the folder; draw the seed of Hypothesis unless the command line has one, and note it."""
        if not self._is_reporter:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.seed = config.getoption("--hypothesis-seed") or secrets.randbelow(2**32)
        config.option.hypothesis_seed = self.seed
        (self.folder / "seed.txt").write_text(f"--hypothesis-seed={self.seed}\n", encoding="utf-8")
        config.option.xmlpath = str(self.folder / "junit.xml")

    def pytest_report_header(self) -> str:
        """Say where the results go, and how to draw the same cases again."""
        return f"results in {self.folder}; random cases of --hypothesis-seed={self.seed}"

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Copy the logs of servers and workers of all processes, if a test failed."""
        if not self._is_reporter or not session.testsfailed:
            return
        base = session.config._tmp_path_factory.getbasetemp()  # no hook of pytest has it
        for log in base.rglob("*.log"):
            if log.is_file() and log.stat().st_size:
                target = self.folder / "logs" / log.relative_to(base)
                target.parent.mkdir(parents=True, exist_ok=True)
                with log.open("rb") as source:
                    source.seek(max(0, log.stat().st_size - _LARGEST))
                    target.write_bytes(source.read())


def keep_for_reading(config: pytest.Config, test: str, ending: str) -> Path | None:
    """Return the path under which a failing test leaves a file; None where nobody asked for results."""
    folder = config.getoption("--results")
    if not folder:
        return None
    path = Path(folder) / "shots" / (re.sub(r"[^\w.-]+", "-", test) + ending)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
