"""What counts as a change of code, after which `make up` starts all parts anew."""

from pathlib import Path

import pytest

from infra.local.settings import code_fingerprint


@pytest.mark.parametrize(
    ("file", "is_code"),
    [
        ("workers/app.py", True),
        ("workers/ledger/lua/settle.lua", True),
        ("requirements.lock", True),
        ("workers/__pycache__/app.cpython-311.pyc", False),
    ],
)
def test_new_code_a_script_and_new_packages_are_changes(tmp_path: Path, file: str, *, is_code: bool) -> None:
    for name in ("workers", "producer", "infra"):
        (tmp_path / name).mkdir()
    before = code_fingerprint(tmp_path)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("changed\n", encoding="utf-8")
    assert (code_fingerprint(tmp_path) != before) == is_code
