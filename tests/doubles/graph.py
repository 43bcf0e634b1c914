"""A graph in memory, for unit tests of what uses one; keeps the same contract as the real one."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Sequence

from doubles.graph_census import MemoryCensus
from doubles.graph_merging import MemoryMerging
from doubles.graph_reading import MemoryReader, StoredDocument, StoredFact
from doubles.graph_standing import MemoryStanding, changed_by_version
from workers.core.errors import DocumentSuperseded
from workers.core.graph.document_pages import (
    LONGEST_KEY,
    DocumentFacets,
    DocumentOrder,
    Facet,
    Place,
    PlacedDocument,
)
from workers.core.graph.kept_versions import Keeping, KeptKey, KeptSpan, KeptText
from workers.core.graph.merges import Merge
from workers.core.graph.schema import check_types
from workers.core.graph.vectors import DueVector
from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.metadata.filter import Filter, matches
from workers.core.ports import ChunkFacts, Removed
from workers.core.records import AtomicFact, Document, KeyElement


def _place(document: Document, order: DocumentOrder) -> Place:
    key: str | int = document.model_dump()[order]
    if order == "title":
        key = (document.title or document.uri).lower()
    return Place(-key if isinstance(key, int) else key[:LONGEST_KEY], document.id)


class MemoryKept:
    """No version is kept."""

    def begin(self, collection: str) -> None:
        """Nothing to note."""

    def write(self, document_id: str) -> None:
        """Nothing is written."""

    def pending(self, _document_id: str) -> KeptKey | None:
        return None

    def holds(self, _key: str) -> bool:
        return False

    def ended(self, _ids: Sequence[str]) -> dict[str, KeptSpan]:
        return {}

    def texts(self, _version: KeptKey) -> list[KeptText]:
        return []

    def beyond(self, _keeping: Keeping, _document_id: str | None = None) -> list[KeptKey]:
        return []

    def named(self, **_meant: str | None) -> list[KeptKey]:
        return []

    def drop(self, keys: Sequence[str]) -> None:
        """Nothing is there."""

    def forget(self, keys: Sequence[str]) -> None:
        """Nothing is there."""


class MemoryGraph(MemoryReader, MemoryCensus, MemoryMerging, MemoryStanding):
    """Documents in a dictionary; facts and elements live as long as a chunk holds them."""

    def __init__(self) -> None:
        self.stored: dict[str, StoredDocument] = {}
        self.fact_nodes: dict[str, StoredFact] = {}
        self.element_nodes: dict[str, KeyElement] = {}
        self.own_nodes: dict[str, KeyElement] = {}
        self.into: dict[str, tuple[str, str]] = {}
        self.records: dict[str, tuple[str, Merge]] = {}
        self.may_mean: dict[str, tuple[str, ...]] = {}
        self._lock = threading.RLock()

    @property
    def kept(self) -> MemoryKept:
        return MemoryKept()

    def migrate(self) -> int:
        return 1

    def check(self) -> None:
        """A dictionary is always of the newest version."""

    def named_chunks(self, _document_id: str, **_page: object) -> list[ChunkFacts]:
        return []

    def note_names(self, chunks: Sequence[tuple[ChunkFacts, ChunkFacts]]) -> None:
        """Nothing is kept of names."""

    def settle_names(self, documents: Sequence[str]) -> None:
        """No name leads to another unless it is merged."""

    def settle_elements(self, collection: str, elements: Sequence[str]) -> None:
        """No name leads to another unless it is merged."""

    # documents ------------------------------------------------------------------------------------

    def document(self, document_id: str) -> Document | None:
        one = self.stored.get(document_id)
        return one.document if one else None

    def documents(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Document]:
        found = [
            one.document
            for name, one in sorted(self.stored.items())
            if name > after and collection in (None, one.document.collection)
        ]
        return found[:limit]

    def documents_found(
        self,
        collection: str,
        *,
        words: Sequence[str] = (),
        order: DocumentOrder = "id",
        after: Place | None = None,
        limit: int = 100,
        where: Filter | None = None,
        live: bool = False,
    ) -> list[PlacedDocument]:
        kept = [one for one in self.stored.values() if one.live or not live]
        held = [one.document for one in kept if one.document.collection == collection]
        held = [one for one in held if where is None or matches(where, one.metadata)]
        wanted = [one for one in held if all(word in f"{one.title}\n{one.uri}".lower() for word in words)]
        found = sorted((PlacedDocument(_place(one, order), one) for one in wanted), key=lambda one: one.place)
        return [one for one in found if after is None or one.place > after][:limit]

    def document_meant(self, document_id: str, where: Filter) -> Document | None:
        one = self.stored.get(document_id)
        return one.document if one and one.live and matches(where, one.document.metadata) else None

    def facets(self, collection: str, where: Filter | None, limit: int) -> DocumentFacets:
        found = [one.document for one in self.documents_found(collection, where=where, live=True, limit=9999)]
        tags = Counter(tag for one in found for tag in set(one.metadata.get("tags", ())))
        years = Counter(str(one.metadata["date"])[:4] for one in found if "date" in one.metadata)
        by_tag = sorted(tags.items(), key=lambda counted: (-counted[1], counted[0]))
        by_year = sorted(years.items(), key=lambda counted: (counted[1], counted[0]), reverse=True)
        most = [
            tuple(Facet(value=value, documents=documents) for value, documents in counted[:limit])
            for counted in (by_tag, by_year)
        ]
        return DocumentFacets(documents=len(found), tags=most[0], years=most[1])

    def collections(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in self.stored.values():
            if one.live:
                counts[one.document.collection] = counts.get(one.document.collection, 0) + 1
        return dict(sorted(counts.items()))

    def has_documents(self, collection: str) -> bool:
        return collection in self.collections()

    def open_version(self, document: Document) -> Document:
        with self._lock:
            fresh = document.model_copy(update={"version": 0, "chunks": 0, "facts": 0, "error": None})
            one = self.stored.setdefault(document.id, StoredDocument(fresh))
            now = one.document
            if document.pending_allow and document.pending_allow != one.allow_set_aside:
                one.allow_set_aside = ()
                said = {name: getattr(document, name) for name in ("pending_allow", "pending_by_command")}
                now = one.document = now.model_copy(update=said)
            same = document.content_hash
            if one.live and one.whole and one.live_hash == same:
                if now.version != one.live:
                    one.give_up()
                    one.live = now.version + 1
                kept = {"version": one.live, "status": "indexed", "error": None, "content_hash": same}
                one.document = now.model_copy(update=kept)
                return one.document
            if not (now.version > one.live and now.content_hash == same and now.status != "failed"):
                one.give_up()
                opened = {"version": now.version + 1, "status": document.status, "error": None}
                one.document = now.model_copy(update={**opened, "content_hash": same})
            return one.document.model_copy(update={"uri": document.uri, "title": document.title})

    def set_status(self, document_id: str, version: int, status: str, error: str | None = None) -> None:
        with self._lock:
            one = self.stored.get(document_id)
            if one is None or one.document.version != version:
                return
            if one.live < version or status in ("partial", "failed"):
                one.document = one.document.model_copy(update={"status": status, "error": error})
                one.whole = one.whole and not (one.live == version and status == "partial")

    def write_chunks(self, document: Document, chunks: Sequence[ChunkFacts]) -> None:
        with self._lock:
            one = self._newest(document)
            for each in chunks:
                check_types(
                    (kind for fact in each.facts for element in fact.key_elements for kind in element.types),
                    (relation.type for fact in each.facts for relation in fact.relations),
                )
                one.hidden[each.chunk.id] = each
                for fact in each.facts:
                    self._write_fact(fact)
            if chunks and one.live < document.version:
                one.document = one.document.model_copy(update={"status": "extracted", "error": None})
            self.settle()

    def make_live(
        self, document: Document, source_hash: str = "", metadata: MetadataChange = NO_CHANGE
    ) -> Removed:
        with self._lock:
            one = self._newest(document)
            kept = one.shown if one.live == document.version else {}
            before = dict.fromkeys([*one.shown, *(each.chunk.id for each in one.given_up)])
            one.shown = {**kept, **one.hidden}
            one.hidden, one.given_up = {}, []
            dropped = [name for name in before if name not in one.shown]
            made_of = source_hash or (one.document.source_hash if one.live == document.version else "")
            one.live, one.live_hash, one.whole = document.version, document.content_hash, True
            facts = {fact.id for each in one.shown.values() for fact in each.facts}
            one.document = document.model_copy(
                update={
                    "status": "indexed",
                    "error": None,
                    "chunks": len(one.shown),
                    "facts": len(facts),
                    "source_hash": made_of,
                    "pending_allow": (),
                    "pending_by_command": False,
                    **changed_by_version(one, metadata),
                }
            )
            return self._swept(dropped)

    def delete_document(self, document_id: str) -> Removed:
        with self._lock:
            one = self.stored.pop(document_id, None)
            return self._swept([*{each.chunk.id for each in one.held()}]) if one else Removed()

    def vectors_due(self, collection: str) -> list[DueVector]:
        del collection
        return []  # names are settled in the real graph only

    def vectors_seen(self, collection: str, ids: Collection[str]) -> None:
        assert not ids, collection

    def contents_of(self, document_id: str) -> set[str]:
        one = self.stored.get(document_id)
        return {each.chunk.content_hash for each in one.held()} if one else set()

    def contents_held(self, contents: Collection[str], besides: str = "") -> set[str]:
        others = (self.contents_of(name) for name in self.stored if name != besides)
        return set(contents) & set[str]().union(*others)

    def _newest(self, document: Document) -> StoredDocument:
        one = self.stored.get(document.id)
        now = one.document if one else None
        if one is None or now is None or now.version != document.version:
            raise DocumentSuperseded(document.uri)
        if now.content_hash != document.content_hash:
            raise DocumentSuperseded(document.uri)
        return one

    def _write_fact(self, fact: AtomicFact) -> None:
        node = self.fact_nodes.setdefault(fact.id, StoredFact(fact.text))
        for element in fact.key_elements:
            only_title = element.id == fact.title_id and (
                element.id not in node.named or element.id in node.titles
            )
            (node.titles.add if only_title else node.titles.discard)(element.id)
            node.named[element.id] = None
            known = self.own_nodes.setdefault(element.id, element.model_copy(update={"types": ()}))
            aliases = tuple(sorted({*known.aliases, *element.aliases}))
            self.own_nodes[element.id] = known.model_copy(update={"aliases": aliases})

    def _swept(self, chunks: list[str]) -> Removed:
        """Drop what no chunk holds any more."""
        said = [fact for one in self.stored.values() for each in one.held() for fact in each.facts]
        held = {fact.id for fact in said}
        facts = [name for name in self.fact_nodes if name not in held]
        for fact in facts:
            del self.fact_nodes[fact]
        titled = {(fact.id, fact.title_id) for fact in said}
        for name, node in self.fact_nodes.items():
            for title in [each for each in node.titles if (name, each) not in titled]:
                node.titles.remove(title)
                del node.named[title]
        self.settle()
        elements = self.forget()
        return Removed(chunks=tuple(chunks), facts=tuple(facts), elements=tuple(elements))
