"""Counts the processor seconds of tests by folder, and of servers; prints them beside the folder's budget.

A test's seconds are those of its pytest process and of the processes that it started and waited for. Servers
that outlive a test are counted by themselves. Budgets are those of tests/budget.toml: they fail nothing, they
show growth.
"""

import contextlib
import os
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

TESTS = Path(__file__).resolve().parents[1]
BUDGETS = TESTS / "budget.toml"
DEAR = TESTS / "dear.txt"  # tests that `make check` leaves to `make test`
DEAR_SECONDS = 0.1  # of processor time, all cases of a test together
_FIELD = "processor"  # of what a process of pytest-xdist hands over at its end


def seconds_of(pid: int) -> float:
    """Return the processor seconds of a process that still runs; 0 of one that has ended."""
    with contextlib.suppress(psutil.Error):
        return sum(psutil.Process(pid).cpu_times()[:2])
    return 0.0


def own_seconds() -> float:
    return sum(os.times()[:4])


class ProcessorSeconds:
    """A pytest plugin; the process that reports adds up what all others counted."""

    def __init__(self) -> None:
        self.folders: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()
        self.functions: Counter[str] = Counter()
        self.servers: Counter[str] = Counter()
        self.shared: dict[str, float] = {}  # by server, its seconds so far: one server, told by each process

    def add_ended(self, name: str, seconds: float) -> None:
        """Count a server that a fixture is about to end: waiting for it charges the test that is running."""
        self.servers[name] += seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        """Charge a test with all that is spent until the next begins, its fixtures included."""
        before, ended = own_seconds(), self.servers.total()
        result = yield
        folder, spent = folder_of(item.path), own_seconds() - before - (self.servers.total() - ended)
        self.folders[folder] += spent
        self.functions[function_of(item.nodeid)] += spent
        self.tests[folder] += 1
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand what was counted to the process that reports, where this is another."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            names = ("folders", "tests", "functions", "servers", "shared")
            output[_FIELD] = {name: dict(getattr(self, name)) for name in names}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what another process counted."""
        counted = getattr(node, "workeroutput", {}).get(_FIELD, {})
        for name in ("folders", "tests", "functions", "servers"):
            getattr(self, name).update(counted.get(name, {}))
        for name, seconds in counted.get("shared", {}).items():
            self.shared[name] = max(seconds, self.shared.get(name, 0.0))

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        """Print the table, and write the list of dear tests, where they were asked for."""
        if config.getoption("--write-dear"):
            write_dear(name for name, seconds in self.functions.items() if seconds > DEAR_SECONDS)
        if config.getoption("--budget") and not hasattr(config, "workerinput"):
            terminalreporter.write_sep("-", "processor seconds")
            for line in self.table(tomllib.loads(BUDGETS.read_text(encoding="utf-8"))):
                terminalreporter.write_line(line)

    def table(self, budgets: dict[str, int]) -> list[str]:
        """Return the lines of the table: what took most comes first."""
        servers = self.servers + Counter(self.shared)
        rows = [(folder, str(self.tests[folder]), seconds) for folder, seconds in self.folders.most_common()]
        rows += [(f"server {name}", "", seconds) for name, seconds in servers.most_common()]
        lines = [f"{'':44}{'tests':>7}{'seconds':>9}{'budget':>8}"]
        for name, tests, seconds in rows:
            budget = budgets.get(name)
            over = "  over its budget" if budget is not None and seconds > budget else ""
            lines.append(f"{name:44}{tests:>7}{seconds:9.0f}{budget or '':>8}{over}")
        total = sum(seconds for _, _, seconds in rows)
        return [*lines, f"{'all':44}{self.tests.total():>7}{total:9.0f}"]


def write_dear(names: Iterable[str]) -> None:
    """Write the list of dear tests: a line for each file, with the names of its functions."""
    files: dict[str, list[str]] = {}
    for name in sorted(names):
        file, _, function = name.partition("::")
        files.setdefault(file, []).append(function)
    lines = (" ".join([file, *functions]) for file, functions in files.items())
    DEAR.write_text("\n".join([*lines, ""]), encoding="utf-8")


def read_dear() -> frozenset[str]:
    """Return the dear tests as their ids, without cases."""
    lines = [line.split() for line in DEAR.read_text(encoding="utf-8").splitlines()]
    return frozenset(f"{file}::{function}" for file, *functions in lines for function in functions)


def function_of(nodeid: str) -> str:
    """Return the name of a test without its case."""
    return nodeid.partition("[")[0]


def folder_of(path: Path) -> str:
    """Return a test's folder as budgets name it: at most three deep, such as tests/integration/workers."""
    root = TESTS.parent
    return "/".join((path.relative_to(root) if path.is_relative_to(root) else path).parts[:-1][:3])
