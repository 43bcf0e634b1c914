"""What counts as a change of code, after which `make up` starts all parts anew."""

from pathlib import Path

import pytest

from infra.local import settings
from infra.local.settings import code_fingerprint


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the three packages, the last of which has the module that looks at them."""
    for name in ("workers", "producer", "infra/local"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "__init__.py").touch()
    module = tmp_path / "infra" / "local" / "settings.py"
    module.touch()
    monkeypatch.setattr(settings, "__file__", str(module))
    return tmp_path


@pytest.mark.parametrize("file", ["workers/app.py", "workers/ledger/lua/settle.lua", "requirements.lock"])
def test_new_code_a_script_and_new_packages_are_changes(clone: Path, file: str) -> None:
    before = code_fingerprint()
    (clone / file).parent.mkdir(parents=True, exist_ok=True)
    (clone / file).write_text("changed\n", encoding="utf-8")
    assert code_fingerprint() != before


def test_compiled_modules_are_none(clone: Path) -> None:
    before = code_fingerprint()
    (clone / "workers" / "__pycache__").mkdir(exist_ok=True)
    (clone / "workers" / "__pycache__" / "app.cpython-311.pyc").write_bytes(b"compiled")
    assert code_fingerprint() == before
