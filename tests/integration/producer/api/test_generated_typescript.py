"""A TypeScript client that is generated from the OpenAPI document compiles in strict mode."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import requests
from fleet.api import ServedApi
from fleet.npm import npm_program, skip_without

from infra.local.jars import repositories
from infra.local.java import find_java

_GENERATOR = ("org.openapitools", "openapi-generator-cli", "7.17.0")
_COMPILER = "typescript@5.9.3"
_SECONDS = 400  # to end a hang


@pytest.fixture(scope="module")
def generator() -> Path:
    """The jar of openapi-generator, out of jgo's cache or its repository."""
    group, name, version = _GENERATOR
    try:
        return Path(repositories().project(group, name).at_version(version).artifact("", "jar").resolve())
    except (OSError, RuntimeError, requests.RequestException) as error:
        skip_without(f"{name} {version} cannot be had from the Maven repository ({error})")


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TypeScript's compiler, out of npm's cache or its registry."""
    return npm_program(_COMPILER, "tsc", tmp_path_factory.mktemp("typescript"))


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
