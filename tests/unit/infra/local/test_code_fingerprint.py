"""What counts as a change of code, after which `make up` starts all parts anew."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.settings import code_fingerprint


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the three packages, the last of which has code in it."""
    for name in ("workers", "producer"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    source = Path(code_fingerprint.__code__.co_filename).parent
    (tmp_path / "infra" / "local").mkdir(parents=True)
    shutil.copy(source.parent / "__init__.py", tmp_path / "infra")
    for name in ("__init__.py", "settings.py"):
        shutil.copy(source / name, tmp_path / "infra" / "local")
    return tmp_path


def fingerprint(clone: Path) -> str:
    command = "from infra.local.settings import code_fingerprint; print(code_fingerprint())"
    return subprocess.run(
        [sys.executable, "-c", command], cwd=clone, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("file", ["workers/app.py", "workers/ledger/lua/settle.lua", "requirements.lock"])
def test_new_code_a_script_and_new_packages_are_changes(clone: Path, file: str) -> None:
    before = fingerprint(clone)
    (clone / file).parent.mkdir(parents=True, exist_ok=True)
    (clone / file).write_text("changed\n", encoding="utf-8")
    assert fingerprint(clone) != before


def test_compiled_modules_are_none(clone: Path) -> None:
    before = fingerprint(clone)
    (clone / "workers" / "__pycache__").mkdir(exist_ok=True)
    (clone / "workers" / "__pycache__" / "app.cpython-311.pyc").write_bytes(b"compiled")
    assert fingerprint(clone) == before
