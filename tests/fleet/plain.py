"""A virtual environment of Celery and Redis's client alone, as of a service that does not have hopline."""

import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement


def plain_python(folder: Path) -> str:
    """Make the environment of links to the installed packages; return its interpreter."""
    venv.create(folder, symlinks=True, with_pip=False)
    site = next(folder.glob("lib/python*/site-packages"))
    for package in _needed("celery[redis]", {}).values():
        for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            (site / name).symlink_to(Path(str(package.locate_file(name))))
    return str(folder / "bin" / "python")


def _needed(text: str, seen: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return the distributions that a requirement needs, by name."""
    requirement = Requirement(text)
    name = requirement.name.lower()
    if name not in seen:
        seen[name] = distribution(name)
    for extra in ("", *requirement.extras):
        for needed in _requirements(seen[name], extra):
            if needed.name.lower() not in seen or needed.extras:
                _needed(str(needed).partition(";")[0], seen)
    return seen


def _requirements(package: Distribution, extra: str) -> Iterator[Requirement]:
    for text in package.requires or ():
        needed = Requirement(text)
        if needed.marker is None or needed.marker.evaluate({"extra": extra}):
            yield needed
