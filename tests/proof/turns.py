"""Lets the long tests take turns: each run of .ci/run runs a quarter of their files, `make test-long` all.

.ci/turn holds a number, raised by `make turn` before work is handed in; modulo four it names the quarter.
.ci/long.toml holds, by file, the commit at which all its long tests passed last, how many seconds they took
and the file's quarter; `make test-long` writes it. A failure is reported with that commit.
"""

import argparse
import subprocess
import sys
import tomllib
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE, TURN = ROOT / ".ci" / "long.toml", ROOT / ".ci" / "turn"
QUARTERS = 4
_HEAD = "# Written by `make test-long`: where each file's long tests passed last, and the file's quarter.\n"


class LongTests:
    """A pytest plugin that chooses a quarter of the files, and keeps account of what passed.

    Args:
        quarter: which to run, from 0; all where it is None.
        table: to read, and to write where the run is to be recorded.
        commit: that is tried; "" where the run is not recorded.
    """

    def __init__(self, quarter: int | None, table: Path = TABLE, commit: str = "") -> None:
        self._quarter, self._path, self._commit = quarter, table, commit
        text = table.read_text(encoding="utf-8") if table.is_file() else ""
        self.table: dict[str, dict[str, Any]] = tomllib.loads(text)
        self.seconds: Counter[str] = Counter()
        self.failed: set[str] = set()
        self.passed: set[str] = set()

    def quarter_of(self, file: str) -> int:
        """Return a file's quarter; one that the table does not know goes by a hash of its name."""
        known = self.table.get(file, {}).get("quarter")
        return int(zlib.crc32(file.encode()) % QUARTERS if known is None else known)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out the tests of the other quarters' files."""
        if self._quarter is None:
            return
        others = [item for item in items if self.quarter_of(_file_of(item.nodeid)) != self._quarter]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if self.quarter_of(_file_of(item.nodeid)) == self._quarter]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test's seconds, and note a failure."""
        self.seconds[_file_of(report.nodeid)] += report.duration
        if report.failed:
            self.failed.add(_file_of(report.nodeid))
        elif report.passed and report.when == "call":
            self.passed.add(_file_of(report.nodeid))

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """Name the commits at which failed files passed last; record what passed."""
        for file in sorted(self.failed):
            passed = self.table.get(file, {}).get("passed")
            where = f"passed last at {passed}" if passed else "is not known to have passed before"
            terminalreporter.write_line(f"{file} {where}", red=True)
        if self._commit and exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            self.record()

    def record(self) -> None:
        """Write the table: what passed, with this commit; the quarters are dealt again, the longest first."""
        kept = {file: entry for file, entry in self.table.items() if (ROOT / file).is_file()}
        for file in self.passed - self.failed:
            kept[file] = {"passed": self._commit, "seconds": round(self.seconds[file])}
        filled = [0] * QUARTERS
        for file in sorted(kept, key=lambda name: (-kept[name]["seconds"], name)):
            quarter = kept[file]["quarter"] = filled.index(min(filled))
            filled[quarter] += kept[file]["seconds"]
        lines = [
            f'["{file}"]\n' + "".join(f"{key} = {value!r}\n" for key, value in sorted(entry.items()))
            for file, entry in sorted(kept.items())
        ]
        self._path.write_text(_HEAD + "\n" + "\n".join(lines), encoding="utf-8")


def _file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def turn() -> int:
    """Return the number of the turn.

    Raises:
        ValueError: .ci/turn holds no number.
    """
    return int(TURN.read_text(encoding="utf-8"))


def commit() -> str:
    """Return the commit that is tried; of a tree with changes, the one before them with a mark."""
    head = _git("rev-parse", "--short=12", "HEAD")
    return head + ("+changes" if _git("status", "--porcelain", "--untracked-files=no") else "")


def is_raised() -> bool:
    """Say whether raising the turn was the last commit, as it should be where work is handed in."""
    return ".ci/turn" in _git("show", "--format=", "--name-only", "HEAD").splitlines()


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> int:
    """Print the quarter, warn where the turn is old, or raise it."""
    parser = argparse.ArgumentParser(description="Whose turn it is among the long tests.")
    parser.add_argument("what", choices=("quarter", "raise", "check"))
    what = parser.parse_args().what
    if what == "quarter":
        print(turn() % QUARTERS)  # noqa: T201 - a command's answer
    elif what == "raise":
        TURN.write_text(f"{turn() + 1}\n", encoding="utf-8")
        print(f".ci/turn is {turn()}: commit it last (`git commit .ci/turn`), then hand in.")  # noqa: T201
    elif not is_raised():
        print("warning: .ci/turn was not raised by the last commit: `make turn`, then commit it.")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
