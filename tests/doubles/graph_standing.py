"""Documents as they stand, in memory."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from doubles.graph_reading import StoredDocument
from hopline.models.documents import Chunk, Document
from hopline.principals import ALLOW
from workers.core.graph.stored_document import StandingText
from workers.core.metadata.changes import NO_CHANGE, MetadataChange


def changed(document: Document, change: MetadataChange) -> dict[str, Any]:
    """Return a document's fields of metadata as a change makes them."""
    kept = {name: value for name, value in document.metadata.items() if name not in change.unset}
    ingested = document.ingested_metadata if change.ingested is None else change.ingested
    command = document.command_fields if change.ingested is None else change.command_fields
    metadata = dict(sorted({**kept, **change.values}.items()))
    fields = {"pending_allow": (), "pending_by_command": False} if change.says_allow else {}
    return fields | {"metadata": metadata, "ingested_metadata": ingested, "command_fields": command}


def changed_by_version(node: StoredDocument, change: MetadataChange) -> dict[str, Any]:
    """Return the same of a version that becomes live; what was changed by hand after it stays."""
    fields = changed(node.document, change)
    allow = change.values.get(ALLOW)
    if not allow or allow != node.allow_set_aside:
        node.allow_set_aside = () if allow else node.allow_set_aside
        return fields
    kept = {name: value for name, value in fields["metadata"].items() if name != ALLOW}
    by_hand = {name: value for name, value in node.document.metadata.items() if name == ALLOW}
    return fields | {"metadata": dict(sorted({**kept, **by_hand}.items()))}


class MemoryStanding:
    """`core.graph.stored_document.StandingGraph` over what `MemoryGraph` stores."""

    stored: dict[str, StoredDocument]

    def chunks_standing(self, document_id: str, *, after: int = -1, limit: int = 500) -> list[Chunk]:
        node = self.stored.get(document_id)
        chunks = [each.chunk for each in node.shown.values()] if node and node.live else []
        return sorted((chunk for chunk in chunks if chunk.index > after), key=lambda each: each.index)[:limit]

    def note_source(
        self,
        document_id: str,
        version: int,
        source_hash: str,
        uri: str,
        metadata: MetadataChange = NO_CHANGE,
        languages: Sequence[str] = (),
        *,
        made_of: Document | None = None,
    ) -> None:
        node = self.stored.get(document_id)
        if node and node.live == version:
            node.allow_set_aside = () if ALLOW in metadata.values else node.allow_set_aside
            if made_of:
                node.original_next = "" if node.original_next == made_of.original_file else node.original_next
                fields = ("size", "media_type", "original", "original_file")
                told = {name: getattr(made_of, name) for name in fields}
                node.document = node.document.model_copy(update=told)
            node.document = node.document.model_copy(
                update={
                    "source_hash": source_hash,
                    "uri": uri,
                    "updated": datetime.now(UTC) if metadata else node.document.updated,
                    "languages": tuple(languages) or node.document.languages,
                    **changed(node.document, metadata),
                }
            )

    def name_original(self, document: Document, start: str, fresh: str) -> str | None:
        node = self.stored.get(document.id)
        if node is None or node.document.version != document.version:
            return None
        known = (node.document.original_file, node.original_next)
        node.original_next = next((name for name in known if name.startswith(start)), fresh)
        return node.original_next

    def originals_named(self, ids: Sequence[str]) -> frozenset[str]:
        nodes = [self.stored[each] for each in ids if each in self.stored]
        return frozenset(name for node in nodes for name in (node.document.original_file, node.original_next))

    def without_languages(self, collection: str, limit: int) -> list[StandingText]:
        missing = [
            StandingText(name, node.live, "\n".join(each.text for each in self.chunks_standing(name)))
            for name, node in sorted(self.stored.items())
            if node.live
            and not node.document.languages
            and not node.no_languages
            and node.document.collection == collection
        ]
        return missing[:limit]

    def note_languages(self, documents: Sequence[tuple[str, int, Sequence[str]]]) -> None:
        for name, version, languages in documents:
            node = self.stored.get(name)
            if node and node.live == version and not node.document.languages:
                node.no_languages = not languages
                node.document = node.document.model_copy(update={"languages": tuple(languages)})

    def documents_of(self, ids: Sequence[str]) -> list[Document]:
        return [self.stored[name].document for name in ids if name in self.stored]

    def change_metadata(
        self, ids: Sequence[str], change: MetadataChange, as_read: Document | None = None
    ) -> int:
        documents = self.documents_of(ids)
        if as_read:
            same = [(each.version, each.updated) == (as_read.version, as_read.updated) for each in documents]
            documents = [each for each, is_same in zip(documents, same, strict=True) if is_same]
        for document in documents:
            node = self.stored[document.id]
            if change.says_allow:
                node.allow_set_aside = document.pending_allow or node.allow_set_aside
            fields = {**changed(document, change), "updated": datetime.now(UTC)}
            node.document = document.model_copy(update=fields)
        return len(documents)
