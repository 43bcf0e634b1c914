"""Stores the files of the Batch API on disk while the process lives."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile

_PART = 1 << 20  # bytes
MOST_BYTES = 200_000_000  # of a file of requests
_PAGE = 100


class BatchFiles:
    """Uploaded and written files by id; newest last."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="offline-model-")
        self._known: dict[str, dict[str, Any]] = {}
        self._numbers = itertools.count(1)

    def forget(self) -> None:
        """Remove all of them."""
        for name in list(self._known):
            self.delete(name)

    async def take(self, upload: UploadFile, purpose: str) -> dict[str, Any]:
        """Store an upload piece by piece."""
        name = self._new()
        with self.path(name).open("wb") as file:
            while part := await upload.read(_PART):
                file.write(part)
        return self._keep(name, upload.filename or "", purpose)

    def write(self, lines: Sequence[bytes], filename: str) -> str | None:
        """Store lines as a file; without lines, none is made."""
        if not lines:
            return None
        name = self._new()
        self.path(name).write_bytes(b"".join(line + b"\n" for line in lines))
        return str(self._keep(name, filename, "batch_output")["id"])

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield a file's lines that are not blank."""
        with self.path(name).open("rb") as file:
            yield from (line for line in file if line.strip())

    def get(self, name: str) -> dict[str, Any] | None:
        """Return the description of a file."""
        return self._known.get(name)

    def all(self, purpose: str | None) -> list[dict[str, Any]]:
        """Return the files of a purpose, newest first."""
        return [file for file in reversed(self._known.values()) if purpose in (None, file["purpose"])]

    def delete(self, name: str) -> bool:
        """Remove a file; return False if there is none."""
        if self._known.pop(name, None) is None:
            return False
        self.path(name).unlink(missing_ok=True)
        return True

    def path(self, name: str) -> Path:
        """Return the path of a file."""
        return Path(self._folder.name) / name

    def _new(self) -> str:
        return f"file-{next(self._numbers):08d}"

    def _keep(self, name: str, filename: str, purpose: str) -> dict[str, Any]:
        self._known[name] = {
            "id": name,
            "object": "file",
            "bytes": self.path(name).stat().st_size,
            "created_at": int(time.time()),
            "filename": filename,
            "purpose": purpose,
            "status": "processed",
        }
        return self._known[name]


def page_of(entries: Sequence[dict[str, Any]], after: str | None, limit: str | None) -> dict[str, Any]:
    """Return a page of a list in the API's form, beginning after the named entry."""
    names = [entry["id"] for entry in entries]
    start = names.index(after) + 1 if after in names else 0
    most = min(int(limit), _PAGE) if limit and limit.isdigit() else 20
    data = list(entries[start : start + most])
    return {
        "object": "list",
        "data": data,
        "first_id": data[0]["id"] if data else None,
        "last_id": data[-1]["id"] if data else None,
        "has_more": start + most < len(entries),
    }
