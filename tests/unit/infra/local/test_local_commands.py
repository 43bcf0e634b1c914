"""`make up` and its siblings: what they say of a wrong setting."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("name", "value"), [("HOPLINE_API_SOURCES", "/archive"), ("HOPLINE_API_PORT", "eighty")]
)
def test_a_wrong_setting_is_one_line_before_anything_starts(tmp_path: Path, name: str, value: str) -> None:
    command = [sys.executable, "-m", "infra.local", "up"]
    environment = os.environ | {"HOPLINE_VAR": str(tmp_path / "var"), name: value}
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=180, check=False, cwd=tmp_path
    )
    assert result.returncode == 1
    assert result.stdout.startswith(f"error: {name}: ")
    assert result.stderr == ""
    assert not (tmp_path / "var").exists()
