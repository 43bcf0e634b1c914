"""Forgets each condition of the Cypher that is read for scopes, one at a time: does a test notice?

The servers are started once, and the queries are read from a copy in which one of them is wrong. Exit 1 if a
fault was not noticed. `--list` prints the files with their conditions, for docs/access.md.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from workers.adapters.neo4j import connection

ROOT = Path(__file__).resolve().parents[2]
CYPHER = ROOT / "workers" / "adapters" / "neo4j" / "cypher"
# Read for principals outside the folder of the scoped readings.
SHOWN = ("document", "documents_facets", "documents_found", "passage")
_CONTRACT = "tests/contract/workers/adapters/neo4j/"
_SCOPED = (
    "tests/integration/workers/adapters/neo4j/test_scoped_views.py",
    "tests/property/workers/adapters/neo4j/test_scopes.py",
)
TESTS = {  # that should notice; beginnings of their names
    "document": (f"{_CONTRACT}test_graph.py::test_a_document_is_seen_only_when",),
    "documents_facets": (f"{_CONTRACT}test_graph_metadata.py::test_live_documents_are_counted",),
    "documents_found": (
        f"{_CONTRACT}test_graph.py::test_documents_",
        f"{_CONTRACT}test_graph_metadata.py::test_documents_are_found",
        _SCOPED[1],
    ),
    "passage": (f"{_CONTRACT}test_graph_neighbourhood.py::test_a_passage",),
}
# Without these a query costs more and returns the same, or what is left out by who calls it.
EQUIVALENT = {
    ("contents", "hold.named IS NULL"),  # what a place names itself is taken first
    ("passage", "c.start < $end"),  # what lies outside the two offsets is cut off
    ("passage", "c.end > $start"),
    ("versions", "d.live > 0"),  # a document that is hidden has no version that was selected
}
_READ = re.compile(r'(?:run|run_text|stream|load_query)\(\s*"([a-z_]+)"')
_CLAUSE = re.compile(r"\b(?:MATCH|OPTIONAL|WITH|RETURN|UNWIND|CALL|ORDER|LIMIT|SET|UNION)\b|[})\]|]")
_COMMENT = re.compile(r"(?://.*\n)*")
_MAP = re.compile(r"(?<=[\w:])\s*\{\s*\w+: [$\w.]+\s*\}")


class Condition(NamedTuple):
    """A part of a query that leaves something out."""

    text: str
    without: str  # the query in which it is forgotten


def files() -> list[Path]:
    """Return the queries that are read for scopes."""
    named = set(SHOWN)
    for path in (ROOT / "workers" / "adapters" / "neo4j" / "scoped").glob("*.py"):
        named |= set(_READ.findall(path.read_text(encoding="utf-8")))
    return sorted(path for name in named if (path := CYPHER / f"{name}.cypher").is_file())


def conditions(query: str) -> Iterator[Condition]:
    """Yield each AND-part of every WHERE, and each pattern's properties, with the query without it."""
    start = len(_COMMENT.match(query)[0])  # type: ignore[index] - it may be empty
    for where in re.finditer(r"\bWHERE\b", query[start:]):
        first = start + where.end()
        end = first + _end(query[first:])
        parts = _parts(query[first:end])
        for nth, part in enumerate(parts):
            rest = " AND ".join(one.strip() for at, one in enumerate(parts) if at != nth) or "true"
            yield Condition(" ".join(part.split()), f"{query[:first]} {rest}\n{query[end:]}")
    for pattern in _MAP.finditer(query, start):
        yield Condition(pattern[0].strip(), query[: pattern.start()] + query[pattern.end() :])


def _end(text: str) -> int:
    """Return where a WHERE ends: before the next clause, or the bracket that it stands in."""
    depth = 0
    for found in re.finditer(r"[({\[]|" + _CLAUSE.pattern, text):
        if found[0] in "({[":
            depth += 1
        elif found[0] in ")}]":
            if depth == 0:
                return found.start()
            depth -= 1
        elif depth == 0 and found[0] != "|":
            return found.start()
    return len(text)


def _parts(text: str) -> list[str]:
    """Split what follows a WHERE at the ANDs that stand in no brackets."""
    parts, depth, first = [], 0, 0
    for found in re.finditer(r"[({\[]|[)}\]]|\bAND\b", text):
        depth += (found[0] in "({[") - (found[0] in ")}]")
        if found[0] == "AND" and depth == 0:
            parts.append(text[first : found.start()])
            first = found.end()
    return [*parts, text[first:]]


class Fault(NamedTuple):
    """A query in which a condition is forgotten."""

    path: Path
    condition: Condition


def faults() -> list[Fault]:
    """Return the faults that tests should notice."""
    return [
        Fault(path, condition)
        for path in files()
        for condition in conditions(path.read_text(encoding="utf-8"))
        if (path.stem, condition.text) not in EQUIVALENT
    ]


class Trials:
    """A pytest plugin that runs the tests of each fault until one fails, and at last all without a fault."""

    def __init__(self, folder: Path, chosen: Sequence[Fault]) -> None:
        self._cypher = Path(shutil.copytree(CYPHER, folder / CYPHER.name))
        self._chosen = chosen
        self._failed = ""
        self.missed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the first test that fails."""
        if report.failed:
            self._failed = self._failed or report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the trials in place of the tests."""
        for fault in self._chosen:
            tests = TESTS.get(fault.path.stem, _SCOPED)
            items = [item for item in session.items if item.nodeid.startswith(tests)]
            copy = self._cypher / fault.path.name
            copy.write_text(fault.condition.without, encoding="utf-8")
            found = self._run(items)
            shutil.copy2(fault.path, copy)
            self._tell(f"{fault.path.stem}: {fault.condition.text}", found)
        found = self._run(session.items)
        self._tell("nothing forgotten", found or "no failure", missed=bool(found))
        session._setupstate.teardown_exact(None)
        return True

    def _run(self, items: Sequence[pytest.Item]) -> str:
        """Run tests until one fails, and return its name; servers, and what tests share, are kept."""
        for cached in (connection.load_query, connection._planned_once):
            cached.cache_clear()
        self._failed, self._begun = "", time.monotonic()
        for item in items:
            if self._failed:
                break
            # Of what the test before needed, what this one does not.
            item.session._setupstate.teardown_exact(item.parent)
            item._initrequest()  # type: ignore[attr-defined] - it may have run before
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=item.parent)
        return self._failed

    def _tell(self, name: str, found: str, *, missed: bool | None = None) -> None:
        if not found if missed is None else missed:
            self.missed.append(name)
        seconds = time.monotonic() - self._begun
        print(f"\n{name:60} {found or 'NOT NOTICED'}  {seconds:.0f} s", flush=True)  # noqa: T201


def main() -> int:
    """Try the faults, or list the conditions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the files with their conditions")
    parser.add_argument("files", nargs="*", help="names of queries; all where none is given")
    options = parser.parse_args()
    if options.list:
        for path in files():
            told = "; ".join(one.text for one in conditions(path.read_text(encoding="utf-8")))
            print(f"{path.relative_to(ROOT)}: {told}")  # noqa: T201
        return 0
    chosen = [fault for fault in faults() if not options.files or fault.path.stem in options.files]
    tests = {test.partition("::")[0] for fault in chosen for test in TESTS.get(fault.path.stem, _SCOPED)}
    with tempfile.TemporaryDirectory(prefix="hopline-scoped-") as scratch:
        trials = Trials(Path(scratch), chosen)
        connection.files = lambda _package: Path(scratch)  # type: ignore[assignment] - where queries are read
        status = pytest.main(["-n", "0", "--tb=no", "-q", "-m", "not long", *sorted(tests)], plugins=[trials])
    return 1 if trials.missed or status not in {0, 1} else 0


if __name__ == "__main__":
    sys.exit(main())
