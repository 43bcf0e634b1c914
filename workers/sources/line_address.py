"""The address of one line in a .jsonl file, from which workers read a document."""

from __future__ import annotations

import hashlib
import re

from hopline.models.base import Frozen

LINE = "line:"
LONGEST_LINE = 60_000_000  # bytes; a blob holds 64 MiB
_FORM = re.compile(r"line:(\d+)\+(\d+)\+([0-9a-f]{16}):(.+)", re.DOTALL)


class LineAddress(Frozen):
    """Some bytes of a file; the digest tells whether they are still those that were listed."""

    start: int
    length: int
    digest: str
    address: str  # of the file: an fsspec address, or blob:REF

    def __str__(self) -> str:
        """Return it as a document's source."""
        return f"{LINE}{self.start}+{self.length}+{self.digest}:{self.address}"


def line_address(source: str) -> LineAddress | None:
    """Parse the address of a line; None if it is not one."""
    match = _FORM.fullmatch(source)
    if not match or int(match[2]) > LONGEST_LINE:
        return None
    return LineAddress(start=int(match[1]), length=int(match[2]), digest=match[3], address=match[4])


def line_digest(line: bytes) -> str:
    """Return the digest that identifies a line."""
    return hashlib.blake2b(line, digest_size=8).hexdigest()
