"""Builds a wheel and a source archive of each distribution for publication.

`python -m infra.wheels FOLDER` writes them there; `python -m infra.wheels --tag v1.2.3` checks that
a tag names the version of both, and that the changelog has it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
DISTRIBUTIONS = ("hopline", ".")  # their folders
_BUILD = """
import sys
from setuptools import build_meta
folder = sys.argv[1]  # which the first build replaces
build_meta.build_sdist(folder)
build_meta.build_wheel(folder)
"""


def build(folder: Path) -> list[Path]:
    """Build from a copy of the files that git tracks, so that nothing else is included; return the files.

    Raises:
        CalledProcessError: a build fails, or this is no clone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    with TemporaryDirectory() as temporary:
        copy = Path(temporary) / "hopline"
        for name in _output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split(
            "\0"
        ):
            if name and (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        # Archives hold the commit's time, so that anybody can build the same bytes.
        environment = os.environ | {"SOURCE_DATE_EPOCH": _output("git", "log", "-1", "--format=%ct").strip()}
        for distribution in DISTRIBUTIONS:
            subprocess.run(  # noqa: S603 - our own words
                [sys.executable, "-c", _BUILD, str(folder.resolve())],
                cwd=copy / distribution,
                env=environment,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
    return sorted(set(folder.iterdir()) - before)


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603


def tag_faults(tag: str, root: Path = ROOT) -> list[str]:
    """Return why this tag may not be released; nothing if it may."""
    faults = []
    for distribution in DISTRIBUTIONS:
        project = tomllib.loads((root / distribution / "pyproject.toml").read_text(encoding="utf-8"))[
            "project"
        ]
        if tag != f"v{project['version']}":
            faults.append(f"{project['name']} is of version {project['version']}, and the tag is {tag}")
    if f"\n## {tag.removeprefix('v')} " not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        faults.append(f"CHANGELOG.md has no heading `## {tag.removeprefix('v')} - DATE`")
    return faults


def main(arguments: list[str]) -> int:
    """Run the command line."""
    if arguments[:1] == ["--tag"]:
        faults = tag_faults(arguments[1])
        sys.stderr.writelines(f"{fault}\n" for fault in faults)
        return 1 if faults else 0
    sys.stdout.writelines(f"{path}\n" for path in build(Path(arguments[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
