"""Tries the faults of faults.toml, or those of drawn.jsonl, one after another: does a test notice?

Each is made in a scratch copy of the tracked files; this tree is not touched. Exit 1 if one was not noticed.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

FAULTS = Path(__file__).with_name("faults.toml")
DRAWN = Path(__file__).with_name("drawn.jsonl")  # by draw.py
PACKAGES = ("hopline", "workers", "producer", "infra")
# As `make check` runs them.
CHECK = [
    "-m", "not long", "--no-servers", "--cheap", "-n", "logical", "--maxprocesses", "8", "--dist",
    "worksteal", "tests/unit", "tests/property",
]  # fmt: skip
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """One line that is wrong, and the tests that should notice."""

    name: str
    file: str
    old: str
    new: str
    tests: list[str]

    def put_into(self, tree: Path) -> Path:
        """Make the fault in a tree; return the file.

        Raises:
            ValueError: no file, or more than one, has the line once.
        """
        named = tree / self.file
        everywhere = [path for name in PACKAGES for path in (tree / name).rglob(f"*{named.suffix}")]
        alike = [path for path in everywhere if path.name == named.name]
        for paths in ([named] if named.is_file() else [], alike, everywhere):
            holding = [path for path in paths if path.read_text(encoding="utf-8").count(self.old) == 1]
            if len(holding) == 1:
                text = holding[0].read_text(encoding="utf-8")
                holding[0].write_text(text.replace(self.old, self.new), encoding="utf-8")
                return holding[0]
        raise ValueError(f"{self.name}: its line is not, or not once, in {self.file}")


def copy_tree(tree: Path, folder: Path) -> Path:
    """Copy a tree's tracked files, as they lie there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (tree / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, folder / name)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)  # some tests ask git for the files
    return folder


def run_tests(tree: Path, arguments: list[str], seconds: float) -> tuple[str, str]:
    """Run pytest in a tree; return "found", "no end", "not found" or "no run", and what failed first."""
    command = [sys.executable, "-m", "pytest", "-x", "--tb=no", "-rfE", *arguments]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "no end", f"within {seconds:g} s"
    if done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED:
        return "not found", "no test"
    if done.returncode not in {0, 1}:
        return "no run", (done.stdout + done.stderr)[-300:]
    failed = FAILED.search(done.stdout)
    return ("not found", "") if done.returncode == 0 else ("found", failed[1] if failed else "")


def main() -> int:
    """Parse the command line and try the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("faults", nargs="*", help="names, or beginnings of names; all where none is given")
    parser.add_argument("--list", action="store_true", help="print the faults with their tests; run nothing")
    parser.add_argument("--check", action="store_true", help="run the whole of `make check` for each fault")
    parser.add_argument("--no-servers", action="store_true", help="of its tests only those that need none")
    parser.add_argument(
        "--not-long", action="store_true", help="of its tests only those that `make test` runs"
    )
    parser.add_argument(
        "--drawn", action="store_true", help="the faults of drawn.jsonl, named by file and line"
    )
    parser.add_argument("--tests", nargs="+", help="run these tests for each fault in place of its own")
    parser.add_argument(
        "--tree", type=Path, default=FAULTS.parents[2], help="a checkout; by default this one"
    )
    parser.add_argument("--seconds", type=float, default=300, help="the most that one run may take")
    options = parser.parse_args()
    faults = _drawn() if options.drawn else _written()
    if options.faults:
        faults = [fault for fault in faults if fault.name.startswith(tuple(options.faults))]
    if options.list:
        for fault in faults:
            print(f"{fault.name} ({fault.file}): {' '.join(fault.tests)}")  # noqa: T201
        return 0
    verdicts = Counter(_try_fault(fault, options) for fault in faults)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()))  # noqa: T201
    return 1 if verdicts.keys() & {"not found", "no run", "gone"} else 0


def _written() -> list[Fault]:
    entries = tomllib.loads(FAULTS.read_text(encoding="utf-8")).items()
    return [Fault(name=name, **entry) for name, entry in entries]


def _drawn() -> list[Fault]:
    rows = [json.loads(line) for line in DRAWN.read_text(encoding="utf-8").splitlines()]
    return [
        Fault(f"{row['file']}:{row['line']}", row["file"], row["old"], row["new"], row["tests"])
        for row in rows
    ]


def _try_fault(fault: Fault, options: argparse.Namespace) -> str:
    with tempfile.TemporaryDirectory(prefix="hopline-mutant-") as scratch:
        tree = copy_tree(options.tree, Path(scratch))
        try:
            file = fault.put_into(tree).relative_to(tree)
        except ValueError as gone:
            print(gone)  # noqa: T201
            return "gone"
        paths = [path for path in options.tests or fault.tests if (tree / path.partition("::")[0]).exists()]
        arguments = CHECK if options.check else paths
        arguments = [*arguments, *(["--no-servers"] if options.no_servers else [])]
        arguments = [*arguments, *(["-m", "not long"] if options.not_long else [])]
        started = time.monotonic()
        tried = options.check or paths
        verdict, where = run_tests(tree, arguments, options.seconds) if tried else ("not found", "no test")
    print(f"{fault.name:44} {verdict:9} {time.monotonic() - started:4.0f} s  {file}  {where}", flush=True)  # noqa: T201
    return verdict


if __name__ == "__main__":
    sys.exit(main())
