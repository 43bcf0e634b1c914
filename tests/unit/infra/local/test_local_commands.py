"""`make up` and its siblings: what they say of a wrong setting."""

from __future__ import annotations

import sys

import pytest

from infra.local.__main__ import main


@pytest.mark.parametrize(
    ("name", "value"), [("HOPLINE_API_SOURCES", "/archive"), ("HOPLINE_API_PORT", "eighty")]
)
def test_a_wrong_setting_is_one_line_before_anything_starts(tmp_path, name, value, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["infra.local", "up"])
    for variable, text in (("HOPLINE_VAR", str(tmp_path / "var")), (name, value)):
        monkeypatch.setenv(variable, text)
    assert main() == 1
    printed = capsys.readouterr()
    assert printed.out.startswith(f"error: {name}: ")
    assert printed.err == ""
    assert not (tmp_path / "var").exists()
