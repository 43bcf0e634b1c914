"""`make up` and its siblings: what they say of a wrong setting."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from infra.local.__main__ import main


@pytest.mark.parametrize(
    ("name", "value"), [("HOPLINE_API_SOURCES", "/archive"), ("HOPLINE_API_PORT", "eighty")]
)
def test_a_wrong_setting_is_one_line_before_anything_starts(
    tmp_path: Path, name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["infra.local", "up"])
    for variable, text in (("HOPLINE_VAR", str(tmp_path / "var")), (name, value)):
        monkeypatch.setenv(variable, text)
    assert main() == 1
    printed = capsys.readouterr()
    assert printed.out.startswith(f"error: {name}: ")
    assert printed.err == ""
    assert not (tmp_path / "var").exists()
