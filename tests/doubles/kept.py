"""Versions of documents, written and kept as ingestion does it, at known times."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from doubles.documents import Sentence, made_document
from doubles.replies import MemoryReplies
from doubles.scope_cases import Store, embed
from hopline.models.metadata import Value
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.kept.store import KeptStore
from workers.core import ids
from workers.core.graph.kept_versions import Keeping, KeptKey
from workers.core.jobs.params import DeleteParams
from workers.core.metadata.changes import MetadataChange
from workers.core.originals import NoOriginals
from workers.core.ports import Limits
from workers.ingest.delete import DeleteInput, delete_document
from workers.ingest.versions import begin_keeping, keep_vectors, tidy_versions

NO_FIELDS: dict[str, Value] = {}
EVERY = 1_000_000  # versions of a database


def passed(graph: Neo4jGraph) -> datetime:
    """Return a time of the server after all that was done, and before all that will be."""

    def now() -> int:
        return int(graph.connection.run_text("clock", "RETURN timestamp() AS now")[0]["now"])

    before = now()
    until = time.monotonic() + 120
    while now() <= before + 1:
        assert time.monotonic() < until
    return datetime.fromtimestamp((before + 1) / 1000, UTC)


class OwnKept:
    """Kept versions of which those of one collection alone are ever removed: others are other tests'."""

    def __init__(self, kept: KeptStore, collection: str) -> None:
        self._kept, self._collection = kept, collection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    def beyond(self, keeping: Keeping, document_id: str | None = None) -> list[KeptKey]:
        every = self._kept.beyond(keeping, document_id, EVERY)
        return [version for version in every if version.collection == self._collection]


class KeptLibrary:
    """A collection of which versions are kept, in a database that others use at the same time."""

    def __init__(self, store: Store, collection: str, keeping: Keeping) -> None:
        self.store, self.collection = store, collection
        graph = store.graph
        self.ports: Any = SimpleNamespace(
            graph=SimpleNamespace(
                store=graph.store,
                nodes=graph.nodes,
                merging=graph.merging,
                kept=OwnKept(graph.kept, collection),
            ),
            vectors=store.vectors,
            model=store.model,
            replies=MemoryReplies(),
            recognised=MemoryReplies(),
            originals=NoOriginals(),
            forget_quotes=lambda _collection, _document: None,  # no conversation is kept
            limits=Limits(),
            keeping=keeping,
            job=SimpleNamespace(collection=collection, params={}),
        )
        store.graph.kept.begin(collection)

    def id_of(self, uri: str) -> str:
        return ids.document_id(self.collection, uri)

    def replace(
        self,
        uri: str,
        paragraphs: Sequence[Sequence[Sentence]],
        fields: dict[str, Value] = NO_FIELDS,
        *,
        title: str | None = None,
        mark: str = "",
    ) -> None:
        """Bring a version in; a mark tells texts from one another that are the same but for their facts."""
        store, graph = self.store, self.store.graph.store
        document, chunks = made_document(self.collection, uri, *paragraphs, title=title)
        content = ids.content_hash(f"{document.content_hash} {mark}")
        opened = graph.open_version(document.model_copy(update={"content_hash": content}))
        begin_keeping(self.ports, document.id)
        graph.write_chunks(opened, chunks)
        keep_vectors(self.ports, document.id)
        known = graph.document(document.id)
        unset = tuple(name for name in known.metadata if name not in fields) if known else ()
        removed = graph.make_live(opened, metadata=MetadataChange(values=dict(fields), unset=unset))
        store.vectors.prepare(self.collection, store.model.embedder)
        store.vectors.delete(self.collection, [*removed.chunks, *removed.facts, *removed.elements])
        embed(store, self.collection)
        tidy_versions(self.ports, self.ports.keeping, document.id)

    def delete(self, uri: str, *, erase: bool = False) -> None:
        """Delete a document as the step does."""
        params = DeleteParams(document_id=self.id_of(uri), erase=erase)
        self.ports.job.params = params.model_dump(mode="json")
        delete_document(DeleteInput(), self.ports)
