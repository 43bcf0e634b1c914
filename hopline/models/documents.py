"""Documents as clients see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from hopline.models.base import Frozen, Page
from hopline.models.formats import DOCUMENT_FORMATS, reader_of, text_format_names
from hopline.models.metadata import DOUBTS, LANGUAGES, READ_BY, Metadata, StoredMetadata, Value
from hopline.models.times import Timestamp

LAST_OFFSET = 2**53 - 1  # as far as readers of JSON count

# Text goes up, numbers go down: the most chunks or facts come first. Equal ones come by id.
DocumentOrder = Literal["id", "title", "uri", "status", "chunks", "facts"]

if TYPE_CHECKING:
    TextFormat = str
else:
    TextFormat = Literal[text_format_names()]


_BLANK_PAGES = 0.2  # share of a document's pages; a few blank or pictured ones are usual
_MEANINGLESS = 0.01  # share of its signs
_DOUBTFUL_LINES = 0.1  # share of its recognised lines; stamps, logos and handwriting are usual


class ReadRecord(Frozen):
    """Record of how a document was read: by which reader, and how well."""

    reader: str = Field(description="The reader and its version.", examples=["pdf 1"])
    pages: int = Field(default=0, description="0 if the format has no pages.")
    pages_without_text: int = 0
    signs: int = Field(default=0, description="Number of characters read, without spaces.")
    signs_without_meaning: int = Field(
        default=0, description="Number of characters that the file's fonts do not identify."
    )
    doubtful_tables: int = Field(default=0, description="Apparent tables that were read as lines.")
    replaced_bytes: int = Field(default=0, description="Bytes that are not valid in the encoding.")
    pictured_pages: int = Field(default=0, description="Pages that are pictures and were not recognised.")
    recognised_pages: int = Field(default=0, description="Pages that are pictures and were recognised.")
    recognised_lines: int = Field(
        default=0, description="Recognised lines of these pages, without those left out."
    )
    doubtful_lines: Mapping[str, int] = Field(
        default={}, description="Lines recognised with little confidence, by page.", examples=[{"3": 2}]
    )
    unread_lines: Mapping[str, int] = Field(
        default={},
        description="Number of lines left out, by page, because their script is not supported or they are "
        "illegible.",
        examples=[{"3": 2}],
    )
    transcribed_lines: Mapping[str, int] = Field(
        default={}, description="Number of lines read by the vision model, by page.", examples=[{"3": 2}]
    )
    vision: str = Field(default="", description="The vision model that was set; empty if none was.")
    misnamed: int = Field(default=0, description="1 if its content and its name indicate different formats.")
    places: str = Field(default="", description="A sha-256 that identifies the places of its text.")
    left_out: Mapping[str, int] = Field(
        default={}, description="What was left out of the text, with counts.", examples=[{"picture": 3}]
    )

    @property
    def doubts(self) -> tuple[str, ...]:
        """Reasons to doubt that the document was read correctly; empty if there are none."""
        told = {
            "pages without text": self.pages_without_text > _BLANK_PAGES * self.pages,
            "signs without meaning": self.signs_without_meaning > _MEANINGLESS * self.signs,
            "doubtful tables": self.doubtful_tables > 0,
            "replaced bytes": self.replaced_bytes > 0,
            "another format than its name": self.misnamed > 0,
            "pages are pictures": self.pictured_pages > 0,
            "doubtful lines": sum(self.doubtful_lines.values()) > _DOUBTFUL_LINES * self.recognised_lines,
            "lines not recognised": sum(self.unread_lines.values()) > _DOUBTFUL_LINES * self.recognised_lines,
        }
        return tuple(doubt for doubt, is_so in told.items() if is_so)


OriginalState = Literal["kept", "turned off", "too large", "no room", "no file"]
UNKEPT: tuple[OriginalState, ...] = ("too large", "no room")  # for a limit that an operator may raise


class Document(Frozen):
    """A document as the graph holds it."""

    id: str
    collection: str
    uri: str
    relative_uri: str | None = Field(
        default=None,
        exclude_if=lambda uri: uri is None,
        description="The address that other callers see; only for admins, whose `uri` is the stored address.",
    )
    title: str
    content_hash: str  # sha-256 hex of the stored text; with a profile or chunk sizes, of these too
    version: int = 1  # counts up with every change; a writer of an older one stops
    status: str = "new"  # new, loaded, split, extracted, linked, indexed (= live), failed
    error: str | None = None
    chunks: int = 0
    facts: int = 0
    source_hash: str = ""  # of the bytes that its live version was made of; "" where it is not known
    # Tokens of its live version's chunks, where they were asked for; else they are the settings'.
    chunk_tokens: int | None = None
    chunk_overlap: int | None = None
    # Of its text, the most used first; none where it has no letters, or was read before these were kept.
    languages: tuple[str, ...] = ()
    metadata: StoredMetadata = {}
    # None of what was stored before these were kept, until it is ingested again.
    created: Timestamp | None = Field(default=None, description="Time of its first ingestion.")
    updated: Timestamp | None = Field(
        default=None, description="Time of the last change of its text or metadata."
    )
    size: int | None = Field(default=None, ge=0, description="Size of the live version's source in bytes.")
    media_type: str | None = Field(
        default=None, description="Media type of that source.", examples=["application/pdf"]
    )
    reading: ReadRecord | None = Field(
        default=None,
        description="How its live version was read; null if that was before hopline recorded it.",
    )
    original: OriginalState | None = Field(
        default=None,
        description="Whether the file of its live version is kept, or why not (`no file`: it is a line of a "
        "list); null if it was ingested before hopline kept originals.",
    )
    original_file: SkipJsonSchema[str] = Field(default="", exclude=True)  # its name in the store; "" for none
    # What the last ingestion brought of it; known to the graph and to who ingests the document again.
    ingested_metadata: SkipJsonSchema[StoredMetadata] = Field(default={}, exclude=True)
    # The names of those fields of it that came by the command: a sync leaves them.
    command_fields: SkipJsonSchema[tuple[str, ...]] = Field(default=(), exclude=True)
    # Who may see it, by an ingestion that is not live yet, and whether that came by the command.
    pending_allow: SkipJsonSchema[tuple[str, ...]] = Field(default=(), exclude=True)
    pending_by_command: SkipJsonSchema[bool] = Field(default=False, exclude=True)

    @property
    def fields(self) -> Mapping[str, Value]:
        """The document's fields as filters see them: languages and reader, overridden by its metadata."""
        told: dict[str, Value] = {LANGUAGES: self.languages} if self.languages else {}
        if self.reading:
            told |= {READ_BY: self.reading.reader}
            told |= {DOUBTS: self.reading.doubts} if self.reading.doubts else {}
        return {**told, **self.metadata} if told else self.metadata

    @property
    def is_read_by_older(self) -> bool:
        """Whether an older version of its reader read the document."""
        return self.reading is None or self.reading.reader not in map(reader_of, DOCUMENT_FORMATS)

    @property
    def as_live(self) -> Document:
        """The document as shown to callers who may see only its live version.

        A version that is being written, or that failed, is not shown, because it may be for other people. Nor
        is the time of the first ingestion, which may have been for others.
        """
        untold = {"content_hash": "", "version": 1, "status": "indexed", "error": None, "created": None}
        return self.model_copy(update=untold)


FIRST_SPLITTER = 1  # of chunks that were written before the version was


class Chunk(Frozen):
    """A consecutive piece of a document; text == document.text[start:end]."""

    id: str
    index: int = Field(ge=0)
    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    tokens: int = Field(ge=0)
    content_hash: str  # sha-256 hex of the text
    chapter: int | str | None = None  # where a story stands here: a number, or a heading
    order: int | None = None  # of the place within the story, where that is known
    # The version of the rules for where sentences end, by which it and its facts' spans were found.
    splitter: int = Field(default=FIRST_SPLITTER, ge=1)
    places: str = ""  # where it stands in the file, see workers/core/places.py; "" where that is not known


class KeyElement(Frozen):
    """A noun, name, date or number that facts share; a node to hop through."""

    id: str
    name: str  # normalised
    aliases: tuple[str, ...] = ()  # spellings seen
    types: tuple[str, ...] = ()  # of a profile: Character, Place; labels of the node


class TextDocument(Frozen):
    """A document's text; a text with the same name replaces it."""

    name: str = Field(
        min_length=1, max_length=500, description="Name that identifies the document within its collection."
    )
    text: str = Field(min_length=1, max_length=5_000_000)
    title: str = Field(
        default="", max_length=500, description="The title; by default it is taken from the text."
    )
    format: TextFormat = "txt"
    metadata: Metadata = Field(default={}, description="Its fields.", examples=[{"author": "Ann"}])


class Facet(Frozen):
    """A value that some documents share."""

    value: str  # a tag, or a year such as 2024
    documents: int


class DocumentFacets(Frozen):
    """Counts of documents by their metadata, most frequent first."""

    documents: int  # all that were counted
    tags: tuple[Facet, ...]
    years: tuple[Facet, ...]  # of their dates


class DocumentReport(Frozen):
    """The result for one document."""

    uri: str
    document_id: str | None = None  # None where the document was refused before it had one
    status: str  # done, unchanged, partial, failed, cancelled
    chunks: int = 0
    facts: int = 0
    entities: int = 0  # of a profile's types, in this run
    relations: int = 0
    events: int = 0
    error: str | None = None
    doubts: tuple[str, ...] = ()  # why its file may have been read badly
    original: OriginalState | None = None  # why its file is not kept, if a limit was reached

    @property
    def refusal(self) -> tuple[str, str]:
        """The document's address, and why it was refused."""
        return self.uri, self.error or ""


class MetadataEdited(BaseModel):
    """Number of documents changed."""

    changed: int


class DocumentPage(Page):
    """Documents, in the requested order."""

    documents: list[Document]
