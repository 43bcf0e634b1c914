"""The bytes of a document, from a folder, a store or the blobs."""

from __future__ import annotations

from typing import Any

import fsspec

from workers.core.errors import DocumentUnreadable, Transient
from workers.core.ports import Blobs

BLOB = "blob:"
_WEB = ("http://", "https://")
_REFUSALS = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)


def read_source(source: str, blobs: Blobs, max_bytes: int) -> bytes:
    """Return the bytes of an fsspec address or of `blob:REF`.

    Raises:
        DocumentUnreadable: there is no such file, it may not be read, or it is larger than max_bytes.
        Transient: the store failed.
    """
    data = blobs.get(source.removeprefix(BLOB)) if source.startswith(BLOB) else _fetch(source, max_bytes)
    if len(data) > max_bytes:
        raise DocumentUnreadable(_too_large(f"more than {max_bytes}", max_bytes))
    return data


def _fetch(source: str, max_bytes: int) -> bytes:
    if "::" in source or "\0" in source:
        raise DocumentUnreadable("chained addresses (a::b) are not read; give the file's own address")
    try:
        system, path = fsspec.core.url_to_fs(source, **_options(source))
    except (ValueError, ImportError) as error:
        raise DocumentUnreadable(f"cannot read from this kind of address: {error}") from error
    try:
        return _read(system, path, max_bytes)
    except _REFUSALS as error:
        raise DocumentUnreadable(f"{_reason(error)}; workers must be able to read this place") from error
    except OSError as error:
        raise Transient(f"reading the document failed: {error}") from error


def _options(source: str) -> dict[str, Any]:
    """Return how to open a store: a web server is asked for what was named, and leads nowhere else."""
    if not source.lower().startswith(_WEB):
        return {}
    return {"allow_redirects": False, "client_kwargs": {"raise_for_status": _refuse_redirect}}


async def _refuse_redirect(answer: Any) -> None:
    # Not followed, it would be taken for the document.
    if 300 <= answer.status < 400:  # noqa: PLR2004 - HTTP's redirects
        raise _RedirectError(answer.status)


class _RedirectError(PermissionError):
    """A web server answered with another address."""


def _read(system: Any, path: str, max_bytes: int) -> bytes:
    entry = system.info(path)
    if entry.get("type") != "file":
        raise DocumentUnreadable(f"this is a {entry.get('type')}, not a file")
    size = entry.get("size")
    if size is not None and size > max_bytes:
        raise DocumentUnreadable(_too_large(str(size), max_bytes))
    with system.open(path, "rb") as file:
        data: bytes = file.read(max_bytes + 1)
    return data


def _too_large(size: str, max_bytes: int) -> str:
    return f"too large: {size} bytes, at most {max_bytes} are read (setting limits.max_document_bytes)"


def _reason(error: OSError) -> str:
    if isinstance(error, _RedirectError) or isinstance(error.__cause__, _RedirectError):
        return "the address leads to another one, which is not followed"
    return {
        FileNotFoundError: "no such file",
        PermissionError: "no permission to read the file",
    }.get(type(error), "not a file")
