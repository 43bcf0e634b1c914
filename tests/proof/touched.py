"""Names the tests that a change of some files can touch, nearest first: `make check FILES="…"`.

The distance is the number of imports between a module and a test file. For files that are not Python, see
TABLE.
"""

import ast
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import grimp

from proof.standing import stand

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PACKAGES = ("hopline", "workers", "producer", "infra")
MOST = 12  # test files, so that it takes seconds
HOUSE = "tests/unit/test_house.py"
# Which tests belong to files that nothing imports: the first pattern that fits.
TABLE = {
    "workers/ledger/*.lua": ("tests/property/workers/ledger", "tests/integration/workers/ledger"),
    "workers/limits/*.lua": ("tests/property/workers/limits", "tests/contract/workers/limits"),
    "*.lua": ("tests/contract/workers", "tests/integration/workers/engine"),
    "workers/tools/packs/*": ("tests/unit/workers/tools",),
    "*.cypher": ("tests/contract/workers/adapters/neo4j", "tests/integration/workers/adapters/neo4j"),
    "*/prompts/*": (
        "tests/unit/test_step_texts.py",
        "tests/unit/workers/flows",
        "tests/unit/infra/offline_model",
    ),
    "producer/web/*": ("tests/unit/producer/web", "tests/browser"),
    "*.toml": ("tests/unit/test_pins.py", "tests/unit/workers/core", "tests/unit/workers/tools"),
    "infra/docker/*": ("tests/unit/infra/docker",),
    "docker-compose.yml": ("tests/unit/infra/docker",),
    "infra/kubernetes/*": ("tests/unit/infra/kubernetes",),
    "*.md": ("tests/unit/test_walk.py",),
}


def touched(files: Iterable[str]) -> tuple[list[str], int]:
    """Return the tests to run for changed files, and how many farther test files there are besides."""
    distances: dict[str, int] = {HOUSE: 0}
    for file in map(_relative, files):
        for test, distance in _tests_of(file):
            distances[test] = min(distance, distances.get(test, distance))
    nearest = sorted(distances, key=lambda test: (distances[test], test))
    nearest = [test for test in nearest if (ROOT / test).exists()]  # a file of the list may have been deleted
    return nearest[:MOST], max(0, len(nearest) - MOST)


def _relative(file: str) -> str:
    path = Path(file)
    return path.resolve().relative_to(ROOT).as_posix() if path.is_absolute() else file


def _tests_of(file: str) -> Iterator[tuple[str, int]]:
    path = Path(file)
    if path.suffix == ".py" and path.parts[0] in PACKAGES:
        yield from _importing(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
    elif path.parts[0] == "tests" and path.name == "conftest.py":
        yield path.parent.as_posix(), 0
    elif path.parts[0] == "tests" and path.name.startswith("test_"):
        yield file, 0
    elif path.parts[0] == "tests" and path.suffix == ".py":
        yield from _importing(".".join(path.relative_to("tests").with_suffix("").parts))
    else:
        pattern = next((pattern for pattern in TABLE if fnmatch(file, pattern)), None)
        yield from ((folder, 0) for folder in TABLE.get(pattern or "", ()))


def _importing(module: str) -> Iterator[tuple[str, int]]:
    """Yield the test files that import a module, with the number of modules between."""
    importers = _importers()
    distances, waiting = {module: 0}, deque([module])
    while waiting:
        current = waiting.popleft()
        for importer in importers.get(current, ()):
            if importer not in distances:
                distances[importer] = distances[current] + 1
                waiting.append(importer)
    yield from ((name, distance) for name, distance in distances.items() if name.endswith(".py"))


@cache
def _importers() -> dict[str, set[str]]:
    """Return who imports each module: modules by name, test files by path."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=str(ROOT / "var" / "grimp"))
    importers = {module: graph.find_modules_that_directly_import(module) for module in graph.modules}
    for path in TESTS.rglob("*.py"):
        inner = path.relative_to(TESTS)
        is_test = path.name.startswith("test_")
        name = f"tests/{inner.as_posix()}" if is_test else ".".join(inner.with_suffix("").parts)
        for imported in _imports(path):
            importers.setdefault(imported, set()).add(name)
    return importers


def _imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def main() -> None:
    """Print pytest's arguments on one line, and on stderr what was left out."""
    tests, farther = touched(sys.argv[1:])
    without = [] if stand() else ["--no-servers"]
    print(*without, *tests)  # noqa: T201 - a command's answer
    if farther:
        print(f"{farther} more test files lie farther away: `make check` runs them too.", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
