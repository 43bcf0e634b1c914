"""Titles of documents beside one another: two of one title are told apart by their folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol


class Titled(Protocol):
    """A document, or what names one."""

    @property
    def title(self) -> str:
        """Its title; "" if it has none."""
        ...

    @property
    def uri(self) -> str:
        """Where it is from."""
        ...


class ShownTitles:
    """The titles of documents that are shown together.

    Args:
        documents: all of them; one may come again.
    """

    def __init__(self, documents: Iterable[Titled]) -> None:
        uris: dict[str, set[str]] = {}
        for document in documents:
            uris.setdefault(document.title, set()).add(document.uri)
        self._parts = {
            title: _distinct_parts(some) for title, some in uris.items() if title and len(some) > 1
        }

    def of(self, document: Titled) -> str:
        """Return a document's name: its title, or else its address."""
        return f"{document.title or document.uri}{self.part(document)}"

    def part(self, document: Titled) -> str:
        """Return the addition to a document's title if another one has the same, else ""."""
        part = self._parts.get(document.title, {}).get(document.uri, "")
        return f" ({part})" if part else ""


def _distinct_parts(uris: Iterable[str]) -> Mapping[str, str]:
    """Return per address the fewest of its last parts that no other has, without the end that all share."""
    paths = {uri: uri.split("/") for uri in uris}
    while all(len(path) > 1 for path in paths.values()) and len({path[-1] for path in paths.values()}) == 1:
        paths = {uri: path[:-1] for uri, path in paths.items()}
    parts: dict[str, str] = {}
    for size in range(1, max(map(len, paths.values())) + 1):
        ends = {uri: "/".join(path[-size:]) for uri, path in paths.items()}
        count = Counter(ends.values())
        for uri, end in ends.items():
            if uri not in parts and (count[end] == 1 or size >= len(paths[uri])):
                parts[uri] = end
        if len(parts) == len(paths):
            break
    return parts
