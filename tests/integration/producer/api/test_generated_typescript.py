"""A TypeScript client that is generated from the OpenAPI document compiles in strict mode."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest
import requests
from fleet.api import ServedApi

from infra.local.jars import repositories
from infra.local.java import find_java

_GENERATOR = ("org.openapitools", "openapi-generator-cli", "7.17.0")
_COMPILER = "typescript@5.9.3"
_SECONDS = 400  # to end a hang


def _without(what: str) -> NoReturn:
    """Skip the test, but where everything has to be there."""
    if os.environ.get("CI"):
        pytest.fail(f"CI is set, and {what}")
    pytest.skip(f"{what}, and CI is not set")


@pytest.fixture(scope="module")
def generator() -> Path:
    """The jar of openapi-generator, out of jgo's cache or its repository."""
    group, name, version = _GENERATOR
    try:
        return Path(repositories().project(group, name).at_version(version).artifact("", "jar").resolve())
    except (OSError, RuntimeError, requests.RequestException) as error:
        _without(f"{name} {version} cannot be had from the Maven repository ({error})")


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TypeScript's compiler, out of npm's cache or its registry."""
    npm, folder = shutil.which("npm"), tmp_path_factory.mktemp("typescript")
    if npm is None:
        _without("there is no npm")
    made = subprocess.run(
        [npm, "install", "--prefix", folder, "--no-audit", "--no-fund", "--prefer-offline", _COMPILER],
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if made.returncode:
        _without(f"{_COMPILER} cannot be had from the npm registry ({made.stderr[-300:].strip()})")
    return folder / "node_modules" / ".bin" / "tsc"


@pytest.mark.long
def test_a_generated_typescript_client_compiles_in_strict_mode(
    api: ServedApi, generator: Path, compiler: Path, tmp_path: Path
) -> None:
    with api.client() as client:
        (tmp_path / "openapi.json").write_text(client.get("/openapi.json").text, encoding="utf-8")
    generate = [find_java(None), "-jar", generator, "generate", "--generator-name", "typescript-fetch"]
    generate += ["--input-spec", tmp_path / "openapi.json", "--output", tmp_path / "generated"]
    made = subprocess.run(generate, capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert made.returncode == 0, (made.stdout + made.stderr)[-4000:]
    sources = sorted((tmp_path / "generated").rglob("*.ts"))
    assert {"JobsApi.ts", "QueriesApi.ts", "Answer.ts"} <= {source.name for source in sources}
    flags = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    (tmp_path / "generated" / "package.json").write_text('{"type": "commonjs"}', encoding="utf-8")
    compiled = subprocess.run(
        [compiler, *flags, *sources], capture_output=True, text=True, check=False, timeout=_SECONDS
    )
    assert compiled.returncode == 0, compiled.stdout[-4000:]
