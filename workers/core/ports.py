"""Ports: protocols for the outside systems that steps, flows and the runner need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, Field

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
Tier = Literal["fast", "strong", "vision"]
Tell = Callable[[Sequence[Event]], None]
Partial = Callable[[Json], None]


class FollowUp(Frozen):
    """A remark to a model about its reply, so that it writes another: a text, and material for it."""

    prompt: Prompt
    material: Json


class Answered(Frozen, Generic[Reply]):
    """A validated reply of a model and its usage over all attempts."""

    value: Reply
    usage: Usage


class Model(Protocol):
    """A language model and an embedder behind one endpoint."""

    def metered(self, meter: Meter, permits: Permits | None = None) -> Model:
        """Return a model whose calls are metered and wait for permits."""

    def bounded(self, calls: int) -> tuple[Model, CallBound]:
        """Return a model that makes at most this many calls, then raises BudgetExceeded; and their counter.

        Repairs count as well. Calls are metered as by this model.
        """

    def ask(
        self,
        prompt: Prompt,
        material: Mapping[str, Any],
        reply: type[Reply],
        *,
        tier: Tier = "fast",
        max_tokens: int = 1024,
        pictures: Sequence[bytes] = (),
        partial: Partial | None = None,
        review: Callable[[Reply], FollowUp | None] | None = None,
    ) -> Answered[Reply]:
        """Return a validated reply.

        pictures: PNG files that the model looks at, in order; for a model that takes pictures.

        partial: called as the reply grows, if the endpoint streams, with the complete parts of the JSON
        object so far, not validated; called with an empty object whenever a reply begins. If it raises, it is
        not called again; nothing else changes.

        review: called with the validated reply. If it returns a remark, the model is given it and asked once
        more, and the new reply is returned, or the first one if the new one fails for good.

        Raises:
            ModelRefusedSchema: the reply did not validate, even after one repair.
            ModelRefused: the model declined.
            Transient: the endpoint failed (DependencyAway: cannot be reached).
            BudgetExceeded: the job's budget does not allow this call.
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

        `tools` are entries for the `tools` field of an OpenAI-style chat request; `fault` returns why a call
        cannot be run (no such tool, an unknown argument), or None if it can.

        Raises:
            ModelRefused, Transient, BudgetExceeded: as for `ask`; an unreadable reply counts as a refused
            call.
        """

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, each of the embedder's dimension; an empty text gives zeros."""

    @property
    def embedder(self) -> Embedder:
        """The embedder's name and dimension."""

    def name_of(self, tier: Tier) -> str:
        """Return the name of a tier's model, which is part of the key of its cached replies.

        "" for "vision" if no model for pictures is configured.
        """


class ChunkFacts(Frozen):
    """A chunk with its facts and its statements about names."""

    chunk: Chunk
    facts: tuple[AtomicFact, ...]
    claims: tuple[NameClaim, ...] = ()
    short_forms: tuple[str, ...] = ()  # ids of key elements, there or not, whose meaning its facts bear on


class Removed(Frozen):
    """Graph ids that no longer exist in the graph; their vectors are removed too."""

    chunks: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    due: tuple[DueVector, ...] = ()  # to be looked at, those of whoever was lost before as well


class DocumentGraph(DocumentPages, StandingGraph, Protocol):
    """Writes, reads and removes documents."""

    def document(self, document_id: str) -> Document | None:
        """Return a document by id."""

    def documents_of(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents with the given ids; unknown ids are left out."""

    def change_metadata(
        self, ids: Sequence[str], change: MetadataChange, as_read: Document | None = None
    ) -> int:
        """Change fields of documents in one transaction; return how many of them exist.

        Args:
            ids: sorted, because locks are taken in this order.
            change: fields to set and to remove.
            as_read: the only document, as read; if its text or metadata has changed since, nothing is
                changed.
        """

    def collections(self) -> dict[str, int]:
        """Return each collection with its number of live documents."""

    def has_documents(self, collection: str) -> bool:
        """Return whether a collection has a live document."""

    def open_version(self, document: Document) -> Document:
        """Create or update the document as not yet live; return it with the version to be written.

        A document whose live content_hash is the same comes back with status "indexed" and is left alone; it
        has no source_hash if a superseded version may have left data behind (`remove_superseded`).
        `pending_allow` is stored until a version is live or `allow` is changed; if there is none, a stored
        one remains. If `allow` was changed after a version had set it, that change persists when the version
        becomes live, and also if another version sets the same value.
        """

    def set_status(self, document_id: str, version: int, status: str, error: str | None = None) -> None:
        """Record the progress of writing a version; an older version changes nothing."""

    def write_chunks(self, document: Document, chunks: Sequence[ChunkFacts]) -> None:
        """Write chunks of a version with their facts and elements, hidden until `make_live`.

        The status of a version that is not live becomes "extracted".

        Raises:
            DocumentSuperseded: a newer version was opened.
        """

    def make_live(
        self, document: Document, source_hash: str = "", metadata: MetadataChange = NO_CHANGE
    ) -> Removed:
        """Make the version live; remove the older one's chunks and everything that only they used.

        Args:
            document: the version.
            source_hash: hash of the bytes it was made from, recorded last; unknown if not given.
            metadata: changes to its metadata, visible from the same moment as the version.
        """

    def vectors_due(self, collection: str) -> list[DueVector]:
        """Return up to `MOST_DUE` key elements with vectors to update; `vectors_seen` makes room for more."""

    def vectors_seen(self, collection: str, ids: Collection[str]) -> None:
        """Remove notes of due vectors by the ids of the notes."""

    def named_chunks(self, document_id: str, *, after: int = -1, limit: int = 100) -> list[ChunkFacts]:
        """Return a page of a document's live chunks with their data about names, ordered by index.

        Their facts come without places.
        """

    def note_names(self, chunks: Sequence[tuple[ChunkFacts, ChunkFacts]]) -> None:
        """Store statements about names with live chunks, given as (before, after), unless changed since."""

    def settle_names(self, documents: Sequence[str]) -> None:
        """Update the names that depend on the given documents of one collection."""

    def settle_elements(self, collection: str, elements: Sequence[str]) -> None:
        """Update the names that depend on key elements that a person merged or separated."""

    def delete_document(self, document_id: str) -> Removed:
        """Delete a document and everything that only it uses; an unknown id deletes nothing."""

    def name_original(self, document: Document, start: str, fresh: str) -> str | None:
        """Name the original of a version that is being made; return its name.

        An existing name of the document that starts with `start` is reused; otherwise `fresh` is used.
        Returns None if a newer version was opened. When another version is opened or becomes live, the name
        is forgotten, unless it is that of the live version.
        """

    def originals_named(self, ids: Sequence[str]) -> frozenset[str]:
        """Return all originals that versions of the given documents need: live, kept, or being made."""

    def superseded(self, limit: int) -> list[tuple[str, str]]:
        """Return (id, collection) of documents whose superseded versions left data behind."""

    def remove_superseded(self, document_id: str) -> Removed:
        """Remove the data that superseded versions left behind, and everything that only it used."""

    def contents_of(self, document_id: str) -> set[str]:
        """Return the content hashes of a document's chunks, including hidden ones."""

    def contents_held(self, contents: Collection[str], besides: str = "") -> set[str]:
        """Return the content hashes that a chunk of any collection has, other than those of one document."""


class NodeGraph(Protocol):
    """Live nodes, by id and by name."""

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

        The node's facts in `near` (ids) come first, however many others it has; for a hub, only a few hundred
        of the others are considered.
        """

    def elements_named(self, collection: str, names: Sequence[str]) -> dict[str, list[KeyElement]]:
        """Return per name the key elements whose normalised name or alias equals it."""

    def elements_like(self, collection: str, text: str, limit: int) -> list[Hit]:
        """Return key elements by full-text search over names and aliases, best first."""

    def elements(self, collection: str, ids: Sequence[str]) -> list[KeyElement]:
        """Return the key elements with these ids."""

    def fact_sources(self, collection: str, fact_ids: Sequence[str]) -> list[FactSource]:
        """Return every live place of the given facts."""

    def chunks(self, collection: str, chunk_ids: Sequence[str]) -> list[tuple[Chunk, Document]]:
        """Return chunks with their documents."""

    def held(self, collection: str, ids: Sequence[str]) -> list[tuple[str, Kind, str]]:
        """Return (graph id, kind, text) of the given nodes that exist, including hidden ones."""

    def texts(self, collection: str) -> Iterator[list[tuple[str, Kind, str]]]:
        """Yield pages of (graph id, kind, text) of all nodes that have vectors."""


class Graph(Protocol):
    """The graph of documents in its parts. Every method of these is idempotent and takes one round trip."""

    @property
    def store(self) -> DocumentGraph:
        """Writes, reads and removes documents."""

    @property
    def nodes(self) -> NodeGraph:
        """Nodes by id and by name."""

    @property
    def paths(self) -> PathGraph:
        """Reads for the paths of the reader strategy."""

    @property
    def around(self) -> AroundGraph:
        """The surroundings of elements, as read by a search's walk."""

    @property
    def merging(self) -> Merging:
        """Merges of key elements that name the same thing."""

    @property
    def views(self) -> NeighbourGraph:
        """Excerpts for people to look at."""

    @property
    def topics(self) -> TopicStore:
        """Topics of collections, and the facts they are built from."""

    @property
    def kept(self) -> KeptGraph:
        """Former versions of documents."""

    def holds(self, collection: str) -> bool:
        """Return whether a collection has documents, live or not, or concept maps."""

    def forget(self, collection: str) -> bool:
        """Remove the data of a collection other than its documents: merges, topics, concept maps.

        Kept versions have to be removed first, with `kept`. Returns False, and removes nothing, if the
        collection has documents.
        """

    def migrate(self) -> int:
        """Migrate constraints and indexes to the newest version; return that version."""

    def check(self) -> None:
        """Raise Permanent if the graph's version is not the one this code needs."""

    def census(self, collection: str, *, lengths: bool = False) -> GraphCensus:
        """Return a collection's graph in numbers; takes many round trips if it is large.

        Args:
            collection: collection of the graph.
            lengths: also count the tokens of facts, for which all their texts are read.
        """

    def facets(self, collection: str, where: Filter | None, limit: int) -> DocumentFacets:
        """Count a collection's live documents by their tags and years.

        Args:
            collection: collection of the documents.
            where: filter on their metadata; None for all.
            limit: maximum number of tags, and of years.
        """

    def growth(self, collection: str, seconds: float = 20.0) -> Growth | None:
        """Return the number of key elements and the largest hubs; None if counting takes too long.

        Quicker than a census: versions that are being written and are not yet live count as well.
        """


class Blobs(Protocol):
    """A store of large data by reference."""

    def put(self, data: bytes, suffix: str = "") -> str:
        """Store bytes under their hash; return the reference."""

    def put_file(self, file: BinaryIO, suffix: str = "") -> str:
        """Store a file from its beginning, slice by slice, as `put` stores bytes."""

    def get(self, reference: str) -> bytes:
        """Return the bytes; raise Permanent if the reference is unknown."""

    def open(self, reference: str) -> BinaryIO:
        """Return a blob as a file, with its bytes checked; raises like `get`."""

    def has(self, reference: str) -> bool:
        """Return whether a blob with this reference exists."""

    def delete(self, reference: str) -> None:
        """Remove a blob; unknown references are ignored."""


def untold(_events: Sequence[Event]) -> None:
    """Publish nothing, for a step without a job."""


def _nothing_kept(*_names: str) -> None:
    """Forget nothing, where nothing is kept."""


@dataclass(frozen=True)
class Ports:
    """Everything that a step may use, and the job it works for."""

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
    """Settings that steps need, with the defaults of the design."""

    chunk_tokens: int = 600
    """Maximum number of tokens per chunk."""
    chunk_overlap: int = 60
    """Maximum number of tokens that a chunk repeats from the previous one."""
    grounding_threshold: float = 0.5
    """Smallest similarity, 0 to 1, at which a sentence counts as the source of a fact."""
    max_document_bytes: int = 500_000_000
    """Largest file in bytes; for a text, four times `max_document_characters`."""
    max_document_characters: int = 5_000_000
    """Largest text in characters."""
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
    """Megabytes of address space that recognising pages may use; about a third of that is real memory."""
    vision_from: float = Field(default=0.1, ge=0.0, le=1.0)
    """Share of a page's lines that recognition doubts or cannot read from which `HOPLINE_VISION_MODEL` reads
    the page."""
    embed_facts: bool = False
    """Whether facts get vectors too; no ranking gains from them, and most vectors would be theirs."""
