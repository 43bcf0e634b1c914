"""The faults of tests/mutants can still be made: their lines stand in the code, and their tests are there."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mutants import scoped

ROOT = Path(__file__).resolve().parents[2]
FAULTS = tomllib.loads((ROOT / "tests" / "mutants" / "faults.toml").read_text(encoding="utf-8"))


def test_every_file_of_the_scoped_reading_path_has_a_fault() -> None:
    adapters = ROOT / "workers" / "adapters"
    files = {adapters / "qdrant" / "joined.py", ROOT / "workers" / "core" / "scope.py"}
    for path in (adapters / "neo4j" / "scoped").glob("*.py"):
        files.add(path)
        files |= set(filter(None, map(scoped.query_file, scoped.queries_of(path))))
    faulty = {ROOT / fault["file"] for name, fault in FAULTS.items() if name.startswith("scope-")}
    left_out = {path.name for path in files - faulty}
    # These pass on what a view holds, or make columns of one document.
    assert left_out == {"__init__.py", "columns.py", "contents.py", "graph.py", "reads.py"}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_can_be_made_and_looked_for(fault: dict[str, Any]) -> None:
    text = (ROOT / fault["file"]).read_text(encoding="utf-8")
    assert text.count(fault["old"]) == 1, "the line has changed: make the same fault in what it is now"
    assert fault["new"] != fault["old"]
    assert [name for name in fault["tests"] if not (ROOT / name).is_file()] == []


def test_a_fault_is_made_of_every_condition_of_a_query() -> None:
    query = "// WHERE it is said.\nMATCH (a:A {id: $id}) WHERE a.x AND (a.y OR a.z AND $w)\nRETURN a"
    made = {condition.text: condition.without for condition in scoped.conditions(query)}
    assert made == {
        "a.x": "MATCH (a:A {id: $id}) WHERE (a.y OR a.z AND $w)\nRETURN a",
        "(a.y OR a.z AND $w)": "MATCH (a:A {id: $id}) WHERE a.x\nRETURN a",
        "{id: $id}": "MATCH (a:A) WHERE a.x AND (a.y OR a.z AND $w)\nRETURN a",
    }


def test_what_is_no_fault_is_a_condition_still() -> None:
    named = {
        (path.stem, condition.text)
        for path in scoped.files()
        for condition in scoped.conditions(path.read_text(encoding="utf-8"))
    }
    assert named >= scoped.EQUIVALENT


def test_the_docs_name_the_queries_of_which_every_condition_was_tried() -> None:
    text = (ROOT / "docs" / "access.md").read_text(encoding="utf-8")
    assert re.findall(r"`(\w+)\.cypher`", text) == [path.stem for path in scoped.files()]
