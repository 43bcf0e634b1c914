"""Replaces itself by a program of the stack, with the settings of the last `hopline up`.

`python -m infra.local.launch FILE COMMAND …`: supervisord gives its programs the environment that it was
itself started with; its HOPLINE_* are replaced by those of the file. So a program can be started again with
other settings while the others go on.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

FILE = "environment.json"  # in var/, mode 600
KEPT = ("HOPLINE_VAR", "HOPLINE_STACK")  # the program's own, which say whose it is


def replaced(environment: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with these settings instead of its own."""
    others = {name: value for name, value in environment.items() if not name.startswith("HOPLINE_")}
    own = {name: environment[name] for name in KEPT if name in environment}
    return others | dict(settings) | own


def main(file: str, *command: str) -> None:
    """Replace this process by the command."""
    settings = json.loads(Path(file).read_text(encoding="utf-8"))
    os.execve(command[0], command, replaced(os.environ, settings))  # noqa: S606 - a program of the stack


if __name__ == "__main__":
    main(*sys.argv[1:])
