"""The graph as seen by a job whose question is limited to some documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hopline.models.documents import Document
from workers.core.graph.kept_versions import KeptSpan

if TYPE_CHECKING:
    from workers.adapters.neo4j.scoped.reads import ScopedAround, ScopedNodes, ScopedPaths
    from workers.adapters.neo4j.scoped.topics import ScopedTopics
    from workers.adapters.neo4j.scoped.view import View


class ScopedGraph:
    """The read side of `core.ports.Graph` over the documents of a scope.

    It has only what steps of questions and searches read; anything else raises AttributeError, so that
    nothing is read outside the scope by mistake. The first read takes the view.

    Args:
        view: returns the view.
    """

    def __init__(self, view: Callable[[], View]) -> None:
        self._taken = view

    @cached_property
    def view(self) -> View:
        """The contents of the scope."""
        return self._taken()

    @cached_property
    def nodes(self) -> ScopedNodes:
        """Nodes by id and by name."""
        from workers.adapters.neo4j.scoped.reads import ScopedNodes  # noqa: PLC0415 - numpy

        return ScopedNodes(self.view)

    @cached_property
    def paths(self) -> ScopedPaths:
        """Reads for the paths of the reader strategy."""
        from workers.adapters.neo4j.scoped.reads import ScopedPaths  # noqa: PLC0415 - numpy

        return ScopedPaths(self.view)

    @cached_property
    def around(self) -> ScopedAround:
        """Reads for the walk of a search."""
        from workers.adapters.neo4j.scoped.reads import ScopedAround  # noqa: PLC0415 - numpy

        return ScopedAround(self.view)

    @cached_property
    def topics(self) -> ScopedTopics:
        """Topics."""
        from workers.adapters.neo4j.scoped.topics import ScopedTopics  # noqa: PLC0415 - numpy

        return ScopedTopics(self.view)

    @cached_property
    def merging(self) -> ScopedMerging:
        """Merges of key elements that name the same thing."""
        return ScopedMerging()

    @cached_property
    def kept(self) -> ScopedKept:
        """Versions that are no longer live."""
        return ScopedKept(self.view)

    @cached_property
    def store(self) -> ScopedStore:
        """Documents."""
        return ScopedStore(self.view)


class ScopedMerging:
    """Names within a scope, never joined, because a document outside may be the reason for joining."""

    def names_in(self, _collection: str, _chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        """Return no other names."""
        return {}


class ScopedKept:
    """Versions within a scope that are no longer live."""

    def __init__(self, view: View) -> None:
        self._view = view

    def ended(self, ids: Sequence[str]) -> dict[str, KeptSpan]:
        """Return those of the given documents whose version is no longer live."""
        spans = {name: self._view.ended(name) for name in dict.fromkeys(ids)}
        return {name: span for name, span in spans.items() if span}


class ScopedStore:
    """Documents within a scope."""

    def __init__(self, view: View) -> None:
        self._view = view

    def document(self, document_id: str) -> Document | None:
        """Return a document by id."""
        return self._view.document(document_id)

    def documents_of(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents with the given ids; unknown ids are left out."""
        documents = (self._view.document(name) for name in dict.fromkeys(ids))
        return [document for document in documents if document]

    def has_documents(self, _collection: str) -> bool:
        """Return whether there are documents."""
        return bool(self._view.contents.documents)
