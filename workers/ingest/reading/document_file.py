"""A document's file while it is read: opened, hashed and recognised once, on disk if it is large."""

from __future__ import annotations

from functools import cached_property
from io import SEEK_END
from types import TracebackType
from typing import BinaryIO, Self

from hopline.contents import format_of_content
from hopline.models.formats import DOCUMENT_FORMATS
from workers.core.files import digest_of, slices, spooled

# Their content has marks: without these it is none of them, and a text is read as one.
_MARKED = frozenset(("pdf", "docx", "pptx", "xlsx", "xls", "ods", "odt", "epub", "msg", "rtf"))
_SHEETS = frozenset(("xlsx", "xls", "ods"))


class DocumentFile:
    """A document's file, which is closed at the end of a `with` block.

    Args:
        file: a seekable file that nobody changes.
        sha256: hash of its bytes, if known.
    """

    def __init__(self, file: BinaryIO, sha256: str = "") -> None:
        self.file = file
        self._sha256 = sha256
        self._formats: dict[str, str] = {}

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Return bytes as a file."""
        return cls(spooled(data))

    @cached_property
    def size(self) -> int:
        """Size in bytes."""
        return self.file.seek(0, SEEK_END)

    @cached_property
    def sha256(self) -> str:
        """The sha-256 of its bytes, in hexadecimal digits."""
        if self._sha256:
            return self._sha256
        self.file.seek(0)
        return digest_of(self.file)

    @cached_property
    def is_blank(self) -> bool:
        """Whether the file is empty or all white space."""
        self.file.seek(0)
        return not any(part.strip() for part in slices(self.file))

    def read(self) -> bytes:
        """Return the bytes of a file that is known to be small."""
        self.file.seek(0)
        return self.file.read()

    def format_as(self, named: str) -> str:
        """Return the format in which to read it: by its content if that is clear, else by its name.

        Args:
            named: the format by its name.
        """
        if named not in self._formats:
            self._formats[named] = _judged(self.file, named)
        return self._formats[named]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()


def _judged(file: BinaryIO, named: str) -> str:
    found = format_of_content(file)
    if not found or found not in DOCUMENT_FORMATS or named == "code":
        return named
    if found == "txt":
        return ("csv" if named in _SHEETS else "txt") if named in _MARKED else named
    is_same = DOCUMENT_FORMATS[found].reader == DOCUMENT_FORMATS[named].reader
    return named if is_same or (found == "eml" and named in ("mhtml", "html")) else found
