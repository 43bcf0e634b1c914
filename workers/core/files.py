"""Copies, hashes and compares files of any size slice by slice, so that memory use stays bounded."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

SLICE = 1024 * 1024  # bytes read at a time
_IN_MEMORY = 8_000_000  # bytes; a longer copy lies on disk, in a file without a name


def slices(file: BinaryIO, check: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file from its current position, at most `SLICE` at a time.

    Args:
        file: the file to read.
        check: called with the number of bytes so far; raises if there are too many.
    """
    done = 0
    while part := file.read(SLICE):
        done += len(part)
        if check is not None:
            check(done)
        yield part


def digest_of(file: BinaryIO, check: Callable[[int], None] | None = None) -> str:
    """Return the sha-256 of a file from its current position, in hexadecimal; `check` as in `slices`."""
    digest = hashlib.sha256()
    for part in slices(file, check):
        digest.update(part)
    return digest.hexdigest()


def spooled(data: bytes = b"") -> BinaryIO:
    """Return bytes as an unnamed file, which stays in memory while it is small."""
    file = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - for who asks
    file.write(data)
    file.seek(0)
    return file


def copy_of(file: BinaryIO, check: Callable[[int], None] | None = None) -> tuple[BinaryIO, str]:
    """Return a copy of a file, made as by `spooled`, and its sha-256; `check` as in `slices`."""
    copy, digest = spooled(), hashlib.sha256()
    try:
        for part in slices(file, check):
            digest.update(part)
            copy.write(part)
    except BaseException:
        copy.close()
        raise
    copy.seek(0)
    return copy, digest.hexdigest()
