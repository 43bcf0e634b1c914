"""Changes settings in a user's `.env`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from hopline.errors import InvalidInput
from hopline.secrets import scrubbed

_OWNER_ONLY = 0o600  # it may contain keys
_INTERPRETED = frozenset(" #$'\"`\\")  # dotenv does not read these literally


def write_settings(path: Path, settings: Mapping[str, str]) -> list[str]:
    """Set variables in a file of lines `NAME=value`; return its changed lines, marked with - and +.

    Other lines do not change. The file is replaced atomically and keeps its permissions; a new one is
    readable only by its owner. A symbolic link is followed.

    Raises:
        InvalidInput: dotenv would not read a value literally; nothing was written.
    """
    for name, value in settings.items():
        if not value.isprintable() or _INTERPRETED & {*value}:
            allowed = (
                "a value without blanks, control characters, #, $, quotes and backslashes: set it by hand"
            )
            raise InvalidInput(name, scrubbed(value), allowed)
    path = path.resolve()
    before = path.read_bytes().decode("utf-8") if path.exists() else ""
    end = "\r\n" if "\r\n" in before else "\n"
    lines, changes = before.splitlines(), []
    for name, value in settings.items():
        line = f"{name}={value}"
        known = [at for at, old in enumerate(lines) if re.match(rf"\ufeff?\s*(?:export\s+)?{name}\s*=", old)]
        if known and lines[known[-1]] == line:
            continue
        changes += [f"- {scrubbed(lines[at])}" for at in known[-1:]] + [f"+ {scrubbed(line)}"]
        if known:
            lines[known[-1]] = line  # if several lines set a name, the last one counts
        else:
            lines.append(line)
    if changes:
        other = path.with_name(f"{path.name}.{os.getpid()}.new")
        mode = path.stat().st_mode & 0o777 if path.exists() else _OWNER_ONLY
        with os.fdopen(os.open(other, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as written:
            written.write((end.join(lines) + end).encode("utf-8"))
        other.chmod(mode)
        other.replace(path)
    return changes
