"""Reads the bytes of a document from a folder, an object store or the blob store."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fsspec

from hopline.certificates import distrust
from hopline.errors import DocumentUnreadable, InvalidInput, Transient
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Blobs, Ports
from workers.sources.archives import Archive, MemberAddress, file_of, member_address
from workers.sources.documents import RedirectError, store_options
from workers.sources.line_address import LINE, LineAddress, line_address, line_digest
from workers.sources.lines import text_of_line
from workers.sources.places import check_confined

BLOB = "blob:"
_MOST_OPEN = 2  # archives whose members are being read
_open_archives: dict[tuple[str, ...], Archive] = {}  # the one that was read last comes last
_opening = threading.RLock()
_REFUSALS = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)


def read_document(document: DocumentParams, ports: Ports) -> bytes:
    """Return the bytes of a document.

    Raises:
        DocumentUnreadable: as `read_source`; or a request named its place, which may not be read now.
        Transient: the store failed.
    """
    if document.confined:
        try:
            check_confined(document.source, ports.places)
        except InvalidInput as error:
            raise DocumentUnreadable(str(error)) from error
    return read_source(document.source, ports.blobs, ports.limits.max_document_bytes)


def read_source(source: str, blobs: Blobs, max_bytes: int) -> bytes:
    """Return the bytes of an fsspec address, of `blob:REF`, of a line's text or a member in such a file.

    Raises:
        DocumentUnreadable: there is no such file, it may not be read, it is larger than max_bytes, or a line
            or a member is no longer what it was when it was listed.
        Transient: the store failed.
    """
    if source.startswith(LINE):
        data = _text_of(line_address(source), blobs)
    elif source.startswith(BLOB):
        data = blobs.get(source.removeprefix(BLOB))
    elif member := member_address(source):
        data = _read_member(member, max_bytes)
    else:
        data = _fetch(source, max_bytes)
    if len(data) > max_bytes:
        raise DocumentUnreadable(_too_large(f"more than {max_bytes}", max_bytes))
    return data


def _text_of(line: LineAddress | None, blobs: Blobs) -> bytes:
    if line is None:
        raise DocumentUnreadable("this is not the address of a line")
    start, end = line.start, line.start + line.length
    if line.address.startswith(BLOB):
        data = blobs.get(line.address.removeprefix(BLOB))[start:end]
    else:
        system, path = _place(line.address)
        with _classed():
            data = system.cat_file(path, start=start, end=end)
    if line_digest(data) != line.digest:
        raise DocumentUnreadable("its file has changed since it was listed; ingest the file again")
    try:
        return text_of_line(data).encode("utf-8")
    except (InvalidInput, UnicodeEncodeError) as error:
        raise DocumentUnreadable(str(error)) from error


def _read_member(member: MemberAddress, max_bytes: int) -> bytes:
    try:
        return _archive(member.archive).read(member.path, member.digest, max_bytes)
    except InvalidInput as error:
        raise DocumentUnreadable(str(error)) from error


def _archive(source: str) -> Archive:
    """Return an archive; its list of members, and a tar's unpacked form, are kept for the next member."""
    with _opening:
        key = (source, *_state_of(file_of(source)))
        archive = _open_archives.pop(key, None) or _opened(source)
        _open_archives[key] = archive
        while len(_open_archives) > _MOST_OPEN:
            del _open_archives[next(iter(_open_archives))]  # its file closes with its last reader
        return archive


def _opened(source: str) -> Archive:
    if outer := member_address(source):
        within = _archive(outer.archive)
        return Archive(within.open(outer.path, "rb"), source, outer.path, within)
    system, path = _place(source)
    with _classed():
        return Archive(system.open(path, "rb"), source, path, system)


def _state_of(file: str) -> Iterator[str]:
    """Yield what tells whether a file is still the same."""
    system, path = _place(file)
    with _classed():
        info = system.info(path)
    yield from (str(info.get(name)) for name in ("size", "mtime", "ino", "ETag", "etag", "LastModified"))


def _fetch(source: str, max_bytes: int) -> bytes:
    system, path = _place(source)
    with _classed():
        return _read(system, path, max_bytes)


def _place(source: str) -> tuple[Any, str]:
    if source.startswith("/") and "\0" not in source:
        return fsspec.filesystem("file"), source  # whatever its name looks like
    if "::" in source or "\0" in source:
        raise DocumentUnreadable("chained addresses (a::b) are not read; give the file's own address")
    try:
        system, path = fsspec.core.url_to_fs(source, **store_options(source))
    except (ValueError, ImportError) as error:
        raise DocumentUnreadable(f"cannot read from this kind of address: {error}") from error
    return system, str(path)


@contextmanager
def _classed() -> Iterator[None]:
    try:
        yield
    except _REFUSALS as error:
        if why := distrust(error):
            raise DocumentUnreadable(why) from error
        raise DocumentUnreadable(f"{_reason(error)}; workers must be able to read this place") from error
    except OSError as error:
        raise Transient(f"reading the document failed: {error}") from error


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
    if isinstance(error, RedirectError) or isinstance(error.__cause__, RedirectError):
        return "the address leads to another one, which is not followed"
    return {
        FileNotFoundError: "no such file",
        PermissionError: "no permission to read the file",
    }.get(type(error), "not a file")
