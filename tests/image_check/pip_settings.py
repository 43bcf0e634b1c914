"""Passes pip's own settings on to a build, by files that are there while it runs and not in the image."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from infra.local.files import write_file

_PLACE = "/mnt/pip"
_ENVIRONMENT = ":env:"  # how pip lists what a variable sets


def pip_volumes(folder: Path) -> list[str]:
    """Write pip's settings into a folder; return `SOURCE:TARGET:ro` of what a build needs of them.

    A setting that names a file or folder of this machine, such as a certificate, names its copy there.
    """
    listed = subprocess.run(
        (sys.executable, "-m", "pip", "config", "list"),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    text, volumes = configuration(listed)
    write_file(folder / "pip.conf", text, secret=True)
    return [f"{folder / 'pip.conf'}:/etc/pip.conf:ro", *volumes]


def configuration(listed: str) -> tuple[str, list[str]]:
    """Return the text of a pip.conf, and the volumes that it needs.

    Args:
        listed: what `pip config list` printed.
    """
    sections: dict[str, dict[str, str]] = {}
    places: dict[str, str] = {}  # path here -> path there
    for section, name, value in sorted(_settings(listed)):
        words = [_moved(word, places) for word in value.split()]
        sections.setdefault(section, {})[name] = "\n    ".join(words)
    lines = [
        line
        for section, settings in sections.items()
        for line in (f"[{section}]", *(f"{name} = {value}" for name, value in settings.items()))
    ]
    volumes = [f"{here}:{there}:ro" for here, there in places.items()]
    return "".join(f"{line}\n" for line in lines), volumes


def _settings(listed: str) -> Iterator[tuple[str, str, str]]:
    """Yield section, name and value; of a setting that stands in several places the last is the stronger."""
    settings: dict[tuple[str, str], str] = {}
    for line in listed.splitlines():
        key, equals, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if equals:
            settings["global" if section == _ENVIRONMENT else section, name] = str(ast.literal_eval(value))
    for (section, name), value in settings.items():
        yield section, name, value


def _moved(word: str, places: dict[str, str]) -> str:
    if not word.startswith("/") or not Path(word).exists():
        return word
    return places.setdefault(word, f"{_PLACE}-{len(places)}")
