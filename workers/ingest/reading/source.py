"""Opens the file of a document in a folder, an object store or the blob store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO

import fsspec

from hopline.certificates import distrust
from hopline.errors import DocumentUnreadable, InvalidInput, Transient
from workers.core.files import copy_of, digest_of
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Blobs, Ports
from workers.ingest.reading.document_file import DocumentFile
from workers.sources.archives import Archive, file_of, member_address
from workers.sources.documents import RedirectError, store_options
from workers.sources.line_address import LINE, LineAddress, line_address, line_digest
from workers.sources.lines import text_of_line
from workers.sources.places import check_confined

BLOB = "blob:"
_TOLD_OF_FILES = ("size", "mtime", "ino", "ETag", "etag", "LastModified")
_MOST_OPEN = 2  # archives whose members are being read
_open_archives: dict[tuple[str, ...], Archive] = {}  # the one that was read last comes last
_opening = threading.RLock()
_REFUSALS = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)


def open_document(document: DocumentParams, ports: Ports) -> DocumentFile:
    """Return the file of a document.

    Raises:
        DocumentUnreadable: as `open_source`, or requests may no longer name its place.
        Transient: the store failed.
    """
    check_place(document, ports)
    return open_source(document.source, ports.blobs, ports.limits.max_document_bytes)


def document_digest(document: DocumentParams, ports: Ports) -> str:
    """Return the sha-256 of a document's file; raises the same errors as `open_document`."""
    check_place(document, ports)
    most = ports.limits.max_document_bytes
    with _stream(document.source, ports.blobs, most) as file:
        return digest_of(file, _bounded(most))


def open_source(source: str, blobs: Blobs, max_bytes: int) -> DocumentFile:
    """Return the file at an fsspec address or `blob:REF`, or a line or archive member in such a file.

    It is a copy, except for a blob, which never changes, so that the hashed, read and kept bytes are the
    same.

    Raises:
        DocumentUnreadable: there is no such file, it may not be read, it is larger than max_bytes, or a line
            or member has changed since it was listed.
        Transient: the store failed.
    """
    check = _bounded(max_bytes)
    if source.startswith(BLOB):
        reference = source.removeprefix(BLOB)
        found = DocumentFile(blobs.open(reference))
        check(found.size)
        return found
    with _stream(source, blobs, max_bytes) as file:
        return DocumentFile(*copy_of(file, check))


def check_place(document: DocumentParams, ports: Ports) -> None:
    """Check that requests may still name a place.

    Raises:
        DocumentUnreadable: they may not.
    """
    if document.confined:
        try:
            check_confined(document.source, ports.places)
        except InvalidInput as error:
            raise DocumentUnreadable(str(error)) from error


def _bounded(max_bytes: int) -> Callable[[int], None]:
    """Return a function that refuses more bytes than the limit."""

    def check(size: int) -> None:
        if size > max_bytes:
            raise DocumentUnreadable(_too_large(f"more than {max_bytes}", max_bytes))

    return check


@contextmanager
def _stream(source: str, blobs: Blobs, max_bytes: int) -> Iterator[BinaryIO]:
    """Open a document's place; errors of reading within the block are classified."""
    if source.startswith(LINE):
        yield BytesIO(_text_of(line_address(source), blobs))
    elif source.startswith(BLOB):
        with blobs.open(source.removeprefix(BLOB)) as file:
            yield file
    elif member := member_address(source):
        try:
            with _archive(member.archive, blobs).stream(member.path, member.digest, max_bytes) as file:
                yield file
        except InvalidInput as error:
            raise DocumentUnreadable(str(error)) from error
    else:
        system, path = _place(source)
        with _classed():
            _check_file(system.info(path), max_bytes)
            with system.open(path, "rb") as file:
                yield file


def _text_of(line: LineAddress | None, blobs: Blobs) -> bytes:
    if line is None:
        raise DocumentUnreadable("this is not the address of a line")
    start, end = line.start, line.start + line.length
    if line.address.startswith(BLOB):
        with blobs.open(line.address.removeprefix(BLOB)) as file:
            file.seek(start)
            data = file.read(line.length)
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


def _archive(source: str, blobs: Blobs) -> Archive:
    """Return an archive; its list of members, and an unpacked tar, are cached for the next member."""
    with _opening:
        key = (source, *_seen(file_of(source)))
        archive = _open_archives.pop(key, None) or _opened(source, blobs)
        _open_archives[key] = archive
        while len(_open_archives) > _MOST_OPEN:
            del _open_archives[next(iter(_open_archives))]  # its file closes with its last reader
        return archive


def _opened(source: str, blobs: Blobs) -> Archive:
    if source.startswith(BLOB):
        return Archive(blobs.open(source.removeprefix(BLOB)), source, source)
    if outer := member_address(source):
        within = _archive(outer.archive, blobs)
        return Archive(within.open(outer.path, "rb"), source, outer.path, within)
    system, path = _place(source)
    with _classed():
        return Archive(system.open(path, "rb"), source, path, system)


def state_of(file: str) -> tuple[str, ...]:
    """Return size, time and tag of a file, which show whether it has changed.

    The result is empty for a blob, which never changes, and for a store without times and tags.

    Raises:
        DocumentUnreadable: there is no such file, or it may not be read.
        Transient: the store failed.
    """
    seen = _seen(file)
    return seen if any(not each.startswith(("size ", "ino ")) for each in seen) else ()


def _seen(file: str) -> tuple[str, ...]:
    """Return everything that a store says about a file, even if only the size; see `state_of`."""
    if file.startswith(BLOB):
        return ()
    system, path = _place(file)
    with _classed():
        info = system.info(path)
    return tuple(f"{name} {info[name]}" for name in _TOLD_OF_FILES if info.get(name) is not None)


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


def _check_file(entry: Mapping[str, Any], max_bytes: int) -> None:
    if entry.get("type") != "file":
        raise DocumentUnreadable(f"this is a {entry.get('type')}, not a file")
    size = entry.get("size")
    if size is not None and size > max_bytes:
        raise DocumentUnreadable(_too_large(str(size), max_bytes))


def _too_large(size: str, max_bytes: int) -> str:
    return f"too large: {size} bytes, at most {max_bytes} are read (setting limits.max_document_bytes)"


def _reason(error: OSError) -> str:
    if isinstance(error, RedirectError) or isinstance(error.__cause__, RedirectError):
        return "the address redirects to another one, which is not followed"
    return {
        FileNotFoundError: "no such file",
        PermissionError: "no permission to read the file",
    }.get(type(error), "not a file")
