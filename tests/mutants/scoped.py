"""Forgets each condition of the Cypher that is read for scopes, or keeps versions: does a test notice?

One at a time: the servers are started once, and the queries are read from a copy in which one of them is
wrong. Exit 1 if a fault was not noticed. `--list` prints the files with their conditions, for docs/access.md.
"""

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
_ADAPTER = ROOT / "workers" / "adapters" / "neo4j"
CYPHER = _ADAPTER / "cypher"
# Read for principals outside the folder of the scoped readings.
SHOWN = ("document", "document_meant", "documents_facets", "documents_found", "passage")
# End the text that was live, and say for whom it was.
ENDING = ("allow_before_live", "hide_document", "make_live")
_CONTRACT = "tests/contract/workers/adapters/neo4j/"
_SCOPED = (
    "tests/integration/workers/adapters/neo4j/test_scoped_views.py",
    "tests/property/workers/adapters/neo4j/test_scopes.py",
)
_KEPT = (
    "tests/integration/workers/adapters/neo4j/test_kept_versions.py",
    "tests/property/workers/adapters/neo4j/test_known_at.py",
)
_STORE = ("tests/integration/workers/adapters/neo4j/test_kept_store.py",)
_ENDED = (
    "tests/integration/workers/adapters/neo4j/test_kept_ends.py", f"{_CONTRACT}test_graph.py",
    f"{_CONTRACT}test_graph_titles.py", f"{_CONTRACT}test_graph_typed.py",
)  # fmt: skip
TESTS = {  # that should notice; beginnings of their names
    "allow_before_live": ("tests/integration/workers/adapters/neo4j/test_allow_before_live.py",),
    "document": (f"{_CONTRACT}test_graph.py::test_a_document_is_seen_only_when",),
    "document_meant": (f"{_CONTRACT}test_graph_metadata.py::test_a_document_is_read_by_its_id",),
    "documents_facets": (f"{_CONTRACT}test_graph_metadata.py::test_live_documents_are_counted",),
    "documents_found": (
        f"{_CONTRACT}test_graph.py::test_documents_",
        f"{_CONTRACT}test_graph_metadata.py::test_documents_are_found",
        _SCOPED[1],
    ),
    "hide_document": _ENDED,
    "make_live": (
        f"{_CONTRACT}test_graph_versions.py",
        "tests/integration/workers/adapters/neo4j/test_allow_before_live.py",
        *_ENDED,
    ),
    "passage": (
        f"{_CONTRACT}test_graph_neighbourhood.py::test_a_passage",
        "tests/integration/workers/adapters/neo4j/test_graph_concurrency.py::test_of_a_document_that_is_deleted",
    ),
}
_SEEN_TWICE = ("document_meant", "documents_in_scope", "kept_selected")
# Without these a query costs more and returns the same, or what is left out by who calls it.
EQUIVALENT = {
    ("allow_before_live", "coalesce(narrowed <> held, narrowed IS NOT NULL)"),  # it notes what is so
    ("contents", "hold.named IS NULL"),  # what a place names itself is taken first
    # Of two looks at the same, the second sees what happened after the first.
    *((name, f"{place}.live > 0") for name in _SEEN_TWICE for place in ("d", "document")),
    ("documents_facets", "d.live > 0"),
    ("kept_selected", "document.state = 'kept'"),
    ("kept_beyond", "kept.state = 'kept'"),  # of a document of fewer none is beyond them
    ("kept_beyond", "v.state = 'pending'"),  # where none is kept, all go
    ("kept_beyond", "versions > $most"),
    ("kept_drop", "v.state <> 'dropped'"),  # it is dropped again, and nothing is noted of it
    ("kept_hidden", "d.id IN $named"),  # what else is hidden is in no reading of these documents
    ("kept_hidden", "d.state = 'kept'"),  # one that is pending has no end, and one that is gone a KeptLoss
    ("kept_selected", "d.state = 'kept'"),  # the same; a gap is noted of the time of one that is gone
    ("make_live", "gone OR d.title_id <> row.title_id"),  # the mark of what stays is taken away again
    ("make_live", "moved > 0"),  # the same order is written again
    ("make_live", "v.collection = d.collection"),  # of another collection none is looked up then
    ("make_live", "{version: 0}"),  # no other link of what is hidden is left there
    ("passage", "c.start < $end"),  # what lies outside the two offsets is cut off
    ("passage", "c.end > $start"),
    ("versions", "d.live > 0"),  # a document that is hidden has no version that was selected
}
_READ = re.compile(r'(?:run|stream)\(\s*(?:[\w.]+,\s*)?"([a-z_]+)"')
_CLAUSE = re.compile(
    r"\b(?:MATCH|OPTIONAL|(?<!STARTS )WITH|RETURN|UNWIND|CALL|ORDER|LIMIT|MERGE|SET|UNION|FOREACH)\b"
    r"|\b(?:WHEN|ELSE)\b|[})\]|]"
)
_OPEN, _CLOSE = r"[({\[]|\bCASE\b", r"[)}\]]|\bEND\b"
_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_MAP = re.compile(r"(?<=[\w:])\s*\{\s*\w+: [$\w.]+\s*\}")
# Says nothing of a condition: a server that is away or busy.
_OUTAGE = re.compile(r"TransactionTimedOut|ServiceUnavailable|DependencyAway|StartFailed")


class Condition(NamedTuple):
    """A part of a query that leaves something out."""

    text: str
    without: str  # the query in which it is forgotten


def files() -> list[Path]:
    """Return the queries that are read for scopes, and those that write, end and remove kept versions."""
    named = {*SHOWN, *ENDING} | queries_of(_ADAPTER / "kept" / "store.py")
    for path in (*_ADAPTER.glob("scoped/*.py"), _ADAPTER / "kept" / "past.py"):
        named |= queries_of(path)
    return sorted(filter(None, map(query_file, named)), key=lambda path: path.stem)


def query_file(name: str) -> Path | None:
    """Return the file of a query; None if no query has this name."""
    return next(CYPHER.glob(f"*/{name}.cypher"), None)


def queries_of(module: Path) -> set[str]:
    """Return the names of the queries that a module runs."""
    return set(_READ.findall(module.read_text(encoding="utf-8")))


def conditions(query: str) -> Iterator[Condition]:
    """Yield each AND-part of every WHERE and of its cases, and each pattern's properties, without it."""
    query = _COMMENT.sub("", query)
    for first in [where.end() for where in re.finditer(r"\bWHERE\b", query)]:
        end = first + _end(query[first:])
        yield from _forgotten(query, first, end)
        for case in re.finditer(r"\b(?:THEN|ELSE)\b", query[first:end]):
            arm = first + case.end()
            yield from _forgotten(query, arm, arm + _end(query[arm:]))
    for pattern in _MAP.finditer(query):
        yield Condition(pattern[0].strip(), query[: pattern.start()] + query[pattern.end() :])


def _forgotten(query: str, first: int, end: int) -> Iterator[Condition]:
    parts = _parts(query[first:end])
    for nth, part in enumerate(parts):
        rest = " AND ".join(other.strip() for at, other in enumerate(parts) if at != nth) or "true"
        yield Condition(" ".join(part.split()), f"{query[:first]} {rest}\n{query[end:]}")


def _end(text: str) -> int:
    """Return where a condition ends: before the next clause, or the bracket or case that it stands in."""
    depth = 0
    for match in re.finditer(f"{_OPEN}|{_CLOSE}|{_CLAUSE.pattern}", text):
        if re.fullmatch(_OPEN, match[0]):
            depth += 1
        elif re.fullmatch(_CLOSE, match[0]):
            if depth == 0:
                return match.start()
            depth -= 1
        elif depth == 0 and match[0] != "|":
            return match.start()
    return len(text)


def _parts(text: str) -> list[str]:
    """Split what follows a WHERE at the ANDs that stand in no brackets."""
    parts, depth, first = [], 0, 0
    for match in re.finditer(rf"{_OPEN}|{_CLOSE}|\bAND\b", text):
        depth += bool(re.fullmatch(_OPEN, match[0])) - bool(re.fullmatch(_CLOSE, match[0]))
        if match[0] == "AND" and depth == 0:
            parts.append(text[first : match.start()])
            first = match.end()
    return [*parts, text[first:]]


class Fault(NamedTuple):
    """A query in which a condition is forgotten."""

    path: Path
    condition: Condition


def _tests_of(fault: Fault) -> tuple[str, ...]:
    name = fault.path.stem
    if not name.startswith("kept_"):
        return TESTS.get(name, _SCOPED)
    return _KEPT if name in queries_of(_ADAPTER / "kept" / "past.py") else _STORE


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
        """Note the first test that fails, and not for a server that is away or busy."""
        if report.failed and not _OUTAGE.search(report.longreprtext):
            self._failed = self._failed or report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the trials in place of the tests."""
        for fault in self._chosen:
            tests = _tests_of(fault)
            items = [item for test in tests for item in session.items if item.nodeid.startswith(test)]
            copy = self._cypher / fault.path.name
            copy.write_text(fault.condition.without, encoding="utf-8")
            failure = self._run(items)
            shutil.copy2(fault.path, copy)
            self._tell(f"{fault.path.stem}: {fault.condition.text}", failure)
        failure = self._run(session.items)
        self._tell("nothing forgotten", failure or "no failure", missed=bool(failure))
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

    def _tell(self, name: str, failure: str, *, missed: bool | None = None) -> None:
        if not failure if missed is None else missed:
            self.missed.append(name)
        seconds = time.monotonic() - self._begun
        print(f"\n{name:60} {failure or 'NOT NOTICED'}  {seconds:.0f} s", flush=True)  # noqa: T201


def main() -> int:
    """Try the faults, or list the conditions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the files with their conditions")
    parser.add_argument("files", nargs="*", help="names of queries; all where none is given")
    options = parser.parse_args()
    if options.list:
        for path in files():
            text = "; ".join(condition.text for condition in conditions(path.read_text(encoding="utf-8")))
            print(f"{path.relative_to(ROOT)}: {text}")  # noqa: T201
        return 0
    chosen = [fault for fault in faults() if not options.files or fault.path.stem in options.files]
    tests = {test.partition("::")[0] for fault in chosen for test in _tests_of(fault)}
    with tempfile.TemporaryDirectory(prefix="hopline-scoped-") as scratch:
        trials = Trials(Path(scratch), chosen)
        connection.files = lambda _package: Path(scratch)  # type: ignore[assignment] - where queries are read
        status = pytest.main(["-n", "0", "--tb=no", "-q", "-m", "not long", *sorted(tests)], plugins=[trials])
    return 1 if trials.missed or status not in {0, 1} else 0


if __name__ == "__main__":
    sys.exit(main())
