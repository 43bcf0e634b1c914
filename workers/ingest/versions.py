"""Keeps the live version of a document when it is replaced or deleted.

The order: written into the graph as pending, its vectors stored, then ended in the transaction that makes the
next version live, or hides the document. Each part may be repeated; a crash leaves a pending version that
nobody reads and the next one to come uses, or one that was taken out of reading and is removed by the next
that tidies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workers.core.graph.kept_versions import Keeping, KeptKey, kept_entries, kept_id, kept_store
from workers.core.graph.vectors import Vectors
from workers.core.ids import element_id
from workers.core.models.replies import Replies
from workers.core.ports import Ports
from workers.ingest.originals import KeepsOriginals, tidy_originals
from workers.ingest.vectors import store_new_vectors


class KeepsVersions(KeepsOriginals, Protocol):
    """Where kept versions are."""

    @property
    def vectors(self) -> Vectors:
        """The vector store."""

    @property
    def replies(self) -> Replies:
        """Replies of models about chunks."""


def begin_keeping(ports: Ports, document_id: str) -> None:
    """Write the live version of a document as one to keep, if versions are kept.

    To be called once no other version of it can become live, and before anything of the next one is written:
    chunks that both have are shared.
    """
    if ports.keeping.versions:
        ports.graph.kept.begin(ports.job.collection)
        ports.graph.kept.write(document_id)


def keep_vectors(ports: Ports, document_id: str) -> None:
    """Store the vectors of the version of a document that is pending."""
    version = ports.graph.kept.pending(document_id) if ports.keeping.versions else None
    if version is not None:
        _store_vectors(ports, version)


def store_kept_vectors(ports: Ports, collection: str) -> int:
    """Store the vectors of all kept versions of a collection; return how many."""
    return sum(_store_vectors(ports, version) for version in ports.graph.kept.named(collection=collection))


def _store_vectors(ports: Ports, version: KeptKey) -> int:
    store, texts = kept_store(version.collection), ports.graph.kept.texts(version)
    names = {element_id(version.collection, name) for text in texts for name in text.elements}
    redirects = ports.graph.merging.redirects(version.collection, sorted(names))
    ports.vectors.prepare(store, ports.model.embedder)
    entries = list(kept_entries(version, texts, frozenset(redirects)))
    contents = {kept_id(text.chunk, version.key): text.content_hash for text in texts}
    stored = store_new_vectors(ports, store, entries, contents)
    if not ports.graph.kept.holds(version.key):  # who took it out may have looked for vectors before
        ports.vectors.delete(store, [name for name, _kind, _text in entries])
    return stored


def tidy_versions(keeper: KeepsVersions, keeping: Keeping, document_id: str | None = None) -> int:
    """Remove versions that are too many of a document, or too old; return how many."""
    removed = 0
    while some := keeper.graph.kept.beyond(keeping, document_id):
        remove_versions(keeper, some)
        removed += len(some)
    return removed


def tidy_document(ports: Ports, document_id: str) -> None:
    """Do the same for a document, where versions are kept."""
    if ports.keeping.versions:
        tidy_versions(ports, ports.keeping, document_id)


def remove_versions(keeper: KeepsVersions, versions: Sequence[KeptKey]) -> None:
    """Remove kept versions: first from reads, then their vectors, then their contents."""
    if not versions:
        return
    keeper.graph.kept.drop([version.key for version in versions])
    for version in versions:
        texts = keeper.graph.kept.texts(version)
        names = [name for name, _kind, _text in kept_entries(version, texts)]
        keeper.vectors.delete(kept_store(version.collection), names)
    keeper.graph.kept.forget([version.key for version in versions])
    tidy_originals(keeper, [version.document_id for version in versions])


def erase_versions(keeper: KeepsVersions, versions: Sequence[KeptKey]) -> None:
    """Remove kept versions, and first what models replied to texts that no live document has.

    First, for a version that is out of reading may be removed by another, which leaves replies alone.
    """
    texts = keeper.graph.kept.texts
    contents = {text.content_hash for version in versions for text in texts(version)}
    if contents:
        keeper.replies.purge(contents - keeper.graph.store.contents_held(contents))
    remove_versions(keeper, versions)
