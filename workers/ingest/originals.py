"""Keeps the files that documents were read from, and removes those that no document version refers to.

An original is named in the graph before it is written, and a name that nothing holds is never held again.
So whatever lies in the store without being named was left over, wherever a worker was lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from hopline.models.documents import Document
from workers.core.originals import Originals, document_of, original_name, original_start
from workers.core.ports import Graph
from workers.ingest.reading.document_file import DocumentFile
from workers.sources.line_address import LINE

_DOCUMENTS = 500  # that one query looks up


class KeepsOriginals(Protocol):
    """Where originals are, and what names them."""

    @property
    def graph(self) -> Graph:
        """The graph."""

    @property
    def originals(self) -> Originals:
        """The store."""


def keep_original(document: Document, file: DocumentFile, source: str, keeper: KeepsOriginals) -> Document:
    """Store the file that a version is made of; return the document with what became of them.

    Args:
        document: with the version.
        file: that it was read from.
        source: where it was read from; a line of a list is no file.
        keeper: where originals are.
    """
    store, state, name = keeper.originals, None, document.original_file
    if name.startswith(start := original_start(document.id, file.sha256)) and store.has(name):
        return document
    state = "no file" if source.startswith(LINE) else store.refusal(file.size)
    if state is None:
        named = keeper.graph.store.name_original(document, start, original_name(document.id, file.sha256))
        if named is None:  # a newer version was opened: this one will not become live
            return document
        name, state = named, store.put(named, file.file, file.size)
    return document.model_copy(update={"original": state, "original_file": name if state == "kept" else ""})


def tidy_originals(keeper: KeepsOriginals, documents: Iterable[str]) -> int:
    """Remove the originals of some documents that no version names any more; return how many."""
    ids = list(dict.fromkeys(documents))
    stored = [name for document_id in ids for name in keeper.originals.of(document_id)]
    return _remove_unnamed(keeper, stored)


def sweep_originals(keeper: KeepsOriginals) -> int:
    """Remove all originals without a version, or all if they are turned off; return their number."""
    return sum(_remove_unnamed(keeper, page) for page in keeper.originals.pages())


def _remove_unnamed(keeper: KeepsOriginals, stored: list[str]) -> int:
    removed, keeps = 0, keeper.originals.refusal(0) != "turned off"
    ids = sorted({document_of(name) for name in stored})
    for first in range(0, len(ids), _DOCUMENTS):
        some = ids[first : first + _DOCUMENTS]
        # Asked after the store was listed, for an original is named before it is stored.
        named = keeper.graph.store.originals_named(some) if keeps else frozenset()
        gone = [name for name in stored if document_of(name) in set(some) and name not in named]
        keeper.originals.delete(gone)
        removed += len(gone)
    return removed
