"""Draws one-line faults over all packages by a seed, with the tests that run each line: drawn.jsonl.

    pip install mutmut coverage     # needed for this alone
    COVERED=FOLDER PYTHONPATH=tests pytest -p mutants.covered -m "not long"
    coverage combine --keep --data-file=FOLDER/whole FOLDER
    PYTHONPATH=tests python -m mutants.draw FOLDER

The faults are made by mutmut's operators; a place of the code is as likely as any other.
"""

import argparse
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import libcst as cst
from coverage import CoverageData
from mutmut.mutation.mutators import mutation_operators

ROOT = Path(__file__).resolve().parents[2]
DRAWN = Path(__file__).with_name("drawn.jsonl")
PACKAGES = ("hopline", "workers", "producer", "infra")
SERVERLESS = ("tests/unit/", "tests/property/")  # tried first
MOST_TESTS = 15  # files


class _Sites(cst.CSTVisitor):
    """Collects the nodes of function bodies, annotations, docstrings and decorators apart."""

    def __init__(self) -> None:
        self.nodes: list[cst.CSTNode] = []
        self._depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802, ARG002 - libcst's name
        self._depth += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:  # noqa: N802, ARG002
        self._depth -= 1

    def visit_Annotation(self, node: cst.Annotation) -> bool:  # noqa: N802, ARG002
        return False

    def visit_Decorator(self, node: cst.Decorator) -> bool:  # noqa: N802, ARG002
        return False

    def on_visit(self, node: cst.CSTNode) -> bool:
        if self._depth:
            self.nodes.append(node)
        return super().on_visit(node)


class Module:
    """The places of a module at which a fault can be made."""

    def __init__(self, path: Path) -> None:
        self.file = path.relative_to(ROOT).as_posix()
        self._tree = cst.parse_module(path.read_text(encoding="utf-8"))
        sites = _Sites()
        self._tree.visit(sites)
        self.nodes = sites.nodes
        self._lines = self._tree.code.splitlines()

    def draw(self, dice: random.Random) -> dict[str, Any] | None:
        """Return a fault that changes one line which stands once; None where the dice found none."""
        if not self.nodes:
            return None
        node = dice.choice(self.nodes)
        changes = [
            changed
            for kind, operator in mutation_operators
            if isinstance(node, kind)
            for changed in operator(node)
        ]
        if not changes:
            return None
        after = self._tree.deep_replace(node, dice.choice(changes)).code.splitlines()
        numbers = [at for at, (old, new) in enumerate(zip(self._lines, after, strict=False)) if old != new]
        if len(after) != len(self._lines) or len(numbers) != 1:
            return None
        old, new = self._lines[numbers[0]], after[numbers[0]]
        if self._tree.code.count(old) != 1:
            return None
        return {"file": self.file, "line": numbers[0] + 1, "old": old, "new": new}


def _drawn(seed: int, count: int) -> list[dict[str, Any]]:
    """Draw the faults of all packages, each on another line."""
    dice = random.Random(seed)
    paths = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    modules = [Module(path) for path in paths]
    sizes = [len(module.nodes) for module in modules]
    drawn: dict[tuple[str, int], dict[str, Any]] = {}
    while len(drawn) < count:
        if fault := dice.choices(modules, sizes)[0].draw(dice):
            drawn.setdefault((fault["file"], fault["line"]), fault)
    return sorted(drawn.values(), key=lambda fault: (fault["file"], fault["line"]))


def tests_of(data: CoverageData, file: str, line: int) -> list[str]:
    """Return the test files that run a line: without servers first, then who runs most of the module."""
    path = next((path for path in data.measured_files() if path.endswith(f"/{file}")), file)
    contexts = data.contexts_by_lineno(path)
    share = Counter(test for names in contexts.values() for test in set(map(_file_of, names)))
    tests = {test for test in map(_file_of, contexts.get(line, ())) if test.startswith("tests/")}
    return sorted(tests, key=lambda test: (not test.startswith(SERVERLESS), -share[test], test))[:MOST_TESTS]


def _file_of(context: str) -> str:
    return context.partition("::")[0]


def main() -> None:
    """Draw the faults and write them, one JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("covered", type=Path, help="a folder with the data of `mutants.covered`")
    parser.add_argument("--seed", type=int, default=35)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument(
        "--keep", action="store_true", help="keep the faults of drawn.jsonl, choose tests again"
    )
    options = parser.parse_args()
    data = CoverageData(str(options.covered / "whole"))
    data.read()
    faults = _kept() if options.keep else _drawn(options.seed, options.count)
    with DRAWN.open("w", encoding="utf-8") as file:
        for fault in faults:
            fault["tests"] = tests_of(data, fault["file"], fault["line"])
            file.write(json.dumps(fault, ensure_ascii=False) + "\n")


def _kept() -> list[dict[str, Any]]:
    """Return the faults of drawn.jsonl at the lines where they stand now; drop those without one."""
    kept = []
    for fault in (json.loads(line) for line in DRAWN.read_text(encoding="utf-8").splitlines()):
        file = ROOT / fault["file"]
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        if fault["old"] in lines:
            kept.append(fault | {"line": lines.index(fault["old"]) + 1})
        else:
            print(f"dropped: {fault['file']} has no line {fault['old'].strip()!r}")  # noqa: T201
    return kept


if __name__ == "__main__":
    main()
