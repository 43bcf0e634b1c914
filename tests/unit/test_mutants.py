"""The faults of tests/mutants can still be made: their lines stand in the code, and their tests are there."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAULTS = tomllib.loads((ROOT / "tests" / "mutants" / "faults.toml").read_text(encoding="utf-8"))


def test_there_are_thirty() -> None:
    assert len(FAULTS) == 30


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_can_be_made_and_looked_for(fault: dict[str, Any]) -> None:
    text = (ROOT / fault["file"]).read_text(encoding="utf-8")
    assert text.count(fault["old"]) == 1, "the line has changed: make the same fault in what it is now"
    assert fault["new"] != fault["old"]
    assert [name for name in fault["tests"] if not (ROOT / name).is_file()] == []
