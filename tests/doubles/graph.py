"""A graph in memory, for unit tests of what uses one; keeps the same contract as the real one."""

import threading
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from unicodedata import normalize

from doubles.graph_census import MemoryCensus
from doubles.graph_merging import MemoryMerging
from doubles.graph_reading import MemoryReader, StoredDocument, StoredFact
from doubles.graph_standing import MemoryStanding, changed_by_version
from hopline.models.documents import Document, DocumentFacets, DocumentOrder, Facet, KeyElement
from hopline.models.merges import Merge
from workers.core.errors import DocumentSuperseded
from workers.core.graph.document_pages import LONGEST_KEY, Place, PlacedDocument
from workers.core.graph.kept_versions import Keeping, KeptKey, KeptSpan, KeptText
from workers.core.graph.schema import check_types
from workers.core.graph.vectors import DueVector
from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.metadata.filter import Filter, matches
from workers.core.ports import ChunkFacts, Removed
from workers.core.records import AtomicFact


def _place(document: Document, order: DocumentOrder) -> Place:
    key: str | int = document.model_dump()[order]
    if order == "title":
        key = (document.title or document.uri).lower()
    return Place(-key if isinstance(key, int) else key[:LONGEST_KEY], document.id)


class MemoryKept:
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

    def holds(self, collection: str) -> bool:
        return bool(self.documents(collection, limit=1))

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
        node = self.stored.get(document_id)
        return node.document if node else None

    def documents(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Document]:
        documents = [
            node.document
            for name, node in sorted(self.stored.items())
            if name > after and collection in (None, node.document.collection)
        ]
        return documents[:limit]

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
        kept = [node for node in self.stored.values() if node.live or not live]
        held = [node.document for node in kept if node.document.collection == collection]
        held = [document for document in held if where is None or matches(where, document.fields)]
        wanted = [
            document
            for document in held
            if all(word in normalize("NFC", f"{document.title}\n{document.uri}".lower()) for word in words)
        ]
        placed_documents = sorted(
            (PlacedDocument(_place(document, order), document) for document in wanted),
            key=lambda placed: placed.place,
        )
        return [placed for placed in placed_documents if after is None or placed.place > after][:limit]

    def document_meant(self, document_id: str, where: Filter) -> Document | None:
        node = self.stored.get(document_id)
        return node.document if node and node.live and matches(where, node.document.fields) else None

    def facets(self, collection: str, where: Filter | None, limit: int) -> DocumentFacets:
        documents = [
            placed.document for placed in self.documents_found(collection, where=where, live=True, limit=9999)
        ]
        tags = Counter(tag for document in documents for tag in set(document.metadata.get("tags", ())))
        years = Counter(
            str(document.metadata["date"])[:4] for document in documents if "date" in document.metadata
        )
        by_tag = sorted(tags.items(), key=lambda counted: (-counted[1], counted[0]))
        by_year = sorted(years.items(), key=lambda counted: (counted[1], counted[0]), reverse=True)
        most = [
            tuple(Facet(value=value, documents=count) for value, count in counted[:limit])
            for counted in (by_tag, by_year)
        ]
        return DocumentFacets(documents=len(documents), tags=most[0], years=most[1])

    def collections(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for node in self.stored.values():
            if node.live:
                counts[node.document.collection] = counts.get(node.document.collection, 0) + 1
        return dict(sorted(counts.items()))

    def has_documents(self, collection: str) -> bool:
        return collection in self.collections()

    def open_version(self, document: Document) -> Document:
        with self._lock:
            fresh = document.model_copy(
                update={"version": 0, "chunks": 0, "facts": 0, "error": None, "created": datetime.now(UTC)}
            )
            node = self.stored.setdefault(document.id, StoredDocument(fresh))
            now = node.document
            if document.pending_allow and document.pending_allow != node.allow_set_aside:
                node.allow_set_aside = ()
                fields = {name: getattr(document, name) for name in ("pending_allow", "pending_by_command")}
                now = node.document = now.model_copy(update=fields)
            same = document.content_hash
            if node.live and node.whole and node.live_hash == same:
                if now.version != node.live:
                    node.give_up()
                    node.live = now.version + 1
                    now = now.model_copy(update={"source_hash": ""})
                kept = {"version": node.live, "status": "indexed", "error": None, "content_hash": same}
                node.document = now.model_copy(update=kept)
                return node.document
            if not (now.version > node.live and now.content_hash == same and now.status != "failed"):
                node.give_up()
                opened = {"version": now.version + 1, "status": document.status, "error": None}
                node.document = now.model_copy(update={**opened, "content_hash": same})
            return node.document.model_copy(update={"uri": document.uri, "title": document.title})

    def set_status(self, document_id: str, version: int, status: str, error: str | None = None) -> None:
        with self._lock:
            node = self.stored.get(document_id)
            if node is None or node.document.version != version:
                return
            if node.live < version or status in ("partial", "failed"):
                node.document = node.document.model_copy(update={"status": status, "error": error})
                node.whole = node.whole and not (node.live == version and status == "partial")

    def write_chunks(self, document: Document, chunks: Sequence[ChunkFacts]) -> None:
        with self._lock:
            node = self._newest(document)
            for each in chunks:
                check_types(
                    (kind for fact in each.facts for element in fact.key_elements for kind in element.types),
                    (relation.type for fact in each.facts for relation in fact.relations),
                )
                node.hidden[each.chunk.id] = each
                for fact in each.facts:
                    self._write_fact(fact)
            if chunks and node.live < document.version:
                node.document = node.document.model_copy(update={"status": "extracted", "error": None})
            self.settle()

    def make_live(
        self, document: Document, source_hash: str = "", metadata: MetadataChange = NO_CHANGE
    ) -> Removed:
        with self._lock:
            node = self._newest(document)
            kept = node.shown if node.live == document.version else {}
            before = dict.fromkeys([*node.shown, *(each.chunk.id for each in node.given_up)])
            node.shown = {**kept, **node.hidden}
            node.hidden, node.given_up, node.original_next = {}, [], ""
            dropped = [name for name in before if name not in node.shown]
            made_of = source_hash or (node.document.source_hash if node.live == document.version else "")
            updated = datetime.now(UTC) if node.live < document.version else node.document.updated
            node.live, node.live_hash, node.whole = document.version, document.content_hash, True
            facts = {fact.id for each in node.shown.values() for fact in each.facts}
            node.document = document.model_copy(
                update={
                    "status": "indexed", "error": None, "chunks": len(node.shown), "facts": len(facts),
                    "source_hash": made_of, "pending_allow": (), "pending_by_command": False,
                    "created": node.document.created, "updated": updated,
                    **changed_by_version(node, metadata),
                }
            )  # fmt: skip
            return self._swept(dropped)

    def delete_document(self, document_id: str) -> Removed:
        with self._lock:
            node = self.stored.pop(document_id, None)
            return self._swept([*{each.chunk.id for each in node.held()}]) if node else Removed()

    def superseded(self, limit: int) -> list[tuple[str, str]]:
        with self._lock:
            nodes = [node.document for node in self.stored.values() if node.given_up]
            return [(document.id, document.collection) for document in nodes][:limit]

    def remove_superseded(self, document_id: str) -> Removed:
        with self._lock:
            if (node := self.stored.get(document_id)) is None:
                return Removed()
            held = {*node.shown, *node.hidden}
            dropped = [each.chunk.id for each in node.given_up if each.chunk.id not in held]
            node.given_up = []
            return self._swept(dropped)

    def vectors_due(self, collection: str) -> list[DueVector]:
        del collection
        return []  # names are settled in the real graph only

    def vectors_seen(self, collection: str, ids: Collection[str]) -> None:
        assert not ids, collection

    def contents_of(self, document_id: str) -> set[str]:
        node = self.stored.get(document_id)
        return {each.chunk.content_hash for each in node.held()} if node else set()

    def contents_held(self, contents: Collection[str], besides: str = "") -> set[str]:
        others = (self.contents_of(name) for name in self.stored if name != besides)
        return set(contents) & set[str]().union(*others)

    def _newest(self, document: Document) -> StoredDocument:
        node = self.stored.get(document.id)
        now = node.document if node else None
        if node is None or now is None or now.version != document.version:
            raise DocumentSuperseded(document.uri)
        if now.content_hash != document.content_hash:
            raise DocumentSuperseded(document.uri)
        return node

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
        facts_held = [fact for node in self.stored.values() for each in node.held() for fact in each.facts]
        held = {fact.id for fact in facts_held}
        facts = [name for name in self.fact_nodes if name not in held]
        for fact in facts:
            del self.fact_nodes[fact]
        titled = {(fact.id, fact.title_id) for fact in facts_held}
        for name, node in self.fact_nodes.items():
            for title in [each for each in node.titles if (name, each) not in titled]:
                node.titles.remove(title)
                del node.named[title]
        self.settle()
        elements = self.forget()
        return Removed(chunks=tuple(chunks), facts=tuple(facts), elements=tuple(elements))
