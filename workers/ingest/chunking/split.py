"""Step ingest.split: splits a text into overlapping chunks at sentence and paragraph boundaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

import structlog

from hopline.errors import InvalidInput
from hopline.events.documents import DocumentSplit
from hopline.models.base import Frozen
from hopline.models.documents import Chunk, Document
from hopline.models.formats import DOCUMENT_FORMATS, MARKDOWN, format_of
from workers.core import ids
from workers.core.graph.stored_document import standing_chunks
from workers.core.jobs.params import DocumentParams, read_input
from workers.core.jobs.work import Outcome
from workers.core.language.sentence_ends import SPLITTER
from workers.core.models.tokens import count_tokens
from workers.core.places import Map, PlaceMap
from workers.core.ports import Ports
from workers.core.records import IN_FULL
from workers.ingest.chunking.boundaries import Sizes
from workers.ingest.chunking.chapters import MOST_CHAPTERS, Chapter, Chapters, Part, chapter_of, chapters_of
from workers.ingest.chunking.kept_boundaries import Piece, begin_of, keep_borders, place_known
from workers.ingest.chunking.sizes import own_sizes, sized
from workers.ingest.pages import get_places, get_text, put_chunks
from workers.ingest.reading.front_matter import front_matter
from workers.ingest.reading.markdown_tables import markdown_tables
from workers.sources.archives import INSIDE
from workers.sources.mail import MAILS

_STRIDE = 10_000  # more chunks than a document has: a later document's come after an earlier one's

_log = structlog.get_logger()


class SplitInput(Frozen):
    """A loaded document."""

    document: Annotated[Document, IN_FULL]
    text: str  # blob
    places: str = ""  # blob


class SplitResult(Frozen):
    """A document in chunks."""

    pages: tuple[str, ...]  # blobs of CHUNKS_PER_PAGE chunks, in order
    chunks: int


def split_document(loaded: SplitInput, ports: Ports) -> Outcome:
    """Split a loaded document.

    Of an older version's chunks the borders are kept where the text is unchanged: what a chunk says was asked
    before. With a profile, no chunk lies in two chapters, and each knows its chapter and its place in the
    story.
    """
    document = loaded.document
    text = get_text(ports.blobs, loaded.text)
    params = read_input(DocumentParams, ports.job.params)
    if document.reading:  # by its content it may be of another format than by its name
        params = params.model_copy(update={"format": format_of(document.reading.reader)})
    is_new = document.version == 1
    chunks, chapters = chunks_of(document.id, text, params, ports, is_new=is_new)
    known = place_map(text, get_places(ports.blobs, loaded.places), params.format, params.uri)
    chunks = [chunk.model_copy(update={"places": known.cut(chunk.start, chunk.end)}) for chunk in chunks]
    pages = put_chunks(ports.blobs, chunks)
    if chapters.beyond:
        _log.warning("headings.left_out", uri=document.uri, most=MOST_CHAPTERS, beyond=chapters.beyond)
    event = DocumentSplit(uri=document.uri, chunks=len(chunks), headings_left_out=chapters.beyond or None)
    return Outcome(result=SplitResult(pages=tuple(pages), chunks=len(chunks)), events=(event,))


def chunks_of(
    document_id: str, text: str, params: DocumentParams, ports: Ports, *, is_new: bool = False
) -> tuple[list[Chunk], Chapters]:
    """Return a document's chunks, and its chapters; writes nothing. A new one has no older version."""
    chapters = parts_of(text, params)
    names = [name for name in ("" if is_new else document_id, params.moved_from) if name]
    limits, known = sized(ports.limits, params), _known(names, params, ports)
    chunks = split_text(document_id, text, limits.chunk_tokens, limits.chunk_overlap, chapters.parts, known)
    if params.profile:
        chunks = [_placed(chunk, params.order) for chunk in chunks]
    return chunks, chapters


def place_map(text: str, places: Map, form: str, uri: str = "") -> PlaceMap:
    """Return the places of a document's text.

    Args:
        text: as stored.
        places: that its reader found; none where the text is the file itself.
        form: the name of its format.
        uri: the document's; of a file that is attached to a mail its name is a place.
    """
    by_line = not DOCUMENT_FORMATS[form].reader
    page = DOCUMENT_FORMATS[form].page
    known = markdown_tables(text) if by_line and form in MARKDOWN else places
    holder, _, name = uri.rpartition(INSIDE)
    within = f"attachment {name}" if holder.lower().endswith(MAILS) else ""
    return PlaceMap(text, known, by_line=by_line, page=page, within=within)


def _known(names: Sequence[str], params: DocumentParams, ports: Ports) -> list[Chunk]:
    """Return the chunks of the text that this one replaces, of the first of these documents that has any.

    None if they were asked for in other sizes: all is split again.
    """
    own = own_sizes(ports.limits, params)
    sizes = (own.chunk_tokens, own.chunk_overlap)
    for name in names:
        if known := list(standing_chunks(ports.graph.store, name)):
            before = ports.graph.store.document(name)
            same = before and (before.chunk_tokens, before.chunk_overlap) == sizes
            return known if same else []
    return []


def parts_of(text: str, params: DocumentParams) -> Chapters:
    """Return the parts of a text that go into chunks: all but front matter; with a profile, by chapters."""
    begin = front_matter(text, params.format).end
    if not params.profile or params.chapter is not None:
        chapter = chapter_of(params.chapter) if params.profile else None
        return Chapters([Part(begin, len(text), chapter)])
    chapters = chapters_of(text[begin:], params.format)
    return Chapters(
        [Part(begin + p.start, begin + p.end, p.chapter) for p in chapters.parts], chapters.beyond
    )


def _placed(chunk: Chunk, document_order: int | None) -> Chunk:
    """Number a chunk among all of the story, from 1."""
    return chunk.model_copy(update={"order": (document_order or 0) * _STRIDE + chunk.index + 1})


def split_text(
    document_id: str,
    text: str,
    chunk_tokens: int,
    chunk_overlap: int,
    parts: Sequence[Part] = (),
    known: Sequence[Chunk] = (),
) -> list[Chunk]:
    """Return the chunks of a text in order; each one's text is text[start:end].

    A chunk has at most chunk_tokens tokens. It begins with up to chunk_overlap tokens of whole sentences of
    the chunk before it, so that a sentence that leans on its predecessor is not read without it. All but
    white space is covered. Where parts are given, only they are, and no chunk lies in two. Where
    chunks of an older text are given, their borders are kept where the text is unchanged.

    Raises:
        InvalidInput: the overlap is not smaller than the chunk.
    """
    if not 0 <= chunk_overlap < chunk_tokens:
        raise InvalidInput("chunk_overlap", chunk_overlap, f"0 to {chunk_tokens - 1}")
    sizes = Sizes(chunk_tokens, chunk_overlap)
    seen: Counter[str] = Counter()
    chunks = []
    for index, (chapter, start, end) in enumerate(_ranges(text, sizes, parts, known)):
        piece = text[start:end]
        chunk_id = ids.chunk_id(document_id, piece, seen[piece])
        seen[piece] += 1
        chunks.append(
            Chunk(
                id=chunk_id,
                index=index,
                text=piece,
                start=start,
                end=end,
                tokens=count_tokens(piece),
                content_hash=ids.content_hash(piece),
                chapter=chapter,
                splitter=SPLITTER,
            )
        )
    return chunks


def _ranges(
    text: str, sizes: Sizes, parts: Sequence[Part], known: Sequence[Chunk]
) -> Iterator[tuple[Chapter, int, int]]:
    """Yield chapter, start and end of each chunk."""
    placed = place_known(text, known, sizes) if known else []
    for part in parts or [Part(0, len(text), None)]:
        inside = [
            placed_core
            for placed_core in placed
            if part.start <= placed_core.start and placed_core.end <= part.end
        ]
        before: Piece | None = None
        for piece in keep_borders(text, (part.start, part.end), inside, sizes):
            yield part.chapter, begin_of(text, before, piece, sizes), piece.end
            before = piece
