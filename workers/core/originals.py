"""Originals: the files that documents were read from, kept for as long as a version needs them."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from typing import BinaryIO, Protocol

from hopline.models.documents import OriginalState


def original_name(document_id: str, sha256: str) -> str:
    """Return a new name for a document's original; no other has had it, so that what is deleted stays so."""
    return f"{original_start(document_id, sha256)}{secrets.token_hex(4)}"


def original_start(document_id: str, sha256: str) -> str:
    """Return what the names of a document's original with this sha-256 begin with."""
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
        """Return why no original of so many bytes is kept; None where it is."""

    def put(self, name: str, file: BinaryIO, size: int) -> OriginalState:
        """Store an original of so many bytes, unless there is no room; return whether it is kept."""

    def open(self, name: str) -> BinaryIO | None:
        """Return an original as a file that can be sought; None if it is not there.

        Raises:
            Permanent: it is damaged.
        """

    def has(self, name: str) -> bool:
        """Return whether there is such an original."""

    def delete(self, names: Collection[str]) -> None:
        """Remove originals; unknown ones are ignored."""

    def of(self, document_id: str) -> list[str]:
        """Return the names of all originals of a document."""

    def pages(self) -> Iterator[list[str]]:
        """Yield pages of the names of all originals."""


class NoOriginals:
    """Keeps none."""

    def refusal(self, _size: int) -> OriginalState | None:
        """Return that they are turned off."""
        return "turned off"

    def put(self, _name: str, _file: BinaryIO, _size: int) -> OriginalState:
        """Store nothing."""
        return "turned off"

    def open(self, _name: str) -> BinaryIO | None:
        """Return none."""
        return None

    def has(self, _name: str) -> bool:
        """Return that there is none."""
        return False

    def delete(self, names: Collection[str]) -> None:
        """Remove nothing."""

    def of(self, _document_id: str) -> list[str]:
        """Return none."""
        return []

    def pages(self) -> Iterator[list[str]]:
        """Yield none."""
        return iter(())
