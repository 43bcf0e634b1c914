"""Every bench can be imported and tells how it is called: what it uses of the house is still there."""

import importlib
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[3] / "bench"
MODULES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(BENCH.glob("*.py"))}
WITH_OPTIONS = [
    name
    for name, text in MODULES.items()
    if 'if __name__ == "__main__":' in text and ("parse_args" in text or "latency_options(" in text)
]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_imported(name: str) -> None:
    assert importlib.import_module(name)


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_a_program_tells_its_options(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit, match="0"):
        importlib.import_module(name).main()
    assert capsys.readouterr().out.startswith(f"usage: {name}.py")
