"""Programs out of npm's cache or its registry, for tests of what is made for other languages and editors."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

_SECONDS = 400  # to end a hang


def skip_without(what: str) -> NoReturn:
    """Skip the test, but where everything has to be there."""
    if os.environ.get("CI"):
        pytest.fail(f"CI is set, and {what}")
    pytest.skip(f"{what}, and CI is not set")


def npm_program(package: str, name: str, folder: Path) -> Path:
    """Install a package of npm into a folder; return a program of it, or skip the test."""
    npm = shutil.which("npm")
    if npm is None:
        skip_without("there is no npm")
    made = subprocess.run(
        [npm, "install", "--prefix", folder, "--no-audit", "--no-fund", "--prefer-offline", package],
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if made.returncode:
        skip_without(f"{package} cannot be had from the npm registry ({made.stderr[-300:].strip()})")
    return folder / "node_modules" / ".bin" / name
