"""Events of ingestion, deletion and merging."""

from __future__ import annotations

from hopline.models.events import EventData


class ProfileCounts(EventData, event=None):
    """Counts of items extracted by a profile; empty without one."""

    entities: int | None = None
    relations: int | None = None
    events: int | None = None


class DocumentRead(EventData, event=None):
    """A document was read."""

    uri: str
    characters: int | None = (
        None  # None of a file that was not read, for its bytes are those of the live version
    )
    encoding: str | None


class DocumentLoaded(DocumentRead, event="document.loaded"):
    """A document was read, and is new or changed."""


class DocumentUnchanged(DocumentRead, event="document.unchanged"):
    """A document was read, and is in the graph unchanged."""


class PicturesFound(EventData, event="pictures.found"):
    """A document has pages that are pictures, which are recognised before it is read on."""

    uri: str
    pages: int


class PagesRecognised(EventData, event="pages.recognised"):
    """Some pages of a document that are pictures were recognised."""

    uri: str
    first: int  # of the pages, 1 for the first of the document
    last: int
    recognised: int
    kept: int  # recognised before, and not again
    failed: int  # took too long or too much memory, or cannot be drawn


class PageTranscribed(EventData, event="page.transcribed"):
    """A vision model read a scanned page that recognition doubts."""

    uri: str
    page: int  # 1 for the first of the document
    lines: int  # that it read; 0 if what was recognised stays
    kept: bool  # it was sent before, and not again


class DocumentSplit(EventData, event="document.split"):
    """A document was split into chunks."""

    uri: str
    chunks: int
    headings_left_out: int | None = None  # headings that begin no chapter, as there are too many


class ChunkExtracted(ProfileCounts, event="chunk.extracted"):
    """The facts of a chunk are known."""

    index: int  # of the chunk, 0 for the first
    count: int  # facts
    ungrounded: int  # facts with no place in the chunk's text
    kept: bool  # the reply was kept from before
    dropped: dict[str, int] | None = None  # with a profile: kind -> what neither it nor the text bears out


class ChunksLinked(EventData, event="chunks.linked"):
    """Chunks and their facts were written into the graph."""

    chunks: int
    facts: int


class DocumentIndexed(ProfileCounts, event="document.indexed"):
    """A document's new version is live."""

    uri: str
    facts: int
    vectors: int  # new
    removed: int  # vectors of the version before


class DocumentDeleted(EventData, event="document.deleted"):
    """A document left the graph."""

    uri: str
    chunks: int
    facts: int
    elements: int


class DocumentsSelected(EventData, event="documents.selected"):
    """The documents that a job is to delete are known."""

    documents: int


class CollectionForgotten(EventData, event="collection.forgotten"):
    """Everything kept for a collection is gone, unless documents have come meanwhile."""

    collection: str
    forgotten: bool


class CollectionReindexed(EventData, event="collection.reindexed"):
    """A collection's vectors were rebuilt."""

    vectors: int


class TopicsBuilt(EventData, event="topics.built"):
    """A collection's topics were built, and are the ones that readers see."""

    epoch: str
    facts: int
    documents: int
    topics: tuple[int, ...]  # by level, the coarsest first


class ElementsCompared(EventData, event="elements.compared"):
    """A page of key elements was searched for doubles."""

    elements: int
    found: int


class ElementsAsked(EventData, event="elements.asked"):
    """A model was asked about pairs that the rules leave open."""

    asked: int  # pairs
    same: int


class ElementsMerged(EventData, event="elements.merged"):
    """Doubles were merged."""

    made: int
    refused: int  # kept apart by an undoing, or gone


class MergeUndone(EventData, event="merge.undone"):
    """A merge was undone."""

    merge: str
    restored: tuple[str, ...]  # names
    removed: int


class SourcesListed(EventData, event="sources.listed"):
    """A sync knows which documents its sources hold."""

    documents: int
    refused: int


class SourcesCompared(EventData, event="sources.compared"):
    """A sync knows what has changed."""

    new: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    doubtful: int  # not listed, but their places could not be read


class DocumentEnded(ProfileCounts, event="document.ended"):
    """A document of a batch or a sync is through; of a cancelled job there is a reason and nothing else."""

    document_id: str | None = None
    uri: str | None = None
    title: str | None = None
    status: str | None = None  # done, unchanged, partial, failed
    chunks: int | None = None
    facts: int | None = None
    kept: int | None = None  # chunks whose reply was kept from before
    error: str | None = None
    reason: str | None = None


class DeleteEnded(EventData, event="delete.ended"):
    """A document that a sync removes is gone."""

    document_id: str | None = None
    known: bool | None = None  # whether there was one
    chunks: int | None = None
    facts: int | None = None
    elements: int | None = None
    error: str | None = None
    reason: str | None = None  # of a cancelled job, and nothing else


class BatchReported(EventData, event="batch.reported"):
    """A named batch's report is ready."""

    batch: str
    documents: dict[str, int]  # how many by status
