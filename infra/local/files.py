"""Writes files atomically, and secret ones so that only their owner can read them."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_file(path: Path, text: str, *, secret: bool = False) -> None:
    """Replace a file atomically; a secret one has mode 600 from its first byte."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    temporary = Path(out.name)
    temporary.chmod(0o600 if secret else 0o644)
    temporary.replace(path)
