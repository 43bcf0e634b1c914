"""Originals: the files that documents were read from, kept as long as a version needs them."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from typing import BinaryIO, Protocol

from hopline.models.documents import OriginalState


def original_name(document_id: str, sha256: str) -> str:
    """Return a new, never used name for a document's original, so that deleted originals stay deleted."""
    return f"{original_start(document_id, sha256)}{secrets.token_hex(4)}"


def original_start(document_id: str, sha256: str) -> str:
    """Return the common prefix of the names of a document's originals with this sha-256."""
    return f"{document_id}-{sha256}-"


def document_of(name: str) -> str:
    """Return the id of the document that an original belongs to."""
    return name.partition("-")[0]


def digest_of(name: str) -> str:
    """Return the sha-256 of an original, in hexadecimal digits."""
    return name.split("-")[1]


class Originals(Protocol):
    """The store of originals."""

    def refusal(self, size: int) -> OriginalState | None:
        """Return why an original of this size is not kept; None if it is."""

    def put(self, name: str, file: BinaryIO, size: int) -> OriginalState:
        """Store an original of this size if there is room; return whether it was kept."""

    def open(self, name: str) -> BinaryIO | None:
        """Return an original as a seekable file; None if it does not exist.

        Raises:
            Permanent: the original is damaged.
        """

    def has(self, name: str) -> bool:
        """Return whether an original with this name exists."""

    def delete(self, names: Collection[str]) -> None:
        """Remove originals; unknown ones are ignored."""

    def of(self, document_id: str) -> list[str]:
        """Return the names of all originals of a document."""

    def pages(self) -> Iterator[list[str]]:
        """Yield the names of all originals in pages."""


class NoOriginals:
    """Stands in for a store of originals; keeps none."""

    def refusal(self, _size: int) -> OriginalState | None:
        """Return that originals are turned off."""
        return "turned off"

    def put(self, _name: str, _file: BinaryIO, _size: int) -> OriginalState:
        """Store nothing."""
        return "turned off"

    def open(self, _name: str) -> BinaryIO | None:
        """Return None."""
        return None

    def has(self, _name: str) -> bool:
        """Return False."""
        return False

    def delete(self, names: Collection[str]) -> None:
        """Do nothing."""

    def of(self, _document_id: str) -> list[str]:
        """Return an empty list."""
        return []

    def pages(self) -> Iterator[list[str]]:
        """Yield nothing."""
        return iter(())
