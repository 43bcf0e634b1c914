"""Versions of documents that were live once, and are kept to be read as of then."""

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
    """How much is kept of what was live."""

    versions: int = 0  # of each document at most; 0 keeps nothing
    days: float = 90.0  # since a version was live, at most


KEEPS_NONE = Keeping()


class KeptText(NamedTuple):
    """A chunk of a kept version: what of it has a vector."""

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
        """The document that it is a version of."""
        return self.key.partition("@")[0]


class KeptSpan(NamedTuple):
    """Which version of a document it was, and until when it was live."""

    version: int
    until: str  # a time in ISO 8601


def shown_time(moment: int) -> str:
    """Return a time, in milliseconds since the epoch, as it may be given."""
    return datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="milliseconds")


def kept_store(collection: str) -> str:
    """Return the name under which the vectors of a collection's kept versions are stored."""
    return f"{collection}{_STORE}"


def kept_id(graph_id: str, key: str) -> str:
    """Return the name of the vector that a kept version has for a chunk or a key element."""
    return f"{graph_id}@{key}"


def plain_id(name: str) -> str:
    """Return the id of the chunk or the key element that a vector of a kept version, or another, is of."""
    return name.partition("@")[0]


def kept_entries(
    version: KeptKey, texts: Sequence[KeptText], besides: Collection[str] = ()
) -> Iterator[tuple[str, Kind, str]]:
    """Yield (name of the vector, kind, text) of what a kept version says: each chunk, then its elements.

    Args:
        version: which.
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
    """Return the name of the key element that a document's title is to its facts; "" if it is none."""
    return normalise_element(" ".join(title.split()))


class KeptGraph(Protocol):
    """Kept versions in the graph. Every method is idempotent."""

    def begin(self, collection: str) -> None:
        """Note that versions of a collection's documents are kept from now on."""

    def write(self, document_id: str) -> None:
        """Write what is live of a document as a version to be kept, pending until it is live no more."""

    def pending(self, document_id: str) -> KeptKey | None:
        """Return the version of a document that is to be kept when it is live no more."""

    def holds(self, key: str) -> bool:
        """Return whether a version is pending or kept, and not taken out."""

    def ended(self, ids: Sequence[str]) -> dict[str, KeptSpan]:
        """Return the documents that are read in a version that is no longer live."""

    def texts(self, version: KeptKey) -> list[KeptText]:
        """Return the chunks of a kept version."""

    def beyond(self, keeping: Keeping, document_id: str | None = None) -> list[KeptKey]:
        """Return kept versions that are to be removed: too many of a document, too old, or removed in part.

        Args:
            keeping: how many are kept, and for how long.
            document_id: of one document only.
        """

    def named(
        self, *, collection: str | None = None, document_id: str | None = None, name: str | None = None
    ) -> list[KeptKey]:
        """Return the kept versions of a collection, of a document, or by a part of address or title."""

    def drop(self, keys: Sequence[str]) -> None:
        """Take versions out of what can be read; it stays known that they were there."""

    def forget(self, keys: Sequence[str]) -> None:
        """Remove versions that were taken out."""
