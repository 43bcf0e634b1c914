"""Blobs in any storage that fsspec can write: a folder, an object store, and more."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import fsspec

from hopline.errors import DependencyAway, InvalidInput, Permanent, Transient
from workers.core.errors import StoreUnseen
from workers.core.files import SLICE, copy_of, digest_of

# A disk that is full, or that went away under way: what waits for it is not to blame.
_AWAY = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ESTALE, errno.ENODEV, errno.ENOTCONN}
_AWAY_WRITING = {errno.EIO, errno.EACCES, errno.EPERM}  # when reading, one file may be bad or forbidden
FRESH = ".new-"  # what the name of a file begins with while it is written
MAX_BYTES = 64 * 1024 * 1024  # of a blob that is put or got as bytes; larger ones are files
_SUFFIX = re.compile(r"(\.[A-Za-z0-9_-]{1,16}){0,2}")
_REFERENCE = re.compile(rf"[0-9a-f]{{64}}{_SUFFIX.pattern}")


class BlobStore:
    """Blobs under their content's hash: the same bytes are stored once, references never change meaning.

    Args:
        url: a path, or any address that fsspec knows.

    Raises:
        Transient: (every method) the place cannot be written or read now.
    """

    def __init__(self, url: str) -> None:
        self._files, self._root = fsspec.core.url_to_fs(url)
        self._local = "file" in self._files.protocol
        # Whether this is the store that all workers use; a worker asks, again where something is missing.
        self.is_common: Callable[[bool], bool] = lambda _now: True
        self._has_worked = False

    def put(self, data: bytes, suffix: str = "") -> str:
        """Store bytes under their hash; return the reference, which ends in the suffix (".pdf").

        Raises:
            InvalidInput: the suffix is not valid, or there are more than MAX_BYTES.
        """
        if len(data) > MAX_BYTES:
            raise InvalidInput("data", f"{len(data)} bytes", f"at most {MAX_BYTES} bytes")
        return self.put_file(BytesIO(data), suffix)

    def put_file(self, file: BinaryIO, suffix: str = "") -> str:
        """Store a file of any size from its beginning, slice by slice; return the reference, as `put` does.

        Raises:
            InvalidInput: the suffix is not valid.
        """
        if not _SUFFIX.fullmatch(suffix):
            raise InvalidInput("suffix", suffix, "empty, or a dot and up to 16 letters or digits")
        if not self.is_common(False):
            raise StoreUnseen
        return self._store(file, suffix)

    def mark(self, data: bytes) -> str:
        """Store bytes even if this is not the store that all workers use; return the reference."""
        return self._store(BytesIO(data), "")

    def _store(self, file: BinaryIO, suffix: str) -> str:
        file.seek(0)
        reference = digest_of(file) + suffix
        path = self._path(reference)
        with self._doing("put"):
            if not self._files.exists(path):
                write_whole(self._files, path, file, is_local=self._local)
            elif self._local:
                os.utime(path)  # it is wanted again: see `sweep`
        return reference

    def get(self, reference: str) -> bytes:
        """Return the bytes.

        Raises:
            Permanent: the reference is unknown, or the stored bytes have changed.
        """
        path = self._path(reference)
        with self._doing("get"):
            try:
                with self._files.open(path, "rb") as file:
                    data: bytes = file.read(MAX_BYTES + 1)
            except FileNotFoundError:
                raise self._missing(reference) from None
        self._check(reference, hashlib.sha256(data).hexdigest())
        return data

    def open(self, reference: str) -> BinaryIO:
        """Return a blob of any size as a seekable file; raises like `get`."""
        path = self._path(reference)
        with self._doing("get"):
            try:
                file, digest = opened(self._files, path, is_local=self._local)
            except FileNotFoundError:
                raise self._missing(reference) from None
        self._check(reference, digest)
        return file

    def has(self, reference: str) -> bool:
        """Return whether a blob with this reference exists."""
        path = self._path(reference)
        with self._doing("get"):
            return bool(self._files.exists(path))

    def delete(self, reference: str) -> None:
        """Remove a blob; unknown references are ignored."""
        with self._doing("delete"), suppress(FileNotFoundError):
            self._files.rm_file(self._path(reference))

    def sweep(self, days: float) -> int:
        """Delete blobs of a local folder that were last stored more than `days` ago; return their number.

        An object store has lifecycle rules for this, which need no listing.
        """
        if not self._local:
            return 0
        oldest = time.time() - days * 86400
        swept = 0
        for path in Path(self._root).glob("??/??/*"):
            with self._doing("sweep"), suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()
                    swept += 1
        return swept

    def _check(self, reference: str, digest: str) -> None:
        if digest != reference.partition(".")[0]:
            raise Permanent(f"blob {reference} is damaged: its bytes do not match its hash")

    @contextmanager
    def _doing(self, action: str) -> Iterator[None]:
        with classed(action, has_worked=self._has_worked):
            yield
        self._has_worked = True

    def _missing(self, reference: str) -> Permanent | StoreUnseen:
        if self.is_common(True):
            return Permanent(f"blob {reference} is not in the store")
        return StoreUnseen(reference)

    def _path(self, reference: str) -> str:
        # The pattern keeps a reference from outside inside the store.
        if not _REFERENCE.fullmatch(reference):
            raise Permanent(f"{reference[:100]!r} is not a reference of the blob store")
        return f"{self._root}/{reference[:2]}/{reference[2:4]}/{reference}"


@contextmanager
def classed(action: str, *, has_worked: bool = False) -> Iterator[None]:
    """Translate errors of a store's files raised inside the block.

    Args:
        action: name of the action, for the error's text.
        has_worked: whether the store has worked before; if so, a failure to write also counts as an outage.
    """
    try:
        yield
    except OSError as error:  # also what fsspec's stores raise for a connection that failed
        refused = isinstance(error, PermissionError)
        writing = action == "put" and has_worked and error.errno in _AWAY_WRITING
        if error.errno in _AWAY or writing:
            raise DependencyAway(f"blobs: cannot {action}: {error}", dependency="disk") from error
        if refused:
            raise Permanent(f"blobs: not permitted to {action}: {error}") from error
        raise Transient(f"blobs: cannot {action}: {error}") from error


def opened(files: Any, path: str, *, is_local: bool) -> tuple[BinaryIO, str]:
    """Return a file of a store as a seekable file, copied if it is remote, and its sha-256.

    Raises:
        OSError: the file does not exist, or cannot be read.
    """
    if not is_local:
        with files.open(path, "rb") as there:
            return copy_of(there)
    file = Path(path).open("rb")  # noqa: SIM115 - for who asks
    digest = digest_of(file)
    file.seek(0)
    return file, digest


def write_whole(files: Any, path: str, content: BinaryIO, *, is_local: bool) -> None:
    """Write a file to a store, from its beginning; it is stored completely or not at all.

    Raises:
        OSError: it cannot be written.
    """
    if not is_local:
        _write_object(files, path, content)
        return
    content.seek(0)
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=FRESH)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(content, file, SLICE)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(place)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _write_object(files: Any, path: str, content: BinaryIO) -> None:
    """Write a file to an object store, which shows a new object whole or not at all; a large one in parts."""
    if content.seek(0, SEEK_END) <= MAX_BYTES:
        content.seek(0)
        files.pipe_file(path, content.read())
        return
    content.seek(0)
    with tempfile.NamedTemporaryFile() as named:
        shutil.copyfileobj(content, named, SLICE)
        named.flush()
        files.put_file(named.name, path)
