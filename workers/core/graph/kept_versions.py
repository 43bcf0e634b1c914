"""Versions of documents that were once live and are kept for questions about an earlier time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from hopline.models.base import Frozen
from workers.core.graph.elements import normalise_element
from workers.core.graph.vectors import Kind
from workers.core.ids import element_id
from workers.core.language.text import titled

_STORE = "~kept"  # no collection's name ends so


class Keeping(Frozen):
    """Limits on how many former versions are kept, and for how long."""

    versions: int = 0  # of each document at most; 0 keeps nothing
    days: float = 90.0  # since a version was live, at most


KEEPS_NONE = Keeping()


class KeptText(NamedTuple):
    """A chunk of a kept version: the parts of it that have vectors."""

    chunk: str  # id
    content_hash: str
    text: str
    elements: tuple[str, ...]  # names that its facts hold


class KeptKey(NamedTuple):
    """A kept version."""

    key: str
    collection: str
    title: str = ""

    @property
    def document_id(self) -> str:
        """The id of the document."""
        return self.key.partition("@")[0]


class KeptSpan(NamedTuple):
    """The version of a document, and the time until which it was live."""

    version: int
    until: str  # a time in ISO 8601


def shown_time(moment: int) -> str:
    """Return a time, given in milliseconds since the epoch, in the form users can pass back."""
    return datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="milliseconds")


def kept_store(collection: str) -> str:
    """Return the name under which the vectors of a collection's kept versions are stored."""
    return f"{collection}{_STORE}"


def kept_id(graph_id: str, key: str) -> str:
    """Return the name of the vector of a chunk or key element in a kept version."""
    return f"{graph_id}@{key}"


def plain_id(name: str) -> str:
    """Return the id of the chunk or key element of a vector, whether of a kept version or a live one."""
    return name.partition("@")[0]


def kept_entries(
    version: KeptKey, texts: Sequence[KeptText], besides: Collection[str] = ()
) -> Iterator[tuple[str, Kind, str]]:
    """Yield (vector name, kind, text) for the contents of a kept version: each chunk, then its elements.

    Args:
        version: the version.
        texts: its chunks.
        besides: ids of key elements that have no vector.
    """
    seen: set[str] = set()
    for text in texts:
        yield kept_id(text.chunk, version.key), "chunk", titled(version.title, text.text)
        for name in text.elements:
            element = element_id(version.collection, name)
            if element not in seen and element not in besides:
                seen.add(element)
                yield kept_id(element, version.key), "element", name


def titled_name(title: str) -> str:
    """Return the name of the key element for a document's title; "" if there is none."""
    return normalise_element(" ".join(title.split()))


class KeptGraph(Protocol):
    """Kept versions in the graph. Every method is idempotent."""

    def begin(self, collection: str) -> None:
        """Record that versions of a collection's documents are kept from now on."""

    def write(self, document_id: str) -> None:
        """Write a document's live text as a version to be kept, pending until it is no longer live."""

    def pending(self, document_id: str) -> KeptKey | None:
        """Return the version of a document that will be kept once it is no longer live."""

    def holds(self, key: str) -> bool:
        """Return whether a version is pending or kept, and has not been removed."""

    def ended(self, ids: Sequence[str]) -> dict[str, KeptSpan]:
        """Return the given documents that are read in a version that is no longer live."""

    def texts(self, version: KeptKey) -> list[KeptText]:
        """Return the chunks of a kept version."""

    def beyond(self, keeping: Keeping, document_id: str | None = None) -> list[KeptKey]:
        """Return kept versions to be removed: too many of a document, too old, or partly removed.

        Args:
            keeping: number of versions to keep, and for how long.
            document_id: restricts it to one document.
        """

    def named(
        self, *, collection: str | None = None, document_id: str | None = None, name: str | None = None
    ) -> list[KeptKey]:
        """Return the kept versions of a collection or a document, or by part of the address or title."""

    def drop(self, keys: Sequence[str]) -> None:
        """Make versions unreadable; that they existed remains recorded."""

    def forget(self, keys: Sequence[str]) -> None:
        """Remove the data of versions that were dropped."""
