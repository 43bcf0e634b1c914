"""Ports: protocols for what steps, flows and the runner need from outside systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from hopline.models.base import Frozen
from hopline.models.census import GraphCensus
from hopline.models.documents import Chunk, Document, DocumentFacets, KeyElement
from hopline.models.jobs import Json, Usage
from hopline.models.reports import Growth
from workers.core.concepts.disciplines import DISCIPLINES, Discipline, parse_disciplines
from workers.core.concepts.maps import ConceptStore, NoConcepts
from workers.core.graph.aliases import NameClaim
from workers.core.graph.document_pages import DocumentPages
from workers.core.graph.kept_versions import KEEPS_NONE, Keeping, KeptGraph
from workers.core.graph.merges import Merging
from workers.core.graph.neighbourhood import NeighbourGraph
from workers.core.graph.paths import OwnReads, PathGraph, Reads
from workers.core.graph.stored_document import StandingGraph
from workers.core.graph.surroundings import AroundGraph
from workers.core.graph.topics import TopicStore
from workers.core.graph.vectors import DueVector, Embedder, Kind, Vectors
from workers.core.jobs.report import Books, NoBooks
from workers.core.jobs.webhooks import NoWebhooks, WebhookSender
from workers.core.jobs.work import Event, Job
from workers.core.metadata.changes import NO_CHANGE, MetadataChange
from workers.core.metadata.filter import Filter
from workers.core.metadata.schema import NoSchemas, Schemas
from workers.core.models.metered_model import CallBound, Meter
from workers.core.models.permits import Permits
from workers.core.models.provider import Provider, no_provider
from workers.core.models.replies import NoReplies, Replies
from workers.core.models.tool_calls import ToolCall, ToolCalls
from workers.core.models.tools import NoTools, Tools
from workers.core.originals import NoOriginals, Originals
from workers.core.prompts import Prompt
from workers.core.records import AtomicFact, FactSource, Hit, NodeReading

Reply = TypeVar("Reply", bound=BaseModel)
Tier = Literal["fast", "strong"]
Tell = Callable[[Sequence[Event]], None]
Partial = Callable[[Json], None]


class FollowUp(Frozen):
    """What is said to a model about its reply, so that it writes another: a text, and material to it."""

    prompt: Prompt
    material: Json


class Answered(Frozen, Generic[Reply]):
    """A validated reply of a model and what it took, over all tries."""

    value: Reply
    usage: Usage


class Model(Protocol):
    """A language model and an embedder behind one endpoint."""

    def metered(self, meter: Meter, permits: Permits | None = None) -> Model:
        """Return a model whose calls are metered and wait for permits."""

    def bounded(self, calls: int) -> tuple[Model, CallBound]:
        """Return a model that makes so many more calls and then raises BudgetExceeded, and what counts them.

        Repairs count as well. It meters its calls as this one does.
        """

    def ask(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        reply: type[Reply],
        *,
        tier: Tier = "fast",
        max_tokens: int = 1024,
        partial: Partial | None = None,
        review: Callable[[Reply], FollowUp | None] | None = None,
    ) -> Answered[Reply]:
        """Return a validated reply.

        partial: sees the reply grow, where the endpoint streams: what of the JSON object is whole so far, not
        validated; an empty object first whenever a reply begins. What it raises ends this and nothing else.

        review: looks at the validated reply. Where it has something to say about it, the model hears and
        asked once more, and its other reply is returned; the first one, where the other fails for good.

        Raises:
            ModelRefusedSchema: what came back did not validate, also after one repair.
            ModelRefused: the model declined.
            Transient: the endpoint failed (DependencyAway: cannot be reached).
            BudgetExceeded: the job may not spend this call.
        """

    def choose_tools(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        tools: Sequence[Json],
        fault: Callable[[ToolCall], str | None],
        *,
        tier: Tier = "fast",
        max_tokens: int = 1024,
    ) -> Answered[ToolCalls]:
        """Return the tool calls that the model chose; it may correct invalid ones once.

        `tools` are entries of `tools` in a chat request of the OpenAI form; `fault` tells why a call cannot
        be run (no such tool, an argument that it does not take), None if it can.

        Raises:
            ModelRefused, Transient, BudgetExceeded: as `ask`; a reply that cannot be read is a refused call.
        """

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, all of the embedder's dimension; an empty text gives zeros."""

    @property
    def embedder(self) -> Embedder:
        """The embedder's name and dimension."""

    def name_of(self, tier: Tier) -> str:
        """Return the name of a tier's model: a part of the key under which its replies are kept."""


class ChunkFacts(Frozen):
    """A chunk with the facts that it carries, and what it states of names."""

    chunk: Chunk
    facts: tuple[AtomicFact, ...]
    claims: tuple[NameClaim, ...] = ()
    short_forms: tuple[str, ...] = ()  # ids of key elements, there or not, whose meaning its facts bear on


class Removed(Frozen):
    """Graph ids that nothing holds any more: their vectors go too."""

    chunks: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    due: tuple[DueVector, ...] = ()  # to be looked at, those of whoever was lost before as well


class DocumentGraph(DocumentPages, StandingGraph, Protocol):
    """Documents, written and removed."""

    def document(self, document_id: str) -> Document | None:
        """Return a document by id."""

    def documents(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Document]:
        """Return a page of documents, ordered by id; after is the last id of the page before."""

    def documents_of(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of some ids; an unknown id has none."""

    def change_metadata(
        self, ids: Sequence[str], change: MetadataChange, as_read: Document | None = None
    ) -> int:
        """Change fields of documents in one transaction; return of how many that are there.

        Args:
            ids: sorted, which is the order of locks.
            change: fields to set and to take away.
            as_read: the one document; where its text or metadata changed since, nothing is changed.
        """

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of live documents."""

    def has_documents(self, collection: str) -> bool:
        """Return whether a collection holds a live document."""

    def open_version(self, document: Document) -> Document:
        """Create or update the document as not yet live; return it with the version to be written.

        A document whose live content_hash is the same comes back with status "indexed" and is left alone;
        without a source_hash where an overtaken version may have left something (`remove_superseded`). A
        `pending_allow` is kept until a version is live or `allow` is changed; none leaves one that is there.
        Where `allow` was changed after a version had said it, that stays when the version becomes live, and
        also where another one says the same.
        """

    def set_status(self, document_id: str, version: int, status: str, error: str | None = None) -> None:
        """Record how far the writing of a version is; an older version changes nothing."""

    def write_chunks(self, document: Document, chunks: Sequence[ChunkFacts]) -> None:
        """Write some chunks with facts and elements of a version, hidden until `make_live`.

        The status of a version that is not live becomes "extracted".

        Raises:
            DocumentSuperseded: a newer version was opened.
        """

    def make_live(
        self, document: Document, source_hash: str = "", metadata: MetadataChange = NO_CHANGE
    ) -> Removed:
        """Make the version live; remove the older one's chunks and whatever only they held.

        Args:
            document: the version.
            source_hash: of the bytes that it was made of, recorded when all is done; not known unless given.
            metadata: what changes of it, seen from the moment that the version is.
        """

    def vectors_due(self, collection: str) -> list[DueVector]:
        """Return up to `MOST_DUE` key elements whose vectors are due; `vectors_seen` makes room for more."""

    def vectors_seen(self, collection: str, ids: Collection[str]) -> None:
        """Forget that some were due; ids: of the notes."""

    def named_chunks(self, document_id: str, *, after: int = -1, limit: int = 100) -> list[ChunkFacts]:
        """Return a page of a document's live chunks with what is kept of names, ordered by index.

        Their facts come without places.
        """

    def note_names(self, chunks: Sequence[tuple[ChunkFacts, ChunkFacts]]) -> None:
        """Keep with live chunks what they state of names, where it is still what it was; (before, after)."""

    def settle_names(self, documents: Sequence[str]) -> None:
        """Bring the names in line that some documents of one collection bear on."""

    def settle_elements(self, collection: str, elements: Sequence[str]) -> None:
        """Bring the names in line that depend on key elements which a person merged or parted."""

    def delete_document(self, document_id: str) -> Removed:
        """Delete a document and everything that only it holds; an unknown id deletes nothing."""

    def name_original(self, document: Document, start: str, fresh: str) -> str | None:
        """Name the original of a version that is being made; return its name.

        A name of the document that begins with `start` is used again; `fresh` is for where there is none.
        Returns None where a newer version was opened. Opening another version, or one becoming live, forgets
        the name unless it is that of the live version.
        """

    def originals_named(self, ids: Sequence[str]) -> frozenset[str]:
        """Return all originals that versions of some documents need: live, kept, or being made."""

    def superseded(self, limit: int) -> list[tuple[str, str]]:
        """Return (id, collection) of some documents whose overtaken versions left something."""

    def remove_superseded(self, document_id: str) -> Removed:
        """Remove what versions wrote that were overtaken, and whatever only they held."""

    def contents_of(self, document_id: str) -> set[str]:
        """Return the content hashes of a document's chunks, of its hidden ones too."""

    def contents_held(self, contents: Collection[str], besides: str = "") -> set[str]:
        """Return those content hashes that a chunk of any collection has, but for one document's own."""


class NodeGraph(Protocol):
    """Nodes of what is live, by id and by name."""

    def read_node(
        self,
        collection: str,
        node_id: str,
        *,
        near: Sequence[str] = (),
        max_facts: int,
        max_neighbours: int,
    ) -> NodeReading | None:
        """Return a node with its facts and degree-capped neighbours, in one query.

        The node's facts among near (ids) come first, however many others it has; of a hub only some hundreds
        of these are looked at.
        """

    def elements_named(self, collection: str, names: Sequence[str]) -> dict[str, list[KeyElement]]:
        """Return per name the key elements whose normalised name or alias equals it."""

    def elements_like(self, collection: str, text: str, limit: int) -> list[Hit]:
        """Return key elements by full-text search over names and aliases, best first."""

    def elements(self, collection: str, ids: Sequence[str]) -> list[KeyElement]:
        """Return the key elements of these ids."""

    def fact_sources(self, collection: str, fact_ids: Sequence[str]) -> list[FactSource]:
        """Return every live place that carries one of these facts."""

    def chunks(self, collection: str, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """Return chunks with their documents."""

    def held(self, collection: str, ids: Sequence[str]) -> list[tuple[str, Kind, str]]:
        """Return (graph id, kind, text) of those nodes that exist, hidden ones too."""

    def texts(self, collection: str) -> Iterator[list[tuple[str, Kind, str]]]:
        """Yield pages of (graph id, kind, text) of all that is to be embedded."""


class Graph(Protocol):
    """The graph of documents in its parts. Every method of these is one round trip and idempotent."""

    @property
    def store(self) -> DocumentGraph:
        """Documents, written and removed."""

    @property
    def nodes(self) -> NodeGraph:
        """Nodes by id and by name."""

    @property
    def paths(self) -> PathGraph:
        """Reads for a path of the reader."""

    @property
    def around(self) -> AroundGraph:
        """The surroundings of elements, as the walk of a search reads them."""

    @property
    def merging(self) -> Merging:
        """Key elements that are the same."""

    @property
    def views(self) -> NeighbourGraph:
        """Excerpts that people look at."""

    @property
    def topics(self) -> TopicStore:
        """Topics of collections, and what they are made of."""

    @property
    def kept(self) -> KeptGraph:
        """Versions of documents that were live once."""

    def holds(self, collection: str) -> bool:
        """Return whether a collection has documents, live or not, or concept maps."""

    def forget(self, collection: str) -> bool:
        """Remove what is kept for a collection besides documents: merges, topics, concept maps.

        Kept versions are removed before, by `kept`. Returns False, and removes nothing, where it has
        documents.
        """

    def migrate(self) -> int:
        """Bring constraints and indexes to the newest version; return that version."""

    def check(self) -> None:
        """Raise Permanent where the graph's version is not the one this code needs."""

    def census(self, collection: str, *, lengths: bool = False) -> GraphCensus:
        """Return a collection's graph in numbers; many round trips if it is large.

        Args:
            collection: whose graph.
            lengths: also how long facts are, for which the texts of all are read.
        """

    def facets(self, collection: str, where: Filter | None, limit: int) -> DocumentFacets:
        """Count a collection's live documents by their tags and years.

        Args:
            collection: whose.
            where: what their metadata must be; anything if None.
            limit: tags and years at most, of each.
        """

    def growth(self, collection: str, seconds: float = 20.0) -> Growth | None:
        """Return the number of key elements and the largest hubs; None if counting takes too long.

        Quicker than a census: what is being written and not yet live counts as well.
        """


class Blobs(Protocol):
    """Large things by reference."""

    def put(self, data: bytes, suffix: str = "") -> str:
        """Store bytes under their hash; return the reference."""

    def put_file(self, file: BinaryIO, suffix: str = "") -> str:
        """Store a file from its beginning, slice by slice, as `put` stores bytes."""

    def get(self, reference: str) -> bytes:
        """Return the bytes; raise Permanent where the reference is unknown."""

    def open(self, reference: str) -> BinaryIO:
        """Return a blob as a file, whose bytes were checked; raise as `get` does."""

    def has(self, reference: str) -> bool:
        """Return whether there is such a blob."""

    def delete(self, reference: str) -> None:
        """Remove; unknown references are ignored."""


def untold(_events: Sequence[Event]) -> None:
    """Publish nothing, for a step that no job waits for."""


def _nothing_kept(*_names: str) -> None:
    """Forget nothing, where nothing is kept."""


@dataclass(frozen=True)
class Ports:
    """All that a step may use, and the job it works for."""

    job: Job
    graph: Graph
    vectors: Vectors
    model: Model
    blobs: Blobs
    limits: Limits
    reads: Reads = field(default_factory=OwnReads)
    schemas: Schemas = field(default_factory=NoSchemas)
    tools: Tools = field(default_factory=NoTools)
    webhooks: WebhookSender = field(default_factory=NoWebhooks)
    replies: Replies = field(default_factory=NoReplies)
    recognised: Replies = field(default_factory=NoReplies)  # pages that are pictures, by the picture's hash
    originals: Originals = field(default_factory=NoOriginals)
    books: Books = field(default_factory=NoBooks)
    provider: Provider = field(default_factory=no_provider)
    concepts: ConceptStore = field(default_factory=NoConcepts)
    disciplines: tuple[Discipline, ...] = parse_disciplines(DISCIPLINES)  # of concept maps
    places: str = ""  # HOPLINE_API_SOURCES: where documents may be read from that requests named
    keeping: Keeping = KEEPS_NONE
    # Of a collection: schema, title, description, conversations.
    forget_records: Callable[[str], None] = _nothing_kept
    # Of a document of a collection, both by name: its quotes in conversations.
    forget_quotes: Callable[[str, str], None] = _nothing_kept
    tell: Tell = untold  # provisional events: void where another worker takes over; Conflict if the job ended


class Limits(Frozen):
    """Settings that steps need; defaults as the design names them."""

    chunk_tokens: int = 600
    """Tokens of a chunk at most."""
    chunk_overlap: int = 60
    """Tokens at most that a chunk repeats of the chunk before it."""
    grounding_threshold: float = 0.5
    """Least similarity, 0 to 1, between a fact and a sentence for the sentence to count as its source."""
    max_document_bytes: int = 500_000_000
    """Bytes of a document's file at most; of a text, four times `max_document_characters`."""
    max_document_characters: int = 5_000_000
    """Characters of a document's text at most."""
    parse_seconds: float = 60.0
    """Seconds that parsing one document may take."""
    parse_memory_mb: int = 1024
    """Megabytes of memory that parsing one document may use."""
    picture_seconds: float = 20.0
    """Seconds that drawing a page of a document may take."""
    picture_memory_mb: int = 512
    """Megabytes of memory that drawing a page may use."""
    ocr_seconds: float = 120.0
    """Seconds that recognising a page that is a picture may take."""
    ocr_memory_mb: int = 3072
    """Megabytes of address space that recognising pages may use; about a third of it is memory."""
    embed_facts: bool = False
    """Whether facts get vectors too; no ranking gains by them, and they would be most of all vectors."""
